"""What is done once at each start, between the services. Every step may be repeated without harm."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mlp_standalone import logs, pools
from mlp_standalone.config import Secrets
from mlp_standalone.errors import StandaloneError, StepError
from mlp_standalone.layout import Layout
from mlp_standalone.postgres import Postgres
from mlp_standalone.services import MLFLOW_DATABASE, PLATFORM_DATABASE, Step

ADMIN = "admin"
PROJECT = "default"
COMMAND_SECONDS = 300.0
MACHINE_FACTS = (
    "import dataclasses, json; from mlp_operator.engines.local import machine; "
    "print(json.dumps(dataclasses.asdict(machine.describe())))"
)
TRIES = 3
"""A database that has just started may be restarting; a step that keeps failing is wrong."""


def databases(postgres: Postgres) -> Step:
    async def run() -> None:
        try:
            await asyncio.to_thread(postgres.create_databases, (PLATFORM_DATABASE, MLFLOW_DATABASE))
        except StandaloneError as error:
            raise StepError(f"The databases could not be created. {error}") from error

    return Step(name="databases", run=run, after=("postgres",))


def migrate(layout: Layout, settings: Mapping[str, str]) -> Step:
    """Bring the platform's own tables up to date."""

    async def run() -> None:
        command = (sys.executable, "-m", "mlp_core.migrate", "upgrade")
        await _run_logged(command, settings, layout.log("migrate"), "The database could not be migrated.")

    return Step(name="migrate", run=run, after=("databases",))


def bootstrap(layout: Layout, settings: Mapping[str, str], secrets: Secrets) -> Step:
    """Make the first user, the token of the local command line, the first project and pools for this machine."""

    async def run() -> None:
        log = layout.log("bootstrap")
        trouble = "The first user, project and pools could not be created."
        facts = await _run_logged((sys.executable, "-c", MACHINE_FACTS), settings, log, trouble)
        wanted = bootstrap_document(secrets, json.loads(facts))
        command = (sys.executable, "-m", "mlp_core.bootstrap")
        await _run_logged(command, settings, log, trouble, given=json.dumps(wanted))

    return Step(name="bootstrap", run=run, after=("migrate",))


def bootstrap_document(secrets: Secrets, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What `mlp_core.bootstrap` reads."""
    return {
        "admin": {"username": ADMIN, "password": secrets.admin_password},
        "token": secrets.admin_token,
        "project": PROJECT,
        "pools": pools.for_machine(pools.Machine.of(facts)),
    }


async def _run_logged(
    command: Sequence[str], environment: Mapping[str, str], log: Path, trouble: str, *, given: str = ""
) -> str:
    """Run a short command of ours; its errors go to `log`. Returns what it printed.

    Raises:
        StepError: it failed every time. Starts with the sentence `trouble`, ends with the command's last words.
    """
    code = 0
    for _ in range(TRIES):
        code, printed = await _run(command, environment, log, given)
        if code == 0:
            return printed
    words = " ".join(logs.tail(log, 3))[-600:]
    raise StepError(f"{trouble} {words or f'It ended with status {code}.'} See {log}.")


async def _run(command: Sequence[str], environment: Mapping[str, str], log: Path, given: str) -> tuple[int, str]:
    output = logs.open_for_appending(log)
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=output,
            env=dict(environment),
        )
    finally:
        os.close(output)
    try:
        async with asyncio.timeout(COMMAND_SECONDS):
            printed, _ = await process.communicate(given.encode())
    except BaseException:
        # Out of time, or the platform is being stopped: it must not go on behind our back.
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise
    return process.returncode or 0, printed.decode("utf-8", errors="replace")
