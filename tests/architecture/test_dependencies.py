"""Every direct dependency of every member has its reason in `docs/dependencies.md`, and no other is listed there."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/dependencies.md"
PROJECTS = (
    "pyproject.toml",
    "platform/sdk/pyproject.toml",
    "platform/core/pyproject.toml",
    "platform/worker/pyproject.toml",
    "platform/standalone/pyproject.toml",
    "api/pyproject.toml",
    "operator/pyproject.toml",
)
NAME = re.compile(r"^[A-Za-z0-9._-]+")
ROW = re.compile(r"^\| `(?P<name>[^`]+)` \| (?P<reason>.+) \|$")


def declared(project: str) -> tuple[str, set[str]]:
    """The distribution's name and the names of what it declares, extras and groups included, siblings left out."""
    document: dict[str, Any] = tomllib.loads((ROOT / project).read_text(encoding="utf-8"))
    lists = [document["project"].get("dependencies", [])]
    lists += document["project"].get("optional-dependencies", {}).values()
    lists += document.get("dependency-groups", {}).values()
    names = {name_of(requirement) for requirements in lists for requirement in requirements}
    return document["project"]["name"], {name for name in names if not name.startswith("mlplatform")}


def name_of(requirement: str) -> str:
    found = NAME.match(requirement)
    assert found, requirement
    return found.group().lower()


def explained(distribution: str) -> dict[str, str]:
    """Dependency → reason, from the table below the heading of `distribution`."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {distribution}\n")[2].partition("\n## ")[0]
    rows = filter(None, map(ROW.match, section.splitlines()))
    return {row["name"].lower(): row["reason"] for row in rows}


@pytest.mark.parametrize("project", PROJECTS)
def test_each_dependency_has_a_reason(project: str) -> None:
    distribution, names = declared(project)
    reasons = explained(distribution)
    assert set(reasons) == names
    assert [name for name, reason in reasons.items() if len(reason.split()) < 5] == []


def test_each_dependency_of_the_web_application_has_a_reason() -> None:
    package: dict[str, Any] = json.loads((ROOT / "web/package.json").read_text(encoding="utf-8"))
    versions: dict[str, str] = package["dependencies"] | package["devDependencies"]
    reasons = explained(package["name"])
    assert set(reasons) == set(versions)
    assert [name for name, reason in reasons.items() if len(reason.split()) < 5] == []
    assert [name for name, version in versions.items() if not version[0].isdigit()] == []
