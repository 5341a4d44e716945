"""Images are built once per state of the sources; where containers do not run, their tests say why and are skipped."""

from __future__ import annotations

import uuid
from collections.abc import Generator

import pytest

from support import containers


@pytest.fixture(scope="session", autouse=True)
def _containers_run() -> None:
    try:
        containers.require()
    except containers.CannotRun as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def platform_image() -> str:
    return containers.built(containers.PLATFORM)


@pytest.fixture(scope="session")
def ray_image() -> str:
    return containers.built(containers.RAY)


@pytest.fixture
def network() -> Generator[str]:
    """A network of containers; gone at the end with all that is in it."""
    name = f"mlp-test-{uuid.uuid4().hex[:8]}"
    containers.podman("network", "create", name)
    try:
        yield name
    finally:
        containers.podman("network", "rm", "--force", name)
