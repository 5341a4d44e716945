"""Fixtures of the in-job runtime: a job's folder, a small api, agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agent_api import AgentApi
from support.processes import Agents, Job


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    (tmp_path / "attempt").mkdir()
    made = Job(tmp_path / "attempt")
    yield made
    made.end()


@pytest.fixture
def api() -> Iterator[AgentApi]:
    made = AgentApi().start()
    yield made
    made.stop()


@pytest.fixture
def agents(tmp_path: Path, api: AgentApi) -> Iterator[Agents]:
    made = Agents(tmp_path, api)
    yield made
    made.end()
