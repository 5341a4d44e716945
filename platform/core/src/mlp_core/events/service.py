"""Writing events. Every change of a resource that a person may ask about has one."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.domain.ids import ProjectId
from mlp_core.gateways.live import project_channel
from mlp_core.kit.database import wake_after_commit
from mlp_core.kit.ids import new_id
from mlp_core.tables import EventRow
from mlp_core.tables.base import Json


async def record(  # noqa: PLR0913 - an event has that many facts, all by keyword
    session: AsyncSession,
    *,
    project_id: ProjectId | str,
    resource: str,
    resource_id: str,
    resource_name: str,
    reason: str,
    message: str,
    actor: str,
    attempt: int | None = None,
    data: Json | None = None,
) -> None:
    """Write one event and wake the readers of its project after the commit.

    `reason` is CamelCase and stable; `message` a sentence; `actor` who or what did it (a username, `operator`, ...).
    """
    session.add(
        EventRow(
            id=new_id("event"),
            project_id=project_id,
            resource=resource,
            resource_id=resource_id,
            resource_name=resource_name,
            attempt=attempt,
            reason=reason,
            message=message,
            actor=actor,
            data=data or {},
        )
    )
    await session.flush()
    wake_after_commit(session, project_channel(project_id))
