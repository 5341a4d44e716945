"""What people can do with projects and their members."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import Role
from mlp.schemas.projects import ProjectCreate, ProjectPatch
from mlp_core.domain.admission import over_limits
from mlp_core.domain.errors import NameTaken, NotFound, StillInUse
from mlp_core.domain.ids import ProjectId
from mlp_core.events import service as events
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import notify_due
from mlp_core.kit.ids import new_id
from mlp_core.kit.pages import PageRequest, Slice
from mlp_core.outbox import service as outbox
from mlp_core.people import repository as people
from mlp_core.projects import guarantees, repository
from mlp_core.scheduling.snapshot import limits_of, load_snapshot
from mlp_core.scope import ProjectScope, Subject, SubjectScope, require_admin
from mlp_core.tables import MemberRow, ProjectRow, TeamRow, UserRow
from mlp_core.tracking.closing import ENSURE_WORKSPACE

DEFAULT_TEAM = "default"


class Projects:
    """Projects as tenants: made by platform admins, kept by their owners."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    async def create(self, by: Subject, wanted: ProjectCreate) -> ProjectRow:
        """Make a project with `by` as its first owner.

        Raises:
            NotAllowed: `by` is no platform admin.
            NameTaken: a project that is not deleted has this name.
            NotFound: there is no such team.
            Invalid: what it is to be guaranteed is not there to give.
        """
        require_admin(by)
        await guarantees.require_free(self._session, wanted.guarantees, project_id=None)
        row = ProjectRow(
            id=new_id("project"),
            slug=wanted.name,
            description=wanted.description,
            team_id=await self._team(wanted.team),
            limits=wanted.limits.model_dump(exclude_none=True),
            guarantees=guarantees.stored(wanted.guarantees),
            version=1,
            created_at=self._clock.now(),
        )
        try:
            async with self._session.begin_nested():
                self._session.add(row)
        except IntegrityError as error:
            raise NameTaken(f"There is a project '{wanted.name}' already.", fields={"name": "is taken"}) from error
        self._add_member(row.id, by.id, Role.OWNER)
        await self._session.flush()
        await outbox.enqueue(self._session, ENSURE_WORKSPACE, row.id, {"slug": row.slug})
        await self._note(row, "Created", f"{by.name} made the project.", by)
        return row

    async def page(self, scope: SubjectScope, page: PageRequest) -> Slice[ProjectRow]:
        return await repository.page_of_projects(self._session, scope, page)

    async def get(self, scope: ProjectScope) -> ProjectRow:
        return await repository.get_project(self._session, scope)

    async def lock(self, scope: ProjectScope) -> ProjectRow:
        """The project, held until the transaction ends: for changes that others must not overtake."""
        return await repository.get_project(self._session, scope, lock=True)

    async def change(self, scope: ProjectScope, row: ProjectRow, patch: ProjectPatch) -> ProjectRow:
        """Change a project that `lock` returned.

        Raises:
            NotAllowed: limits are set by platform admins; an owner could lift their own otherwise.
            Invalid: what it is to be guaranteed is not there to give.
        """
        if patch.limits is not None:
            require_admin(scope.subject)
            row.limits = patch.limits.model_dump(exclude_none=True)
        if patch.guarantees is not None:
            require_admin(scope.subject)
            await guarantees.require_free(self._session, patch.guarantees, project_id=row.id)
            row.guarantees = guarantees.stored(patch.guarantees)
        if patch.description is not None:
            row.description = patch.description
        row.version += 1
        await self._session.flush()
        if patch.limits is not None or patch.guarantees is not None:
            # A waiting job may start now.
            await notify_due(self._session)
        await self._note(row, "Changed", f"{scope.subject.name} changed the project.", scope.subject)
        if patch.limits is not None:
            await self._note_what_is_beyond(row, scope.subject)
        return row

    async def delete(self, scope: ProjectScope, row: ProjectRow) -> None:
        """Hide a project that `lock` returned, for everyone and at once.

        Raises:
            StillInUse: jobs or clusters of it have not ended.
        """
        jobs = (await repository.live_jobs(self._session, scope)).get(row.id, 0)
        clusters = await repository.live_clusters(self._session, scope)
        if jobs or clusters:
            raise StillInUse(
                f"Project '{row.slug}' still has {jobs} unfinished jobs and {clusters} running clusters.",
                hint="Cancel the jobs and stop the clusters first.",
                data={"jobs": jobs, "clusters": clusters},
            )
        row.deleted_at = self._clock.now()
        row.version += 1
        await self._session.flush()
        await self._note(row, "Deleted", f"{scope.subject.name} deleted the project.", scope.subject)

    async def members(self, scope: ProjectScope, page: PageRequest) -> Slice[tuple[MemberRow, UserRow]]:
        return await repository.page_of_members(self._session, scope, page)

    async def put_member(self, scope: ProjectScope, user: str, role: Role) -> tuple[MemberRow, UserRow]:
        """Give `user` this role, whatever theirs was.

        Raises:
            NotFound: there is no such user.
            StillInUse: it would take the project's last owner away.
        """
        project = await self.lock(scope)
        account = await self._user(user)
        member = await repository.find_member(self._session, scope, account.id)
        if member is None:
            member = self._add_member(scope.project_id, account.id, role)
        elif member.role != role.value:
            await self._require_another_owner(scope, member, account)
            member.role = role.value
        else:
            return member, account
        await self._session.flush()
        await self._note(project, "MemberSet", f"{scope.subject.name} made {account.username} {role}.", scope.subject)
        return member, account

    async def remove_member(self, scope: ProjectScope, user: str) -> None:
        """
        Raises:
            NotFound: there is no such member.
            StillInUse: it is the project's last owner.
        """
        project = await self.lock(scope)
        account = await people.find_user(self._session, user)
        member = account and await repository.find_member(self._session, scope, account.id)
        if account is None or member is None:
            raise NotFound.of("member", user, f"See `mlp project members {scope.slug}`.")
        await self._require_another_owner(scope, member, account)
        await self._session.delete(member)
        await self._session.flush()
        await self._note(project, "MemberRemoved", f"{scope.subject.name} removed {account.username}.", scope.subject)

    async def ensure_default_team(self) -> TeamRow:
        team = await repository.find_team(self._session, DEFAULT_TEAM)
        if team is None:
            team = TeamRow(id=new_id("team"), name=DEFAULT_TEAM)
            self._session.add(team)
            await self._session.flush()
        return team

    async def _team(self, name: str | None) -> str:
        if name is None or name == DEFAULT_TEAM:
            return (await self.ensure_default_team()).id
        team = await repository.find_team(self._session, name)
        if team is None:
            raise NotFound.of("team", name)
        return team.id

    async def _user(self, user: str) -> UserRow:
        account = await people.find_user(self._session, user)
        if account is None:
            raise NotFound.of("user", user, "Ask a platform admin to make the account first.")
        return account

    async def _require_another_owner(self, scope: ProjectScope, member: MemberRow, account: UserRow) -> None:
        owners = await repository.owners(self._session, scope)
        if member.role == Role.OWNER.value and list(owners) == [member.user_id]:
            raise StillInUse(
                f"{account.username} is the last owner of '{scope.slug}'.", hint="Make somebody else an owner first."
            )

    def _add_member(self, project_id: str, user_id: str, role: Role) -> MemberRow:
        member = MemberRow(
            project_id=ProjectId(project_id), user_id=user_id, role=role.value, created_at=self._clock.now()
        )
        self._session.add(member)
        return member

    async def _note_what_is_beyond(self, row: ProjectRow, by: Subject) -> None:
        """Limits below what runs end nothing; so that nobody wonders why then nothing starts, it is written down."""
        over = over_limits(row.id, (await load_snapshot(self._session)).holding, limits_of(row.limits))
        if over is not None:
            text = f"The new limits are below what runs: {over}. It goes on, and nothing new starts until enough ended."
            await self._note(row, "LimitsBelowUse", text, by)

    async def _note(self, row: ProjectRow, reason: str, message: str, by: Subject) -> None:
        await events.record(
            self._session,
            project_id=row.id,
            resource="project",
            resource_id=row.id,
            resource_name=row.slug,
            reason=reason,
            message=message,
            actor=by.name,
        )
