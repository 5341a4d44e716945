"""Letting go of what is old: logs, artifacts, samples, packages, environments, idempotency keys, done effects.

A package that nothing live uses loses its content first and its row only if no job refers to it, so history stays
readable; running such a job again needs the package uploaded again, which the api says.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.artifacts.keys import artifacts_prefix
from mlp_core.events import service as events
from mlp_core.gateways.objects import ObjectStore
from mlp_core.housekeeping import repository
from mlp_core.housekeeping.objects import ask_to_delete
from mlp_core.housekeeping.repository import OldAttempt, PackageKey
from mlp_core.kit.database import Database
from mlp_core.logs.segments import logs_prefix
from mlp_core.outbox import service as outbox
from mlp_core.packages.keys import package_key, parts_prefix

UNFINISHED_UPLOAD_AGE = timedelta(hours=24)
IDEMPOTENCY_AGE = timedelta(hours=24)
DONE_EFFECT_AGE = timedelta(days=7)
SAMPLE_AGE = timedelta(hours=1)
BATCH = 200
ACTOR = "worker"


async def remove_old_logs(database: Database, keep: timedelta) -> int:
    """Remove logs, artifacts and samples of attempts that ended longer ago than `keep`; of how many attempts."""
    done = 0
    while True:
        async with database.transaction() as session:
            attempts = await repository.lock_attempts_with_old_logs(session, keep, BATCH)
            for attempt in attempts:
                await _remove_log(session, attempt, keep)
        done += len(attempts)
        if len(attempts) < BATCH:
            return done


async def remove_old_packages(database: Database, objects: ObjectStore, keep: timedelta) -> int:
    """Remove what packages hold that nothing live uses, and uploads that were given up; how many packages."""
    async with database.transaction() as session:
        await repository.expire_packages(session, keep, BATCH)
    async with database.transaction() as session:
        keys = await repository.list_unfinished_packages(session, UNFINISHED_UPLOAD_AGE, BATCH)
    done = 0
    for key in keys:
        done += await _empty_package(database, objects, key)
    return done


async def remove_old_environments(database: Database, keep: timedelta) -> int:
    """Remove environments that nothing refers to; how many."""
    async with database.transaction() as session:
        return await repository.delete_environments(session, keep, BATCH)


async def sweep_keys(database: Database) -> None:
    """Forget idempotency keys after a day and effects that were done a week ago."""
    async with database.transaction() as session:
        await repository.delete_idempotency_keys(session, IDEMPOTENCY_AGE)
    async with database.transaction() as session:
        await outbox.forget_done(session, DONE_EFFECT_AGE)


async def roll_up_samples(database: Database) -> None:
    """Replace raw samples older than an hour by one per node and minute.

    Means of what is used (CPU, accelerator), peaks of what runs out (memory): a peak is what explains a kill.
    """
    async with database.transaction() as session:
        await repository.roll_up_samples(session, SAMPLE_AGE)


async def _remove_log(session: AsyncSession, attempt: OldAttempt, keep: timedelta) -> None:
    await repository.delete_log_rows(session, attempt.id)
    await repository.delete_artifact_rows(session, attempt.id)
    await repository.delete_samples(session, attempt.id)
    await ask_to_delete(session, f"logs of {attempt.id}", prefix=logs_prefix(attempt.project_id, attempt.id))
    prefix = artifacts_prefix(attempt.project_id, attempt.id)
    await ask_to_delete(session, f"artifacts of {attempt.id}", prefix=prefix)
    await events.record(
        session,
        project_id=attempt.project_id,
        resource="job",
        resource_id=attempt.job_id,
        resource_name=attempt.job_id,
        reason="LogsRemoved",
        message=f"Log and artifacts of attempt {attempt.number} were removed: they are kept for {keep.days} days.",
        actor=ACTOR,
        attempt=attempt.number,
    )


async def _empty_package(database: Database, objects: ObjectStore, key: PackageKey) -> bool:
    """Remove content and parts while the row is held, so that no upload can begin in between."""
    async with database.transaction() as session:
        if not await repository.lock_unfinished_package(session, key, UNFINISHED_UPLOAD_AGE):
            return False
        await objects.delete(package_key(key.project_id, key.digest))
        await objects.delete_prefix(parts_prefix(key.project_id, key.digest))
        await repository.forget_package(session, key)
    return True
