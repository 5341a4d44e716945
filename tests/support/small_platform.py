"""A supervisor over small services, described by `plan.json` in its data folder. Started as a program by tests."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from mlp_standalone import probes, runner, supervisor
from mlp_standalone.errors import StepError
from mlp_standalone.layout import Layout
from mlp_standalone.plan import Plan
from mlp_standalone.services import Service, Step

HERE = Path(__file__).resolve()


def service(layout: Layout, given: dict[str, Any]) -> Service:
    port = given.get("port")
    arguments = ["--name", given["name"], "--events", str(layout.root / "events"), *given.get("arguments", [])]
    if port:
        arguments += ["--port", str(port)]
    return Service(
        name=given["name"],
        command=(sys.executable, str(HERE.with_name("small_service.py")), *arguments),
        probe=probes.http("127.0.0.1", port, "/") if port else None,
        after=tuple(given.get("after", ())),
        environment=dict(os.environ),
        stop_signal=signal.Signals[given.get("stop_signal", "SIGTERM")],
        stop_seconds=given.get("stop_seconds", 10.0),
        start_seconds=given.get("start_seconds", 60.0),
        port=port,
    )


def step(given: dict[str, Any]) -> Step:
    async def run() -> None:
        if given.get("error"):
            raise StepError(given["error"])

    return Step(name=given["name"], run=run, after=tuple(given.get("after", ())))


def make(layout: Layout) -> Plan:
    plan = json.loads((layout.root / "plan.json").read_text(encoding="utf-8"))
    if "hung_seconds" in plan:
        runner.HUNG_SECONDS = plan["hung_seconds"]
        runner.PROBE_SECONDS = runner.TROUBLED_PROBE_SECONDS
    return Plan(
        url="http://127.0.0.1:1",
        services=[service(layout, given) for given in plan["services"]],
        steps=[step(given) for given in plan.get("steps", [])],
    )


if __name__ == "__main__":
    sys.exit(supervisor.main(make_plan=make))
