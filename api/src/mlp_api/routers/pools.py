"""Pools: kinds of machine. Everyone sees them; platform admins keep them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Response

from mlp.schemas.base import Page
from mlp.schemas.pools import PoolCreate, PoolPatch, PoolRead, PoolUse
from mlp_api.deps import AdminDep, IfMatch, PagingDep, PlatformDep, SessionDep, SubjectDep
from mlp_api.idempotency import Once, PlatformRoute
from mlp_api.problems import problems
from mlp_core.domain.errors import (
    IdempotencyMismatch,
    Invalid,
    NameTaken,
    NotFound,
    StillInUse,
    VersionConflict,
)
from mlp_core.pools import read
from mlp_core.pools.service import Pools

router = APIRouter(prefix="/pools", tags=["pools"], route_class=PlatformRoute)

PoolName = Annotated[str, Path(description="Name or id of the pool.", min_length=1, max_length=64)]


async def get_pools(session: SessionDep, platform: PlatformDep) -> Pools:
    return Pools(session, platform.clock)


PoolsDep = Annotated[Pools, Depends(get_pools)]


@router.get("", summary="List pools", responses=problems(Invalid))
async def list_pools(_subject: SubjectDep, session: SessionDep, pools: PoolsDep, paging: PagingDep) -> Page[PoolRead]:
    """All pools by name, with what is in use of each now."""
    found = await pools.page(paging.request)
    return paging.answer(found, await read.read_pools(session, found.rows))


@router.post(
    "",
    status_code=201,
    summary="Make a pool",
    responses=problems(NameTaken, IdempotencyMismatch, Invalid),
)
async def create_pool(
    wanted: Annotated[
        PoolCreate,
        Body(
            openapi_examples={
                "gpu": {"value": {"name": "a100", "cpu": 32, "memory": "256Gi", "gpu": 4, "accelerator": "nvidia-a100"}}
            }
        ),
    ],
    _admin: AdminDep,
    pools: PoolsDep,
    response: Response,
    _once: Once,
) -> PoolRead:
    """For platform admins. One pool with and one without accelerators can be the default."""
    row = await pools.create(wanted)
    response.headers["ETag"] = read.pool_etag(row)
    return read.read_pool(row, PoolUse())


@router.get("/{pool}", summary="Show a pool", responses=problems(NotFound))
async def get_pool(
    pool: PoolName, _subject: SubjectDep, session: SessionDep, pools: PoolsDep, response: Response
) -> PoolRead:
    """Its shape, its price, and what is in use of it now."""
    row = await pools.get(pool)
    response.headers["ETag"] = read.pool_etag(row)
    return (await read.read_pools(session, [row]))[0]


@router.patch("/{pool}", summary="Change a pool", responses=problems(VersionConflict, NotFound, Invalid))
async def change_pool(
    pool: PoolName,
    patch: PoolPatch,
    _admin: AdminDep,
    session: SessionDep,
    pools: PoolsDep,
    precondition: IfMatch,
    response: Response,
) -> PoolRead:
    """For platform admins. What runs there goes on, also in a pool that became smaller."""
    row = await pools.get(pool, lock=True)
    precondition.require(read.pool_etag(row))
    row = await pools.change(row, patch)
    response.headers["ETag"] = read.pool_etag(row)
    return (await read.read_pools(session, [row]))[0]


@router.delete("/{pool}", status_code=204, summary="Delete a pool", responses=problems(StillInUse, VersionConflict))
async def delete_pool(pool: PoolName, _admin: AdminDep, pools: PoolsDep, precondition: IfMatch) -> None:
    """For platform admins. Refused while unfinished jobs or clusters use it."""
    row = await pools.get(pool, lock=True)
    precondition.require(read.pool_etag(row))
    await pools.delete(row)
