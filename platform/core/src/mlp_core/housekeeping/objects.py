"""Removing objects for certain: asked for in the transaction that no longer needs them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.gateways.objects import ObjectStore
from mlp_core.outbox import service as outbox
from mlp_core.tables.base import Json

DELETE_OBJECTS = "objects.delete"


async def ask_to_delete(
    session: AsyncSession, name: str, *, keys: Sequence[str] = (), prefix: str | None = None, due_in: float = 0
) -> None:
    """Have objects removed `due_in` seconds after this transaction. `name` tells this removal from others."""
    await outbox.enqueue(session, DELETE_OBJECTS, name, {"keys": list(keys), "prefix": prefix}, due_in)


async def delete(objects: ObjectStore, payload: Json) -> None:
    """Carry a removal out. What is gone already is no error."""
    await objects.delete(*payload["keys"])
    if payload["prefix"]:
        await objects.delete_prefix(payload["prefix"])
