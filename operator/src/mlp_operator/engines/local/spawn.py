"""Asks for detached processes; `child.py` says how they come to be exactly once."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from mlp_operator.engines.local import child, processes
from mlp_operator.engines.local.state import ProcessPaths, write_bytes
from mlp_operator.engines.port import EngineError

CHILD_PROGRAM = Path(child.__file__)
CHILD_TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Detached:
    """A process that outlives the engine."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    cwd: Path
    paths: ProcessPaths
    once: bool
    """Never again once it was started, not even after its end."""
    forbidden: tuple[Path, ...] = ()
    """It does not start while one of these exists."""
    cgroups: tuple[Path, ...] = ()
    """`cgroup.procs` files it enters first."""
    hold_sigterm: bool = False


async def start(python: Path, wanted: Detached) -> bool:
    """Start it, unless it runs, has run (`once`) or may not. True where this call started it.

    Raises:
        EngineError: it could not be started.
    """
    paths = wanted.paths
    paths.root.mkdir(parents=True, exist_ok=True)
    write_bytes(json.dumps(_spec(wanted)).encode(), paths.spec, mode=0o600)
    # -S: no site-packages, so the short-lived parent costs 15 ms instead of 100.
    starter = await asyncio.create_subprocess_exec(
        str(python), "-I", "-S", str(CHILD_PROGRAM), str(paths.spec),
        # Marked from its first moment, so that whoever ends the cluster meanwhile finds the starter too.
        env={name: value for name, value in wanted.environment.items() if name in processes.MARKS},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(CHILD_TIMEOUT_SECONDS):
            _, errors = await starter.communicate()
    except TimeoutError:
        starter.kill()
        raise EngineError(f"{paths.root.name} did not start within {CHILD_TIMEOUT_SECONDS:.0f} s.") from None
    if starter.returncode == child.STARTED:
        return True
    if starter.returncode == child.NOT_NEEDED:
        return False
    reason = errors.decode("utf-8", "replace").strip().splitlines()
    raise EngineError(f"{paths.root.name} could not be started: {reason[-1] if reason else 'no reason given'}")


def _spec(wanted: Detached) -> dict[str, object]:
    return {
        "argv": wanted.argv,
        "env": wanted.environment,
        "cwd": str(wanted.cwd),
        "log": str(wanted.paths.log),
        "lock": str(wanted.paths.lock),
        "pid_file": str(wanted.paths.pid),
        "once": wanted.once,
        "forbidden": [str(path) for path in wanted.forbidden],
        "cgroups": [str(path) for path in wanted.cgroups],
        "hold_sigterm": wanted.hold_sigterm,
    }
