"""Which dashboard a person may look at, and the tickets by which their browser asks for its pieces.

A cluster's head is in its tenant's hands, so its pages run apart from the platform's: without an origin, and so without
cookies. What they ask for is proved by a ticket in the address instead, good for this one dashboard and no longer than
the session it was given to.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import Role
from mlp_core.clusters.repository import ClusterRepository
from mlp_core.dashboards import repository
from mlp_core.domain.errors import NotAllowed, NotFound, NotSignedIn
from mlp_core.domain.execution import Dashboard
from mlp_core.jobs.repository import JobRepository
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import Database
from mlp_core.kit.ids import is_id
from mlp_core.kit.sealing import Sealer
from mlp_core.people import tokens
from mlp_core.scope import ProjectScope, Subject, enter_project
from mlp_core.tables import DashboardRow, TokenRow

TICKET_LIFETIME = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ticket proves: that the holder of a token was let in to one dashboard of one project."""

    token_id: str
    project_id: str
    dashboard: str
    expires_at: datetime


def tokens_sealer(secret: str) -> Sealer:
    """Seals Ray's tokens; operator and api hold the same secret."""
    return Sealer(secret, "ray-tokens")


class Dashboards:
    def __init__(self, database: Database, secret: str, clock: Clock) -> None:
        self._database = database
        self._tokens = tokens_sealer(secret)
        self._tickets = Sealer(secret, "dashboard-tickets")
        self._clock = clock

    async def ticket(self, subject: Subject, project: str, cluster: str) -> str:
        """For the dashboard of a named cluster, or of a job's live attempt by the job's id.

        Raises:
            NotFound: no such project, cluster or job that the subject may see, or nothing of it runs.
            NotAllowed: a job asks; dashboards are for people.
        """
        if subject.token_id is None:
            raise NotAllowed("Dashboards are for people.", hint="Use a token of a person.")
        async with self._database.transaction() as session:
            scope = await enter_project(session, subject, project, Role.VIEWER)
            row = await _find(session, scope, cluster)
        ends = self._clock.now() + TICKET_LIFETIME
        proof = [subject.token_id, scope.project_id, row.id, ends.timestamp()]
        return self._tickets.seal(json.dumps(proof).encode())

    def read(self, ticket: str) -> Ticket:
        """
        Raises:
            NotSignedIn: the ticket is none of ours, or too old.
        """
        plain = self._tickets.open(ticket)
        if plain is None:
            raise _no_ticket()
        token_id, project_id, dashboard, ends = json.loads(plain)
        found = Ticket(token_id, project_id, dashboard, datetime.fromtimestamp(ends, self._clock.now().tzinfo))
        if found.expires_at <= self._clock.now():
            raise _no_ticket()
        return found

    async def enter(self, ticket: Ticket, cluster: str) -> Dashboard:
        """The dashboard, if its holder's session still lives and may still see it.

        Raises:
            NotSignedIn: the session has ended.
            NotFound: the person is no member any more, or the cluster is gone.
        """
        async with self._database.transaction() as session:
            holder = await session.get(TokenRow, ticket.token_id)
            found = None if holder is None else await tokens.identify(session, holder.sha256)
            if found is None:
                raise _no_ticket()
            scope = await enter_project(session, found.subject, ticket.project_id, Role.VIEWER)
            row = await _find(session, scope, cluster)
        token = self._tokens.open(row.token)
        if row.id != ticket.dashboard or token is None:
            # Another attempt runs now: its dashboard is asked for anew.
            raise _no_ticket()
        return Dashboard(row.url, token.decode())


async def _find(session: AsyncSession, scope: ProjectScope, cluster: str) -> DashboardRow:
    if is_id(cluster, "job"):
        job = await JobRepository(session).get(scope, cluster)
        shared = job.cluster_id
        row = await (
            repository.of_attempt(session, scope, job.id)
            if shared is None
            else repository.of_cluster(session, scope, shared)
        )
    else:
        found = await ClusterRepository(session).get(scope, cluster)
        row = await repository.of_cluster(session, scope, found.id)
    if row is None:
        raise NotFound(
            "No Ray dashboard answers for this now.", hint="It is there while the cluster runs; look at its phase."
        )
    return row


def _no_ticket() -> NotSignedIn:
    return NotSignedIn("This address of a dashboard is no longer good.", hint="Open the dashboard anew.")
