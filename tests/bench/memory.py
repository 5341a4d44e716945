"""What the standalone platform takes while nobody uses it."""

from __future__ import annotations

from bench.live import Live
from bench.report import Figure, Section

OURS = ("supervisor", "api", "operator", "worker")
LIMIT_MB = 600
TEXT = """Resident memory of each process with its children, from `mlp status --json`, a minute or more after the start
and with no cluster up. RSS counts shared pages in every process that maps them; PSS divides them."""


def measure(live: Live) -> Section:
    status = live.status()
    rows = [{"name": "supervisor", **status["supervisor"]}]
    rows += [unit for unit in status["processes"] if unit.get("rss_bytes")]
    ours = sum(_mb(row["rss_bytes"]) for row in rows if row["name"] in OURS)
    figures = [
        Figure(
            "ours together (RSS)",
            f"{ours:.0f} MB",
            "limit",
            f"{LIMIT_MB} MB",
            "",
            f"under {LIMIT_MB} MB",
            ours < LIMIT_MB,
        )
    ]
    notes = [_row(row) for row in rows]
    return Section("memory", "Memory at rest", TEXT, figures, notes)


def _row(row: dict[str, int | str | None]) -> str:
    pss = row.get("pss_bytes")
    return f"{row['name']}: {_mb(row['rss_bytes']):.0f} MB RSS" + (f", {_mb(pss):.0f} MB PSS" if pss else "")


def _mb(amount: int | str | None) -> float:
    return int(amount or 0) / 1e6
