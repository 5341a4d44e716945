"""Whether this process lives, and whether what it needs answers."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import Field

from mlp.schemas.base import Wire
from mlp.schemas.health import Dependency
from mlp_api.deps import PlatformDep
from mlp_api.health_checks import check_all, status_of
from mlp_api.versions import CLIENT_VERSION, SERVER_VERSION

router = APIRouter(tags=["platform"])


class Alive(Wire):
    status: str = Field(examples=["alive"])
    version: str
    client_version: str = Field(description="Of the client that `/client/` serves.")


class Readiness(Wire):
    status: str = Field(description="`ready`, `degraded` (something optional is away) or `unavailable`.")
    dependencies: list[Dependency]


@router.get("/healthz", summary="Is this process alive")
async def healthz() -> Alive:
    """Answers as long as the process can answer at all; asks nobody else."""
    return Alive(status="alive", version=SERVER_VERSION, client_version=CLIENT_VERSION)


@router.get("/readyz", summary="Does everything it needs answer", responses={503: {"model": Readiness}})
async def readyz(platform: PlatformDep, response: Response) -> Readiness:
    """Asks each dependency, at most two seconds each. 503 when one that is required does not answer."""
    found = await check_all(platform)
    status = status_of(found)
    if status == "unavailable":
        response.status_code = 503
    return Readiness(status=status, dependencies=found)
