"""The attempt as a fence: what belongs to an attempt is written only while it lives."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.domain.errors import AttemptOver
from mlp_core.tables import AttemptRow


async def hold_live_attempt(session: AsyncSession, attempt_id: str, *, alone: bool = False) -> None:
    """Keep the attempt from ending until this transaction does; `alone`, no other may hold it meanwhile.

    Raises:
        AttemptOver: it has ended already.
    """
    statement = select(AttemptRow.id).where(AttemptRow.id == attempt_id, AttemptRow.ended_at.is_(None))
    if await session.scalar(statement.with_for_update(read=not alone, key_share=alone)) is None:
        raise AttemptOver("The attempt has ended; nothing more is taken from it.")
