"""What people can do with named clusters."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.clusters import ClusterCreate, ClusterRead
from mlp.schemas.phases import ClusterPhase
from mlp.schemas.resources import Resources
from mlp_core.clusters.repository import ClusterRepository
from mlp_core.domain.admission import demands_of, require_fit, with_pools
from mlp_core.domain.errors import NameTaken
from mlp_core.events.service import record
from mlp_core.kit.database import notify_due
from mlp_core.kit.etags import etag_of
from mlp_core.scheduling.places import place_of
from mlp_core.scheduling.snapshot import limits_of, load_pools
from mlp_core.scope import ProjectScope
from mlp_core.tables import ClusterRow, ProjectRow


class Clusters:
    """Use cases of named clusters, inside the caller's transaction."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self.repository = ClusterRepository(session)

    async def create(self, scope: ProjectScope, wanted: ClusterCreate) -> ClusterRow:
        """Ask for a cluster. It starts when quota allows and stays until it is stopped.

        Raises:
            CanNeverFit: no pool could hold it even when empty; carries the largest that could.
            NameTaken: the project has a cluster of that name that has not ended.
        """
        pools = await load_pools(self._session)
        resources = with_pools(wanted.resources, pools)
        gang = demands_of(resources, pools)
        limits = await self._session.scalar(scope.limit(select(ProjectRow.limits), ProjectRow.id))
        require_fit(gang, pools, limits_of(limits or {}))
        row = await self.repository.create(
            scope,
            name=wanted.name,
            spec=resources.model_dump(mode="json"),
            nodes_wanted=sum(demand.count for demand in gang),
        )
        if row is None:
            raise NameTaken(
                f"A cluster '{wanted.name}' is there already.",
                hint="Choose another name, or stop that one first.",
                fields={"name": "is taken"},
            )
        await self._record(scope, row, "Requested", f"Requested by {scope.subject.name}.")
        await notify_due(self._session)
        return row

    async def stop(self, scope: ProjectScope, cluster: str) -> ClusterRow:
        """Ask a cluster to end. Asking again, or asking one that has ended, changes nothing."""
        row = await self.repository.get(scope, cluster, lock=True)
        if row.ended_at is not None or row.stop_requested_at is not None:
            return row
        now = await self._session.scalar(select(func.now()))
        row.stop_requested_at = now
        row.stop_requested_by = scope.subject.name
        row.generation += 1
        row.due_at = now
        await self._record(scope, row, "StopRequested", f"{scope.subject.name} asked it to stop.")
        await notify_due(self._session)
        return row

    async def _record(self, scope: ProjectScope, row: ClusterRow, reason: str, message: str) -> None:
        await record(
            self._session,
            project_id=scope.project_id,
            resource="cluster",
            resource_id=row.id,
            resource_name=row.name,
            reason=reason,
            message=message,
            actor=scope.subject.name,
        )


def read_cluster(row: ClusterRow, project: str, public_url: str, running_jobs: int) -> ClusterRead:
    read = ClusterRead(
        id=row.id,
        project=project,
        name=row.name,
        phase=ClusterPhase(row.phase),
        reason=row.reason,
        message=row.message,
        queue=place_of(row),
        nodes_ready=row.nodes_ready,
        nodes_wanted=row.nodes_wanted,
        resources=Resources.model_validate(row.spec),
        created_by=row.created_by,
        created_at=row.created_at,
        phase_since=row.phase_since,
        ready_at=row.ready_at,
        ended_at=row.ended_at,
        etag="",
        url=f"{public_url.rstrip('/')}/api/v1/projects/{project}/clusters/{row.id}",
        running_jobs=running_jobs,
    )
    return read.model_copy(update={"etag": etag_of(read, row.generation)})
