"""`mlp-worker` with effects of the tests beside its own: `python -m support.worker_main`.

`test.effect` waits, then hands its key to a receiver that takes each key once, as an outside system behind an
idempotency key does, and counts how often it was asked.
"""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy import text

from mlp_core.kit.logs import configure_logs
from mlp_core.outbox.service import Claim
from mlp_core.settings import Settings
from mlp_worker.context import Context
from mlp_worker.effects import EFFECTS, Effect
from mlp_worker.main import run

CLAIM_SECONDS = 4.0
RECEIVER = "CREATE TABLE IF NOT EXISTS receiver (key text PRIMARY KEY, asked int NOT NULL DEFAULT 1)"


async def effect(context: Context, claim: Claim) -> None:
    async with context.database.transaction() as session:
        await session.execute(
            text("INSERT INTO started (key, worker) VALUES (:key, :worker)"), {"key": claim.key, "worker": context.name}
        )
    await asyncio.sleep(claim.payload["seconds"])
    if claim.payload.get("fails", 0) >= claim.tries:
        raise RuntimeError("not yet")
    async with context.database.transaction() as session:
        await session.execute(
            text("INSERT INTO receiver (key) VALUES (:key) ON CONFLICT (key) DO UPDATE SET asked = receiver.asked + 1"),
            {"key": claim.key},
        )


def main() -> None:
    settings = Settings()  # pyright: ignore[reportCallIssue] (filled from the environment)
    configure_logs(settings.log_format, "worker")
    sys.exit(run(settings, {**EFFECTS, "test.effect": Effect(effect)}, CLAIM_SECONDS))


if __name__ == "__main__":
    main()
