"""The web application by its own tools: types and lint, component tests, build with its budget.

Run alone: `pytest tests/web/test_web.py`. What a real browser sees is tried by `test_browser.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from web.npm import NPM, WEB, run

pytestmark = pytest.mark.skipif(NPM is None, reason="npm is not here")


@pytest.mark.usefixtures("installed")
def test_types_lint_and_the_generated_schema_are_right() -> None:
    run("run", "check", seconds=180)


@pytest.mark.usefixtures("installed")
def test_components_and_decisions() -> None:
    run("run", "test", seconds=240)


def test_the_build_keeps_its_budget_and_is_compressed(built: Path) -> None:
    scripts = [file for file in (built / "assets").glob("*.js") if file.stat().st_size >= 1024]
    assert scripts
    assert [file.name for file in scripts if not file.with_name(f"{file.name}.br").exists()] == []
    assert [file.name for file in scripts if not file.with_name(f"{file.name}.gz").exists()] == []


def test_the_lock_names_no_registry() -> None:
    assert '"resolved"' not in (WEB / "package-lock.json").read_text(encoding="utf-8")
