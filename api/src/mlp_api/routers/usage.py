"""Use of machines over projects, and the platform's own health."""

from __future__ import annotations

import platform as python_platform

from fastapi import APIRouter

from mlp.schemas.health import PlatformHealth, Versions
from mlp.schemas.usage import Nodes, Usage
from mlp_api.deps import AdminDep, PlatformDep, SessionDep, SubjectDep
from mlp_api.health_checks import check_all, status_of
from mlp_api.platform import Platform
from mlp_api.versions import CLIENT_VERSION, SERVER_VERSION
from mlp_core.domain.errors import DomainError
from mlp_core.scope import visible_projects
from mlp_core.usage.health import read_database_versions, read_queues, read_stuck
from mlp_core.usage.read import read_nodes, read_usage

router = APIRouter()


@router.get("/usage", tags=["pools"], summary="Show what is held of each pool")
async def get_usage(subject: SubjectDep, session: SessionDep) -> Usage:
    """Stacked by project; those that the caller cannot see are one nameless part."""
    return await read_usage(session, await visible_projects(session, subject))


@router.get("/nodes", tags=["pools"], summary="List nodes in use")
async def list_nodes(subject: SubjectDep, session: SessionDep, platform: PlatformDep) -> Nodes:
    """CPU, memory and accelerators in use on the nodes of live jobs, at most 1,000, of projects the caller can see."""
    return await read_nodes(session, await visible_projects(session, subject), platform.settings.public_url)


@router.get("/health", tags=["platform"], summary="Show how the platform is")
async def get_health(_admin: AdminDep, platform: PlatformDep) -> PlatformHealth:
    """Dependencies, how late operators and workers are, what is stuck, and versions. For platform admins."""
    dependencies = await check_all(platform)
    mlflow = await _mlflow_version(platform)
    async with platform.database.transaction() as session:
        queues, stuck = await read_queues(session), await read_stuck(session)
        revision, postgres = await read_database_versions(session)
    return PlatformHealth(
        status=status_of(dependencies),
        at=platform.clock.now(),
        dependencies=dependencies,
        queues=queues,
        stuck=stuck,
        versions=Versions(
            server=SERVER_VERSION,
            client=CLIENT_VERSION,
            schema_revision=revision,
            postgres=postgres,
            mlflow=mlflow,
            python=python_platform.python_version(),
        ),
    )


async def _mlflow_version(platform: Platform) -> str | None:
    try:
        info = await platform.mlflow.server_info.get()
    except DomainError:
        return None
    return str(info["version"]) if "version" in info else None
