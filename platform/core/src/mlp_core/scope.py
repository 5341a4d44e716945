"""Who asks, and which rows they may see. The only module that filters by tenant.

A `Subject` is authenticated; a `ProjectScope` has passed the door of one project. Repositories take scopes,
never bare project ids, and call `limit`; an architecture test forbids hand-written tenant filters elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeVarTuple

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp.schemas.phases import Role
from mlp_core.domain.errors import NotAllowed, NotFound
from mlp_core.domain.ids import AttemptId, JobId, ProjectId, TokenId
from mlp_core.tables import MemberRow, ProjectRow

Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, slots=True)
class Subject:
    """An authenticated caller: a user by token, or a job by its job token."""

    kind: Literal["user", "job"]
    id: str
    """User id, or the job's id."""
    name: str
    """For events and lists: the username, or `job <id>`."""
    is_admin: bool = False
    token_id: TokenId | None = None
    only_project: ProjectId | None = None
    """Set for job tokens and for user tokens limited to one project."""
    attempt_id: AttemptId | None = None
    job_id: JobId | None = None


@dataclass(frozen=True, slots=True)
class ProjectScope:
    """One project, and what the subject may do in it. Made only by `enter_project`."""

    project_id: ProjectId
    slug: str
    subject: Subject
    role: Role

    def limit(self, statement: Select[*Ts], column: InstrumentedAttribute[str]) -> Select[*Ts]:
        """Only rows of this project."""
        return statement.where(column == self.project_id)


@dataclass(frozen=True, slots=True)
class SubjectScope:
    """All projects a subject may see at once, for lists and streams across projects."""

    subject: Subject
    project_ids: frozenset[ProjectId]

    def limit(self, statement: Select[*Ts], column: InstrumentedAttribute[str]) -> Select[*Ts]:
        return statement.where(column.in_(self.project_ids))


JOB_ROLE = Role.EDITOR
"""A job acts in its own project as an editor: it may submit further jobs, never change members."""


async def enter_project(session: AsyncSession, subject: Subject, project: str, needs: Role) -> ProjectScope:
    """Let `subject` into the project named `project` (slug or id).

    Raises:
        NotFound: it does not exist, or the subject is no member: the two cannot be told apart.
        NotAllowed: a member whose role is below `needs`.
    """
    row = await _find_project(session, project)
    role = None if row is None else await _role_in(session, subject, ProjectId(row.id))
    if row is None or role is None:
        raise NotFound.of("project", project, "See `mlp project list` for the projects you can use.")
    if role.rank < needs.rank:
        raise NotAllowed(
            f"This needs the role {needs} in project '{row.slug}'; yours is {role}.",
            hint=f"Ask an owner of '{row.slug}' for the role {needs}.",
        )
    return ProjectScope(ProjectId(row.id), row.slug, subject, role)


async def visible_projects(session: AsyncSession, subject: Subject) -> SubjectScope:
    """Every project the subject is a member of; all of them for a platform admin."""
    statement = select(ProjectRow.id).where(ProjectRow.deleted_at.is_(None))
    if subject.only_project is not None:
        statement = statement.where(ProjectRow.id == subject.only_project)
    if subject.kind == "user" and not subject.is_admin:
        statement = statement.join(MemberRow, MemberRow.project_id == ProjectRow.id).where(
            MemberRow.user_id == subject.id
        )
    ids = (await session.scalars(statement)).all()
    return SubjectScope(subject, frozenset(ProjectId(id_) for id_ in ids))


def among(subject: Subject, project_ids: Iterable[str]) -> SubjectScope:
    """Only these projects, which passed the door before: for reading more about rows that `subject` was given."""
    return SubjectScope(subject, frozenset(ProjectId(id_) for id_ in project_ids))


def require_admin(subject: Subject) -> None:
    """Platform-wide settings belong to platform admins; a token limited to a project is none."""
    if not subject.is_admin or subject.only_project is not None:
        raise NotAllowed("This needs a platform admin.", hint="Ask an administrator of the platform.")


async def _find_project(session: AsyncSession, project: str) -> ProjectRow | None:
    column = ProjectRow.id if project.startswith("prj_") else ProjectRow.slug
    return await session.scalar(select(ProjectRow).where(column == project, ProjectRow.deleted_at.is_(None)))


async def _role_in(session: AsyncSession, subject: Subject, project_id: ProjectId) -> Role | None:
    if subject.only_project is not None and subject.only_project != project_id:
        return None
    if subject.kind == "job":
        return JOB_ROLE
    if subject.is_admin:
        return Role.OWNER
    statement = select(MemberRow.role).where(MemberRow.project_id == project_id, MemberRow.user_id == subject.id)
    role = await session.scalar(statement)
    return None if role is None else Role(role)
