"""Only the scope module filters by tenant, so that nobody forgets or doubles what decides who sees what.

Repositories hand a statement and its column to `scope.limit`. A comparison of a mapped class's `project_id` with a
value is a filter of somebody's own; with another mapped class's column it is a join and fine.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("platform/core/src", "platform/worker/src", "api/src", "operator/src")
SCOPE = "platform/core/src/mlp_core/scope.py"
ALLOWED = {
    "platform/core/src/mlp_core/housekeeping/repository.py": "retention spans tenants and names a row by its whole key",
    "platform/core/src/mlp_core/housekeeping/purge_repository.py": "removes a whole project that nobody can enter",
}
SCOPES = frozenset({"ProjectScope", "SubjectScope"})
COMPARING_METHODS = frozenset({"in_", "not_in", "is_", "is_not", "like", "ilike", "startswith", "op", "any_"})


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name != SCOPE:
                yield name, ast.parse(path.read_text())


def _is_column(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id.endswith("Row")


def _is_tenant(node: ast.expr) -> bool:
    return _is_column(node) and isinstance(node, ast.Attribute) and node.attr == "project_id"


def filters(tree: ast.AST) -> list[int]:
    """Lines on which a tenant is compared with a value."""
    found: list[int] = []
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                operands = [left, *others]
                if any(map(_is_tenant, operands)) and not all(map(_is_column, operands)):
                    found.append(node.lineno)
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in COMPARING_METHODS:
                if _is_tenant(value):
                    found.append(node.lineno)
            case ast.Call(func=ast.Attribute(attr="filter_by"), keywords=keywords):
                if any(keyword.arg == "project_id" for keyword in keywords):
                    found.append(node.lineno)
            case _:
                pass
    return found


def test_nobody_filters_by_tenant_by_hand() -> None:
    found = [f"{name}:{line}" for name, tree in _modules() for line in filters(tree) if name not in ALLOWED]
    assert found == [], "pass the statement and its column to scope.limit instead"


def test_exceptions_are_still_needed() -> None:
    needed = {name for name, tree in _modules() if filters(tree)}
    assert set(ALLOWED) == needed


def test_scopes_are_made_only_at_the_door() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SCOPES
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "select(JobRow).where(JobRow.project_id == project_id)",
        "select(JobRow).where(project_id == JobRow.project_id)",
        "select(JobRow).where(JobRow.project_id.in_(ids))",
        "select(JobRow).filter_by(project_id=project_id)",
    ],
)
def test_the_test_sees_a_filter(code: str) -> None:
    assert filters(ast.parse(code)) == [1]


def test_the_test_lets_a_join_pass() -> None:
    assert filters(ast.parse("join(PackageRow, PackageRow.project_id == JobRow.project_id)")) == []
