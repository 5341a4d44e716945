"""Helm, and the chart rendered with five sets of values."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from chart.rendering import Chart
from cluster.build import built
from cluster.components import HELM


@pytest.fixture(scope="session")
def helm() -> Path:
    """The program, built from its module once per machine; five minutes where it is not there yet."""
    if shutil.which("go") is None:
        pytest.skip("helm is built with Go, which this machine lacks.")
    return built([HELM], lambda line: print(line, file=sys.stderr))["helm"] / "bin/helm"


@pytest.fixture(scope="session")
def chart(helm: Path) -> Chart:
    return Chart(helm)


@pytest.fixture(scope="session")
def rendered(chart: Chart) -> Callable[[str], tuple[dict[str, object], ...]]:
    """The objects of a set of values, by its name; each is rendered once."""
    return cache(lambda values: tuple(chart.render(values)))
