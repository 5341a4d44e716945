"""Removing what a deleted project has left: its MLflow workspace, its objects, its rows, and last of all itself.

Each step can be repeated and the project's row goes last, so whoever is killed in the middle is followed by somebody
who finds the rest. Nothing comes after it: a deleted project is entered by nobody, and nothing of it runs.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.gateways.mlflow import Mlflow
from mlp_core.gateways.objects import ObjectStore
from mlp_core.housekeeping import purge_repository as repository
from mlp_core.kit.database import Database
from mlp_core.outbox import service as outbox

PURGE = "project.purge"
PREFIXES = ("packages", "logs", "results", "artifacts")
"""Rooms of the object store; in each, a project's objects are below its id."""
BATCH = 1000
PROJECTS_AT_ONCE = 20


async def ask_for_deleted(session: AsyncSession, grace: timedelta) -> None:
    """Have projects purged that were deleted longer ago than `grace`."""
    for project_id in await repository.list_deleted(session, grace, PROJECTS_AT_ONCE):
        await outbox.enqueue(session, PURGE, project_id)


async def purge(
    database: Database, objects: ObjectStore, mlflow: Mlflow, project_id: str, grace: timedelta, batch: int = BATCH
) -> bool:
    """Remove everything of the project. False, with nothing touched, where it is gone, alive, or still waits.

    Raises:
        Unavailable: MLflow or the object store did not answer; the rest is left for the next try.
    """
    async with database.transaction() as session:
        if not await repository.is_past(session, project_id, grace):
            return False
    await mlflow.workspaces.remove(project_id)
    for room in PREFIXES:
        await objects.delete_prefix(f"{room}/{project_id}/")
    for table in repository.CHILDREN_FIRST:
        removed = batch
        while removed == batch:
            async with database.transaction() as session:
                removed = await repository.delete_some(session, table, project_id, batch)
    async with database.transaction() as session:
        await repository.delete_project(session, project_id)
    return True
