"""Pools: kinds of machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlp._lazy import read, read_page
from mlp.client.call import Call, params, path, wire

if TYPE_CHECKING:
    from mlp.schemas.base import Page
    from mlp.schemas.pools import PoolCreate, PoolPatch, PoolRead


def list_pools(*, limit: int | None = None) -> Call[Page[PoolRead]]:
    return Call("GET", path("pools"), read_page("pools.PoolRead"), params(limit=limit))


def get(pool: str) -> Call[PoolRead]:
    return Call("GET", path("pools", pool), read("pools.PoolRead"))


def create(wanted: PoolCreate) -> Call[PoolRead]:
    return Call("POST", path("pools"), read("pools.PoolRead"), json=wire(wanted))


def change(pool: str, wanted: PoolPatch, etag: str) -> Call[PoolRead]:
    return Call("PATCH", path("pools", pool), read("pools.PoolRead"), json=wire(wanted), headers={"If-Match": etag})


def delete(pool: str, etag: str) -> Call[None]:
    return Call("DELETE", path("pools", pool), headers={"If-Match": etag})
