"""What happens by the clock. Beat only asks the outbox; the slot in the key makes each happening one, whoever asks.

Slots are cut by the database's clock. Beat looks twice per slot, so that none is passed over, and it asks Postgres
directly: a schedule does not stop because the broker does.
"""

# celery ships no types: what is taken from it is "partially unknown".
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, cast

import structlog
from celery.beat import Scheduler
from sqlalchemy import text

from mlp_core.outbox import service as outbox
from mlp_worker.context import Context

log = structlog.get_logger(__name__)

EVERY: Mapping[str, timedelta] = {
    "tracking.repair": timedelta(minutes=1),
    "samples.roll_up": timedelta(minutes=10),
    "logs.retain": timedelta(hours=1),
    "packages.retain": timedelta(hours=1),
    "environments.retain": timedelta(hours=1),
    "projects.purge": timedelta(hours=1),
    "keys.sweep": timedelta(hours=1),
}
LOOKS_PER_SLOT = 2
_SLOT = text("SELECT floor(extract(epoch FROM now()) / :seconds)::bigint")

Ask = Callable[[str], None]
"""Asks for the current slot of a kind; called in beat's thread."""


def beat_schedule() -> dict[str, dict[str, Any]]:
    """The schedule in Celery's form."""
    return {
        kind: {"task": kind, "schedule": interval / LOOKS_PER_SLOT, "relative": False}
        for kind, interval in EVERY.items()
    }


async def ask_for_slot(context: Context, kind: str) -> bool:
    """Ask for the effect of the slot that it is now. Whether nobody had asked before."""
    async with context.database.transaction() as session:
        seconds = EVERY[kind].total_seconds()
        slot = await session.scalar(_SLOT, {"seconds": seconds})
        return await outbox.enqueue_once(session, kind, f"slot {slot}")


def scheduler_that(ask: Ask) -> type[Scheduler]:
    """A beat scheduler that asks instead of sending messages, and does not wait for a broker."""

    class OutboxScheduler(Scheduler):
        producer = None  # pyright: ignore[reportAssignmentType] (Celery's own connects, and waits for the broker)

        def setup_schedule(self) -> None:
            super().setup_schedule()
            for entry in cast("dict[str, Any]", self.schedule).values():
                # Look at once after a start: a worker that restarts often must not put its schedule off for ever.
                entry.last_run_at = entry.default_now() - entry.schedule.run_every

        def apply_entry(self, entry: Any, producer: object = None) -> None:
            ask(entry.task)

        def install_default_entries(self, data: object) -> None:
            """Celery's own clean-up of results: there are none."""

    return OutboxScheduler
