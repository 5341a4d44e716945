"""`mlp job diff`."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from mlp import errors
from mlp.cli.app import App, open_app
from mlp.cli.options import Json, OutputForm, Project
from mlp.cli.table import Column
from mlp.client.calls import jobs

_COMPARED = ("package", "environment_digest", "phase", "exit_code", "duration_seconds", "created_by")


def diff(
    ctx: typer.Context,
    one: Annotated[str, typer.Argument(metavar="JOB", help="The one job.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The other.")],
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Show in what two jobs differ.

    Compares what was asked for, code and environment by digest, how they ended, and their metrics.

    \b
    Examples:
      mlp job diff JOB OTHER
    """
    app = open_app(ctx, project=project, json=json, output=output)
    left, right = (_described(app, job) for job in (one, other))
    names = [*left, *(name for name in right if name not in left)]
    rows = [
        {"field": name, "one": left.get(name), "other": right.get(name)}
        for name in names
        if left.get(name) != right.get(name)
    ]
    if not rows and not app.out.is_data:
        app.out.line("They differ in nothing.")
        return
    columns = [
        Column("FIELD", lambda row: row["field"]),
        Column("ONE", lambda row: _text(row["one"]), elastic=True),
        Column("OTHER", lambda row: _text(row["other"]), elastic=True),
    ]
    app.out.rows(iter([{"items": rows}]), columns, noun="difference", limit=None)


def _described(app: App, job: str) -> dict[str, Any]:
    document: dict[str, Any] = app.session.send(jobs.get(app.project, job).raw())
    found = dict(_flat("", document["spec"]))
    found |= {name: document.get(name) for name in _COMPARED}
    failure: dict[str, Any] | None = document.get("failure")
    found["failure"] = failure["class"] if failure else None
    return found | _metrics(app, job)


def _metrics(app: App, job: str) -> dict[str, Any]:
    """Last values by name. What was asked for can be compared even while the metrics cannot be had."""
    try:
        metrics: dict[str, Any] = app.session.send(jobs.metrics(app.project, job).raw())
    except errors.ServerFault as error:
        app.out.note(f"Without metrics: {error.message}")
        return {}
    return {f"metrics.{series['key']}": series.get("last") for series in metrics["series"]}


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    """`{"a": {"b": 1}}` → `a.b = 1`."""
    if isinstance(value, dict):
        for name, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _flat(f"{prefix}.{name}" if prefix else str(name), inner)  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield prefix, value


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else json_module.dumps(value, ensure_ascii=False)
