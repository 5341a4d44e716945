"""The wire types that calls name by text are those of their annotations."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import mlp.client.calls as calls
from mlp import _lazy

FILES = sorted(Path(next(iter(calls.__path__))).glob("[a-z]*.py"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_call_reads_what_it_says(file: Path) -> None:
    import_module(f"mlp.client.calls.{file.stem}")
    checked = 0
    for function in ast.walk(ast.parse(file.read_text())):
        if not isinstance(function, ast.FunctionDef) or function.returns is None:
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id.startswith("read"):
                name = ast.literal_eval(call.args[0])
                kind = _lazy.schema(name).__name__
                wrapped = {"read": kind, "read_page": f"Page[{kind}]", "read_list": f"list[{kind}]"}[call.func.id]
                assert ast.unparse(function.returns) == f"Call[{wrapped}]", function.name
                checked += 1
    assert checked or file.stem == "__init__"


def test_calls_build_paths_that_are_quoted() -> None:
    from mlp.client.calls import jobs, packages

    assert jobs.get("demo", "a/b c?").path == "/api/v1/projects/demo/jobs/a%2Fb%20c%3F"
    assert packages.complete("demo", "sha256:ab").path == "/api/v1/projects/demo/packages/sha256:ab:complete"
    assert inspect.isfunction(jobs.get)
