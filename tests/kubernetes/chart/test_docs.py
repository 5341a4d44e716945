"""The page about Kubernetes says what the chart does."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
import yaml

from chart.rendering import CHART, ROOT


@pytest.fixture(scope="module")
def rights() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rights", ROOT / "helm/rights.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_rights_is_current(rights: ModuleType) -> None:
    page = rights.PAGE.read_text(encoding="utf-8")
    assert page == rights.with_table(page, rights.current()), "run `python helm/rights.py`"


def test_every_right_has_a_reason(rights: ModuleType) -> None:
    assert all(len(right["why"].split()) >= 5 for right in rights.current())


def test_the_page_names_the_tested_versions() -> None:
    annotations = yaml.safe_load((CHART / "Chart.yaml").read_text())["annotations"]
    page = (ROOT / "docs/kubernetes.md").read_text(encoding="utf-8")
    assert f"KubeRay {annotations['mlp.dev/kuberay']}" in page
    assert f"Kueue {annotations['mlp.dev/kueue']}" in page
