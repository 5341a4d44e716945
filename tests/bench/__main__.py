"""`make bench`: measure, and write `docs/benchmarks.md`.

`make bench BENCH_ARGS="commands memory"` measures only these. `kubernetes` is measured where it is named, as root on Linux.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import commands, creates, kubernetes, logs, memory, pages, report, submit
from bench.live import Live, running
from bench.report import Section

ROOT = Path(__file__).parents[2]
SECTIONS: dict[str, Callable[[Live], Section]] = {
    "memory": memory.measure,
    "commands": commands.measure,
    "creates": creates.measure,
    "pages": pages.measure,
    "submit": submit.measure,
    "logs": logs.measure,
}
ELSEWHERE: dict[str, Callable[[], Section]] = {"kubernetes": kubernetes.measure}
"""Measured on a platform of their own, and only where they are named: they need root, and a quarter of an hour."""
PAGE_ORDER = ("submit", "creates", "pages", "commands", "logs", "memory", "kubernetes")


def main() -> int:
    """Returns 1 if a promise was not kept."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS), choices=[*SECTIONS, *ELSEWHERE])
    parser.add_argument("--data", type=Path, default=ROOT / ".data/bench", help="data folder of the measured platform")
    given = parser.parse_args()
    kept = True
    with running(given.data) as live:
        for key in given.sections:
            print(f"measuring {key}", flush=True)
            section = SECTIONS[key](live)
            print(report.render(section), flush=True)
            report.write(ROOT / "docs/benchmarks.md", ROOT / "docs/benchmarks.json", [section], PAGE_ORDER)
            kept = kept and all(figure.kept is not False for figure in section.figures)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
