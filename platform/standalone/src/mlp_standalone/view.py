"""What people see of the platform's processes: progress while it starts, a table when they ask."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import psutil
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from mlp_standalone.processes import family
from mlp_standalone.state import Health, State, Unit

MIB = 1024**2
FINE = (Health.HEALTHY, Health.DONE)
STYLES = {
    Health.HEALTHY: "green",
    Health.DONE: "green",
    Health.UNHEALTHY: "yellow",
    Health.BACKING_OFF: "red",
    Health.FAILED: "red",
}
OTHER_SESSIONS = frozenset({"postgres"})
"""Services whose children leave their session. Elsewhere whoever left it is not the service (clusters, say)."""


@dataclass(frozen=True)
class Usage:
    """Memory of a process and what belongs to it, in bytes."""

    rss: int = 0
    pss: int | None = None
    """With shared pages divided among their users; None where the system does not tell."""


class Progress:
    """Shows a start (or stop) on stderr: live on a terminal, else one line per unit that is settled."""

    def __init__(self, settled: Sequence[Health]) -> None:
        self._settled = settled
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._reported: set[str] = set()

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live = Live(console=self._console, refresh_per_second=10, transient=False)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, state: State) -> None:
        if self._live is not None:
            self._live.update(self._table(state))
            return
        for unit in state.units:
            if unit.health in self._settled and unit.name not in self._reported:
                self._reported.add(unit.name)
                self._console.print(f"{unit.name} {unit.health}", highlight=False)

    def _table(self, state: State) -> Table:
        table = Table.grid(padding=(0, 2))
        for unit in state.units:
            settled = unit.health in self._settled
            mark = Text("✓", style="green") if settled else Spinner("dots", style="cyan")
            table.add_row(mark, unit.name, Text(unit.health, style=STYLES.get(unit.health, "dim")), unit.message)
        return table


def usage(unit: Unit) -> Usage:
    """What a running unit uses now. A process that just ended uses nothing."""
    if unit.pid is None or unit.identity is None or not unit.identity.is_alive():
        return Usage()
    rss, pss = 0, 0
    for process in family(unit.pid):
        try:
            if unit.name not in OTHER_SESSIONS and os.getsid(process.pid) != unit.pid:
                continue
            memory: Any = process.memory_full_info()
        except (psutil.Error, OSError):
            continue
        rss += memory.rss
        pss += getattr(memory, "pss", 0)
    return Usage(rss, pss if sys.platform == "linux" else None)


def document(state: State) -> dict[str, Any]:
    """The state and its processes' memory, for `--json`."""
    own = Unit(name="supervisor", kind="supervisor", pid=state.supervisor.pid, started=state.supervisor.started)
    return {
        "phase": state.phase,
        "url": state.url,
        "version": state.version,
        "since": state.since,
        "supervisor": {"pid": state.supervisor.pid, **_memory(own)},
        "processes": [_unit(unit) for unit in state.units],
    }


def _unit(unit: Unit) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(unit).items() if name != "started"}
    return {**fields, **(_memory(unit) if unit.kind == "service" else {})}


def _memory(unit: Unit) -> dict[str, int | None]:
    used = usage(unit)
    return {"rss_bytes": used.rss, "pss_bytes": used.pss}


def table(state: State) -> Table:
    """`mlp status` for people."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("PROCESS", "STATE", "PID", "RESTARTS", "SINCE", "MEMORY", "PORT", ""):
        shown.add_column(column, justify="right" if column in ("PID", "RESTARTS", "MEMORY", "PORT") else "left")
    own = Unit("supervisor", "service", Health.HEALTHY, state.since, "", state.supervisor.pid, state.supervisor.started)
    for unit in (own, *(unit for unit in state.units if unit.kind == "service" or unit.health not in FINE)):
        used = usage(unit)
        shown.add_row(
            unit.name,
            Text(unit.health, style=STYLES.get(unit.health, "dim")),
            str(unit.pid or "-"),
            str(unit.restarts),
            age(unit.since, datetime.now(UTC)),
            f"{(used.pss or used.rss) // MIB} MiB" if used.rss else "-",
            str(unit.port or "-"),
            unit.message,
        )
    return shown


def age(since: str, now: datetime) -> str:
    """`2026-11-30T17:00:00Z` → `1h 5m`."""
    if not since:
        return "-"
    seconds = max(0, int((now - datetime.fromisoformat(since)).total_seconds()))
    for size, unit, smaller_size, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "m"), (60, "m", 1, "s")):
        if seconds >= size:
            return f"{seconds // size}{unit} {seconds % size // smaller_size}{smaller}"
    return f"{seconds}s"
