"""Every kind of effect that the outbox may hold, and what carries it out.

An effect may run twice, at the same time or after a crash at any point, and must have done its work once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from mlp_core.artifacts import log_to_run
from mlp_core.housekeeping import compaction, objects, purging, retention
from mlp_core.outbox import service as outbox
from mlp_core.outbox.service import Claim
from mlp_core.tracking import closing, repair
from mlp_worker.context import Context

FOR_A_DAY = 160
"""Tries that the growing pauses stretch over more than a day: for what only waits for a neighbour to come back."""
COMPACT_AFTER_SECONDS = 60.0
"""People read a log most right after its end; until then its segments stay as they are."""


@dataclass(frozen=True, slots=True)
class Effect:
    run: Callable[[Context, Claim], Awaitable[object]]
    max_tries: int = outbox.MAX_TRIES
    deadline_seconds: float = 600.0


async def attempt_ended(context: Context, claim: Claim) -> None:
    """Close the attempt's run; have its log merged a little later."""
    await closing.close_attempt(context.database, context.mlflow, claim.key)
    async with context.database.transaction() as session:
        await outbox.enqueue(session, compaction.COMPACT, claim.key, due_in=COMPACT_AFTER_SECONDS)


async def job_ended(context: Context, claim: Claim) -> None:
    await closing.close_job(context.database, context.mlflow, claim.key)


async def ensure_workspace(context: Context, claim: Claim) -> None:
    await closing.ensure_workspace(context.database, context.mlflow, claim.key)


async def compact_log(context: Context, claim: Claim) -> None:
    await compaction.compact(context.database, context.objects, claim.key)


async def log_artifact(context: Context, claim: Claim) -> None:
    await log_to_run.log(context.database, context.objects, context.mlflow, claim.key, claim.payload)


async def delete_objects(context: Context, claim: Claim) -> None:
    await objects.delete(context.objects, claim.payload)


async def retain_logs(context: Context, _claim: Claim) -> None:
    await retention.remove_old_logs(context.database, timedelta(days=context.settings.log_retention_days))


async def retain_packages(context: Context, _claim: Claim) -> None:
    keep = timedelta(days=context.settings.package_retention_days)
    await retention.remove_old_packages(context.database, context.objects, keep)


async def retain_environments(context: Context, _claim: Claim) -> None:
    keep = timedelta(days=context.settings.environment_retention_days)
    await retention.remove_old_environments(context.database, keep)


async def ask_for_purges(context: Context, _claim: Claim) -> None:
    async with context.database.transaction() as session:
        await purging.ask_for_deleted(session, _purge_grace(context))


async def purge_project(context: Context, claim: Claim) -> None:
    await purging.purge(context.database, context.objects, context.mlflow, claim.key, _purge_grace(context))


def _purge_grace(context: Context) -> timedelta:
    return timedelta(days=context.settings.project_purge_days)


async def sweep_keys(context: Context, _claim: Claim) -> None:
    await retention.sweep_keys(context.database)


async def roll_up_samples(context: Context, _claim: Claim) -> None:
    await retention.roll_up_samples(context.database)


async def repair_tracking(context: Context, _claim: Claim) -> None:
    async with context.database.transaction() as session:
        await repair.ask_for_missing(session)


EFFECTS: Mapping[str, Effect] = {
    closing.ATTEMPT_ENDED: Effect(attempt_ended, FOR_A_DAY),
    closing.JOB_ENDED: Effect(job_ended, FOR_A_DAY),
    closing.ENSURE_WORKSPACE: Effect(ensure_workspace, FOR_A_DAY),
    compaction.COMPACT: Effect(compact_log, FOR_A_DAY),
    log_to_run.LOG_ARTIFACT: Effect(log_artifact, FOR_A_DAY, deadline_seconds=2 * 3600.0),
    objects.DELETE_OBJECTS: Effect(delete_objects, FOR_A_DAY),
    "logs.retain": Effect(retain_logs),
    "packages.retain": Effect(retain_packages),
    "environments.retain": Effect(retain_environments),
    "projects.purge": Effect(ask_for_purges),
    purging.PURGE: Effect(purge_project, FOR_A_DAY, deadline_seconds=6 * 3600.0),
    "keys.sweep": Effect(sweep_keys),
    "samples.roll_up": Effect(roll_up_samples),
    "tracking.repair": Effect(repair_tracking),
}
