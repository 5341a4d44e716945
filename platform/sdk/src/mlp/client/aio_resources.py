"""What an asynchronous client can do with everything but jobs; `resources` is its twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mlp.client import flows
from mlp.client.async_session import AsyncSession
from mlp.client.calls import account, clusters, environments, packages, pools, projects

if TYPE_CHECKING:
    from mlp.schemas.clusters import ClusterCreate, ClusterRead
    from mlp.schemas.environments import EnvironmentCreate, EnvironmentRead
    from mlp.schemas.packages import PackageRead, PackageShow
    from mlp.schemas.pools import PoolCreate, PoolPatch, PoolRead
    from mlp.schemas.projects import (
        MemberRead,
        ProjectCreate,
        ProjectPatch,
        ProjectRead,
        TokenCreate,
        TokenCreated,
        TokenRead,
        UserRead,
    )


class AsyncInProject(Protocol):
    """What project-bound resources need of their client."""

    session: AsyncSession

    @property
    def project(self) -> str: ...


class AsyncProjects:
    """Projects and who is in them."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def list(self) -> AsyncIterator[ProjectRead]:
        return self._session.rows(projects.list_projects())

    async def get(self, project: str) -> ProjectRead:
        return await self._session.send(projects.get(project))

    async def create(self, wanted: ProjectCreate) -> ProjectRead:
        return await self._session.send(projects.create(wanted))

    async def change(self, project: ProjectRead, wanted: ProjectPatch) -> ProjectRead:
        """Change a project as it was read; `Stale` where it changed meanwhile."""
        return await self._session.send(projects.change(project.name, wanted, project.etag))

    async def delete(self, project: ProjectRead) -> None:
        await self._session.send(projects.delete(project.name, project.etag))

    def members(self, project: str) -> AsyncIterator[MemberRead]:
        return self._session.rows(projects.list_members(project))

    async def put_member(self, project: str, user: str, role: str) -> MemberRead:
        """Add a member, or give them another role: owner, editor or viewer."""
        return await self._session.send(projects.put_member(project, user, role))

    async def remove_member(self, project: str, user: str) -> None:
        await self._session.send(projects.remove_member(project, user))


class AsyncPools:
    """Kinds of machine. Changing them is for platform admins."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def list(self) -> AsyncIterator[PoolRead]:
        return self._session.rows(pools.list_pools())

    async def get(self, pool: str) -> PoolRead:
        return await self._session.send(pools.get(pool))

    async def create(self, wanted: PoolCreate) -> PoolRead:
        return await self._session.send(pools.create(wanted))

    async def change(self, pool: PoolRead, wanted: PoolPatch) -> PoolRead:
        return await self._session.send(pools.change(pool.name, wanted, pool.etag))

    async def delete(self, pool: PoolRead) -> None:
        await self._session.send(pools.delete(pool.name, pool.etag))


class AsyncTokens:
    """The caller's own tokens."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def list(self) -> AsyncIterator[TokenRead]:
        return self._session.rows(account.list_tokens())

    async def create(self, wanted: TokenCreate) -> TokenCreated:
        """The token is in the answer and nowhere else, ever."""
        return await self._session.send(account.create_token(wanted))

    async def revoke(self, token: str) -> None:
        await self._session.send(account.revoke_token(token))


class AsyncUsers:
    """People with a local account. For platform admins."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def list(self) -> AsyncIterator[UserRead]:
        return self._session.rows(account.list_users())

    async def create(self, username: str, *, password: str, display_name: str = "", is_admin: bool = False) -> UserRead:
        return await self._session.send(
            account.create_user(username=username, password=password, display_name=display_name, is_admin=is_admin)
        )


class AsyncPackages:
    """Archives of code, by content."""

    def __init__(self, client: AsyncInProject) -> None:
        self._client = client
        self._session = client.session

    def list(self, *, project: str | None = None) -> AsyncIterator[PackageRead]:
        return self._session.rows(packages.list_packages(project or self._client.project))

    async def get(self, digest: str, *, project: str | None = None) -> PackageShow:
        """The package with its first files."""
        return await self._session.send(packages.get(project or self._client.project, digest))

    async def push(
        self, folder: Path | str = ".", *, project: str | None = None, follow_outside_links: bool = False
    ) -> str:
        """Pack `folder`, send what the platform does not have, and return the digest."""
        from mlp.packaging import pack

        with await asyncio.to_thread(pack, folder, follow_outside_links=follow_outside_links) as packed:
            return await self._session.run(flows.upload(project or self._client.project, packed))

    async def download(self, digest: str, target: Path | str, *, project: str | None = None) -> Path:
        """The archive, written to `target`."""
        path = Path(target)
        call = packages.content(project or self._client.project, digest)
        async with self._session.download(call) as pieces:
            with path.open("wb") as file:  # noqa: ASYNC230 - pieces are small, and written as they come
                async for piece in pieces:
                    file.write(piece)
        return path

    async def delete(self, digest: str, *, project: str | None = None) -> None:
        """Only one that no job names, also no ended one."""
        await self._session.send(packages.delete(project or self._client.project, digest))


class AsyncEnvironments:
    """What code needs, resolved to a lock."""

    def __init__(self, client: AsyncInProject) -> None:
        self._client = client
        self._session = client.session

    def list(self, *, project: str | None = None) -> AsyncIterator[EnvironmentRead]:
        return self._session.rows(environments.list_environments(project or self._client.project))

    async def get(self, environment: str, *, project: str | None = None) -> EnvironmentRead:
        return await self._session.send(environments.get(project or self._client.project, environment))

    async def create(self, wanted: EnvironmentCreate, *, project: str | None = None) -> EnvironmentRead:
        """Ask for an environment; it is `resolving` until the platform has its lock."""
        return await self._session.send(environments.create(project or self._client.project, wanted))

    async def delete(self, environment: str, *, project: str | None = None) -> None:
        """Only one that no job refers to."""
        await self._session.send(environments.delete(project or self._client.project, environment))


class AsyncClusters:
    """Ray clusters that stay up and take many jobs."""

    def __init__(self, client: AsyncInProject) -> None:
        self._client = client
        self._session = client.session

    def list(self, *, project: str | None = None) -> AsyncIterator[ClusterRead]:
        return self._session.rows(clusters.list_clusters(project or self._client.project))

    async def get(self, cluster: str, *, project: str | None = None) -> ClusterRead:
        return await self._session.send(clusters.get(project or self._client.project, cluster))

    async def create(self, wanted: ClusterCreate, *, project: str | None = None) -> ClusterRead:
        return await self._session.send(clusters.create(project or self._client.project, wanted))

    async def stop(self, cluster: str, *, project: str | None = None) -> ClusterRead:
        return await self._session.send(clusters.stop(project or self._client.project, cluster))
