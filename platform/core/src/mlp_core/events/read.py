"""Event rows → wire."""

from __future__ import annotations

from mlp.schemas.events import EventRead
from mlp_core.tables import EventRow


def read_event(row: EventRow, project: str) -> EventRead:
    """`project` is the slug of the row's project."""
    return EventRead(
        id=row.id,
        project=project,
        resource=row.resource,
        resource_id=row.resource_id,
        resource_name=row.resource_name,
        attempt=row.attempt,
        reason=row.reason,
        message=row.message,
        actor=row.actor,
        at=row.at,
        data=row.data,
    )
