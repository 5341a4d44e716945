"""`make bench`: measure, and write `docs/benchmarks.md`.

`make bench BENCH_ARGS="commands memory"` measures only these; `kubernetes` needs root on Linux, and to be named.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import commands, creates, kubernetes, logs, memory, pages, report, submit, uploads
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
    "uploads": uploads.measure,
}
ELSEWHERE: dict[str, Callable[[], Section]] = {"kubernetes": kubernetes.measure}
"""Measured on a platform of their own, and only where they are named: they need root, and a quarter of an hour."""
PAGE_ORDER = ("submit", "creates", "pages", "commands", "logs", "uploads", "memory", "kubernetes")


def main() -> int:
    """Returns 1 if a promise was not kept."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS), choices=[*SECTIONS, *ELSEWHERE])
    parser.add_argument("--data", type=Path, default=ROOT / ".data/bench", help="data folder of the measured platform")
    given = parser.parse_args()
    kept = True
    for section in _measured(given.sections, given.data):
        print(report.render(section), flush=True)
        report.write(ROOT / "docs/benchmarks.md", ROOT / "docs/benchmarks.json", [section], PAGE_ORDER)
        kept = kept and all(figure.kept is not False for figure in section.figures)
    return 0 if kept else 1


def _measured(keys: Sequence[str], data: Path) -> Iterator[Section]:
    for key in keys:
        if key in ELSEWHERE:
            print(f"measuring {key}", flush=True)
            yield ELSEWHERE[key]()
    if any(key in SECTIONS for key in keys):
        with running(data) as live:
            for key in keys:
                if key in SECTIONS:
                    print(f"measuring {key}", flush=True)
                    yield SECTIONS[key](live)


if __name__ == "__main__":
    sys.exit(main())
