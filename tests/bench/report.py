"""From figures to the page `docs/benchmarks.md`."""

from __future__ import annotations

import json
import os
import platform
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

HEAD = """# Benchmarks

Written by `make bench`; not by hand. Absolute times depend on the machine, so every figure stands beside a peer
or a floor that was measured in the same run, in turns with it, and what is promised is the ratio.
`tests/bench/` says how each is taken.
"""


@dataclass(frozen=True)
class Figure:
    """One comparison: ours against a peer or a floor."""

    what: str
    ours: str
    against: str
    peer: str
    ratio: str
    promise: str
    kept: bool | None
    """None where nothing was promised."""


@dataclass(frozen=True)
class Section:
    """One part of the page. Sections of an earlier run stay until they are measured again."""

    key: str
    title: str
    text: str
    figures: Sequence[Figure]
    notes: Sequence[str] = field(default_factory=tuple)
    at: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))
    machine: str = field(default_factory=lambda: machine())


def machine() -> str:
    cores = os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    return f"{cores} cores, {memory:.0f} GiB, Python {platform.python_version()}, load {load:.1f} at the start"


def write(page: Path, store: Path, sections: Iterable[Section], order: Sequence[str]) -> None:
    """Put `sections` over those of earlier runs (kept in `store`, beside the page) and write the page in `order`."""
    known = {key: _section(value) for key, value in _stored(store).items()}
    known |= {section.key: section for section in sections}
    store.write_text(json.dumps({key: asdict(section) for key, section in known.items()}, indent=1) + "\n")
    parts = [HEAD, *(render(known[key]) for key in order if key in known)]
    page.write_text("\n".join(parts), encoding="utf-8")


def render(section: Section) -> str:
    text = textwrap.fill(" ".join(section.text.split()), 112, break_on_hyphens=False)
    lines = [f"## {section.title}", "", text, "", f"*{section.at}; {section.machine}*", ""]
    if section.figures:
        lines += ["| what | ours | against | theirs | ratio | promised | kept |", "|---|---|---|---|---|---|---|"]
        lines += [_row(figure) for figure in section.figures]
        lines.append("")
    lines += [f"- {note}" for note in section.notes]
    return "\n".join(lines).rstrip() + "\n"


def _row(figure: Figure) -> str:
    kept = {True: "yes", False: "**no**", None: ""}[figure.kept]
    cells = (figure.what, figure.ours, figure.against, figure.peer, figure.ratio, figure.promise, kept)
    return f"| {' | '.join(cells)} |"


def _stored(store: Path) -> dict[str, dict[str, object]]:
    return json.loads(store.read_text()) if store.exists() else {}


def _section(value: dict[str, object]) -> Section:
    figures = tuple(Figure(**figure) for figure in value.pop("figures"))  # pyright: ignore
    return Section(figures=figures, **value)  # pyright: ignore
