"""`make demo`: one real training job told as a story, on a platform of its own.

It does what a user would do and nothing else: `mlp up`, `mlp job submit`, `mlp logs`, and the SDK for what came of it.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import mlp
from mlp import config, errors
from mlp_standalone import signin

ACCURACY_WANTED = 0.93
EXAMPLE = Path("examples/digits")
MLP = str(Path(sys.executable).with_name("mlp"))


@dataclass(frozen=True)
class Options:
    data: Path
    example: Path
    once: bool


class DemoError(Exception):
    """A step of the story went wrong; the sentence says which and where to look."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 if the model is registered and good enough, 1 if not, 130 if interrupted."""
    options = _options(arguments)
    os.environ["MLP_CONFIG"] = str(options.data / "client.toml")
    signal.signal(signal.SIGTERM, _interrupt)
    started = time.monotonic()
    try:
        _say("1  Starting the platform: Postgres, Valkey, MLflow, api, operator, worker", started)
        _mlp("up", "--detach", "--data", str(options.data))
        return _tell(options, started)
    except (DemoError, errors.Error) as problem:
        _say(f"The demo did not get through: {problem}", started)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        _say(f"Stopping the platform; what it holds stays in {options.data}", started)
        _mlp("down", "--data", str(options.data), check=False)


def _tell(options: Options, started: float) -> int:
    job = _follow(options.example, started)
    good = _report(job, started)
    if not options.once:
        _say(
            "The platform stays up. Look around in a browser; the link signs you in once, within ten minutes:", started
        )
        _line(f"\n   {_browser_link()}\n")
        _line(f"   Or by command: export MLP_CONFIG={os.environ['MLP_CONFIG']}, then .venv/bin/mlp job list.")
        _line("   Ctrl-C ends it.")
        _wait_for_interrupt()
    return 0 if good else 1


def _follow(example: Path, started: float) -> mlp.Job:
    """Submit `example` and print its phases and its log until it has ended."""
    _say(f"2  A user submits a job: cd {example} && mlp job submit --follow", started)
    command = [MLP, "job", "submit", "--follow"]
    with subprocess.Popen(command, cwd=example, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        output = process.stdout or ()
        job = next(iter(output), "").strip()
        for line in output:
            _line(f"   | {line.rstrip()}")
    if not job:
        raise DemoError("`mlp job submit` was refused (see above).")
    return mlp.Client().jobs.get(job)


def _report(job: mlp.Job, started: float) -> bool:
    """The end of the story. Returns whether it is a happy one."""
    accuracy = job.metrics.get("accuracy", 0.0)
    _say(f"3  {job.phase}: {job.message}", started)
    for event in job.events:
        _line(f"   {event.at:%H:%M:%S}  {event.reason:<22} {event.message}")
    if job.failure is not None:
        _line("\n".join(f"   | {line}" for line in job.failure.last_lines))
    model = job.model
    _say("4  What is left of it", started)
    _line(f"   job       {job.url}")
    _line(f"   run       {job.run.url if job.run else 'none'}")
    _line(
        f"   model     {f'{model.name} version {model.version}  {model.url or str()}' if model else 'not registered'}"
    )
    _line(f"   accuracy  {accuracy:.4f} on images it never saw (wanted: above {ACCURACY_WANTED})")
    return str(job.phase) == "succeeded" and model is not None and accuracy > ACCURACY_WANTED


def _browser_link() -> str:
    profile = config.load_profile()
    if profile is None or profile.token is None:
        raise DemoError("The command line is not signed in.")
    return signin.browser_link(profile.url, profile.token) or profile.url


def _mlp(*arguments: str, check: bool = True) -> None:
    """Run one command of the product with its output as it is."""
    code = subprocess.run([MLP, *arguments], check=False).returncode
    if check and code != 0:
        raise DemoError(f"`mlp {' '.join(arguments)}` ended with exit code {code}.")


def _wait_for_interrupt() -> None:
    try:
        signal.pause()
    except KeyboardInterrupt:
        _line("")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str, started: float) -> None:
    minutes, seconds = divmod(int(time.monotonic() - started), 60)
    _line(f"\n[{minutes}:{seconds:02}] {text}")


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _options(arguments: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(".data/demo"), help="data folder of the demo's platform")
    parser.add_argument("--example", type=Path, default=EXAMPLE, help="folder with the mlp.yaml to submit")
    parser.add_argument("--once", action="store_true", help="stop after the job; exit 0 only if its model is good")
    given = parser.parse_args(arguments)
    return Options(given.data.resolve(), given.example, given.once)


if __name__ == "__main__":
    sys.exit(main())
