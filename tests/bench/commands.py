"""How long a person waits for a command line or an import, against the peers' own."""

from __future__ import annotations

import sys
from pathlib import Path

from bench import peers
from bench.live import Live
from bench.report import Figure, Section
from bench.timing import Timing, in_turns, run_time

BIN = Path(sys.executable).parent
ROUNDS = 9
TEXT = """Wall time of one whole process, median of {rounds} rounds in turns after one that does not count. Bytecode is
compiled for all. `mlp job list` asks a running platform."""


def measure(live: Live) -> Section:
    """`mlp --help`, `mlp job list` and `import mlp` against those of others."""
    theirs = peers.installed()
    commands = {
        "mlp --help": [BIN / "mlp", "--help"],
        "mlp job list": [BIN / "mlp", "job", "list"],
        "import mlp": [BIN / "python", "-c", "import mlp"],
        "metaflow --help": [theirs / "metaflow", "--help"],
        "flyte --help": [theirs / "flyte", "--help"],
        "import metaflow": [theirs / "python", "-c", "import metaflow"],
        "import flyte": [theirs / "python", "-c", "import flyte"],
        "ray --help": [BIN / "ray", "--help"],
        "mlflow --help": [BIN / "mlflow", "--help"],
        "import ray": [BIN / "python", "-c", "import ray"],
        "import mlflow": [BIN / "python", "-c", "import mlflow"],
        "python -c pass": [BIN / "python", "-c", "pass"],
    }
    environment = live.user_environment()
    taken = in_turns(
        {name: lambda line=line: run_time(line, environment=environment) for name, line in commands.items()}, ROUNDS
    )
    figures = [*_figures("mlp --help", "--help", taken), *_figures("mlp job list", "--help", taken)]
    figures += _figures("import mlp", "import", taken)
    notes = (f"An empty Python process: {_ms(taken['python -c pass'])}.",)
    return Section("commands", "Commands and imports", TEXT.format(rounds=ROUNDS), figures, notes)


def _figures(ours: str, how: str, taken: dict[str, Timing]) -> list[Figure]:
    peers_of = {"--help": ("metaflow --help", "flyte --help"), "import": ("import flyte", "import metaflow")}[how]
    heavy = {"--help": ("ray --help", "mlflow --help"), "import": ("import ray", "import mlflow")}[how]
    best = min(peers_of, key=lambda name: taken[name].median)
    out = [_figure(ours, best, taken, 2.0)]
    out += [_figure(ours, name, taken, 10.0 if how == "--help" else None) for name in heavy]
    return out


def _figure(ours: str, theirs: str, taken: dict[str, Timing], promise: float | None) -> Figure:
    times = taken[theirs].median / taken[ours].median
    promised = f"at least {promise:g}x faster" if promise else ""
    kept = times >= promise if promise else None
    return Figure(f"`{ours}`", _ms(taken[ours]), f"`{theirs}`", _ms(taken[theirs]), f"{times:.1f}x", promised, kept)


def _ms(timing: Timing) -> str:
    return f"{timing.median * 1000:.0f} ms"
