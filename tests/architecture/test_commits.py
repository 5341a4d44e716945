"""Transactions begin and end at the edge: services and repositories flush at most."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("platform/core/src", "platform/worker/src", "api/src", "operator/src")
EDGES = {
    "platform/core/src/mlp_core/kit/database.py": "where the one transaction of a block is opened and committed",
    "platform/core/src/mlp_core/migrate.py": "each step of the schema is a transaction of its own",
}
ENDING = frozenset({"commit", "rollback", "begin", "autocommit"})


def test_only_the_edge_begins_and_commits() -> None:
    found: list[str] = []
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            found += [
                f"{name}:{node.lineno}"
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ENDING
                and name not in EDGES
                and _is_session(node.func.value)
            ]
    assert found == []


def _is_session(node: ast.expr) -> bool:
    """`session`, `self._session`, `connection`, …: what has a transaction. `packages.begin()` is another word."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return any(word in name for word in ("session", "connection", "engine", "transaction"))
