"""What the help says without loading anything is what the commands say themselves."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

import pytest
import typer

from mlp.cli.lazy import build
from mlp.cli.registry import MACHINE, ROOT, Entry, Noun
from mlp.cli.values import Values

ENTRIES = [
    *((name, item) for name, item in ROOT.items() if isinstance(item, Entry) and name not in MACHINE),
    *((f"{noun} {verb}", entry) for noun, item in ROOT.items() if isinstance(item, Noun)
      for verb, entry in item.verbs.items()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "entry"), ENTRIES, ids=[name for name, _ in ENTRIES])
def test_every_command_is_there_says_what_the_help_says_and_has_examples(name: str, entry: Entry) -> None:
    module, _, attribute = entry.target.partition(":")
    document = inspect.getdoc(getattr(import_module(module), attribute)) or ""
    assert document.splitlines()[0] == entry.summary
    examples = [line for line in document.splitlines() if line.strip().startswith(("mlp ", "source ", "echo "))]
    assert examples
    verb = name.removeprefix("job ")
    assert any(re.search(rf"\bmlp (job )?{verb}\b", line) for line in examples)


@pytest.mark.parametrize("name", [name for name, _ in ENTRIES])
def test_every_help_can_be_read(name: str, run: Any) -> None:
    result = run(*name.split(), "--help")
    assert result.code == 0, result.err
    assert "Examples:" in result.out
    assert "\x08" not in result.out


def test_no_parameter_needs_pydantic(run: Any) -> None:
    """All kinds of parameter are read by `mlp.cli.values`; one that is not would cost 0.2 s on each command."""
    for name, entry in ENTRIES:
        command = build(name.split()[-1], entry)
        option = command.get_help_option(typer.Context(command, help_option_names=["--help"]))
        for param in [*command.params, option]:
            assert isinstance(param.get_runtime_param(), Values), (name, param.name)


def test_commands_of_other_packages_are_found_or_named(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    class Point:
        def load(self) -> Any:
            def register(app: typer.Typer) -> None:
                @app.command("up")
                def up(ctx: typer.Context) -> int:
                    return 7

            return register

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [Point()])
    assert run("up").code == 7
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [])
    result = run("up")
    assert result.code == 2
    assert "mlplatform-standalone" in result.err
