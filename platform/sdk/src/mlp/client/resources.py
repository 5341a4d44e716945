"""What a client can do with everything but jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mlp.client import flows
from mlp.client.calls import account, clusters, environments, packages, pools, projects
from mlp.client.session import Session

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


class InProject(Protocol):
    """What project-bound resources need of their client."""

    session: Session

    @property
    def project(self) -> str: ...


class Projects:
    """Projects and who is in them."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self) -> Iterator[ProjectRead]:
        return self._session.rows(projects.list_projects())

    def get(self, project: str) -> ProjectRead:
        return self._session.send(projects.get(project))

    def create(self, wanted: ProjectCreate) -> ProjectRead:
        return self._session.send(projects.create(wanted))

    def change(self, project: ProjectRead, wanted: ProjectPatch) -> ProjectRead:
        """Change a project as it was read; `Stale` where it changed meanwhile."""
        return self._session.send(projects.change(project.name, wanted, project.etag))

    def delete(self, project: ProjectRead) -> None:
        self._session.send(projects.delete(project.name, project.etag))

    def members(self, project: str) -> Iterator[MemberRead]:
        return self._session.rows(projects.list_members(project))

    def put_member(self, project: str, user: str, role: str) -> MemberRead:
        """Add a member, or give them another role: owner, editor or viewer."""
        return self._session.send(projects.put_member(project, user, role))

    def remove_member(self, project: str, user: str) -> None:
        self._session.send(projects.remove_member(project, user))


class Pools:
    """Kinds of machine. Changing them is for platform admins."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self) -> Iterator[PoolRead]:
        return self._session.rows(pools.list_pools())

    def get(self, pool: str) -> PoolRead:
        return self._session.send(pools.get(pool))

    def create(self, wanted: PoolCreate) -> PoolRead:
        return self._session.send(pools.create(wanted))

    def change(self, pool: PoolRead, wanted: PoolPatch) -> PoolRead:
        return self._session.send(pools.change(pool.name, wanted, pool.etag))

    def delete(self, pool: PoolRead) -> None:
        self._session.send(pools.delete(pool.name, pool.etag))


class Tokens:
    """The caller's own tokens."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self) -> Iterator[TokenRead]:
        return self._session.rows(account.list_tokens())

    def create(self, wanted: TokenCreate) -> TokenCreated:
        """The token is in the answer and nowhere else, ever."""
        return self._session.send(account.create_token(wanted))

    def revoke(self, token: str) -> None:
        self._session.send(account.revoke_token(token))


class Users:
    """People with a local account. For platform admins."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self) -> Iterator[UserRead]:
        return self._session.rows(account.list_users())

    def create(self, username: str, *, password: str, display_name: str = "", is_admin: bool = False) -> UserRead:
        return self._session.send(
            account.create_user(username=username, password=password, display_name=display_name, is_admin=is_admin)
        )


class Packages:
    """Archives of code, by content."""

    def __init__(self, client: InProject) -> None:
        self._client = client
        self._session = client.session

    def list(self, *, project: str | None = None) -> Iterator[PackageRead]:
        return self._session.rows(packages.list_packages(project or self._client.project))

    def get(self, digest: str, *, project: str | None = None) -> PackageShow:
        """The package with its first files."""
        return self._session.send(packages.get(project or self._client.project, digest))

    def push(self, folder: Path | str = ".", *, project: str | None = None, follow_outside_links: bool = False) -> str:
        """Pack `folder`, send what the platform does not have, and return the digest."""
        from mlp.packaging import pack

        with pack(folder, follow_outside_links=follow_outside_links) as packed:
            return self._session.run(flows.upload(project or self._client.project, packed))

    def download(self, digest: str, target: Path | str, *, project: str | None = None) -> Path:
        """The archive, written to `target`."""
        path = Path(target)
        call = packages.content(project or self._client.project, digest)
        with self._session.download(call) as pieces, path.open("wb") as file:
            for piece in pieces:
                file.write(piece)
        return path

    def delete(self, digest: str, *, project: str | None = None) -> None:
        """Only one that no job names, also no ended one."""
        self._session.send(packages.delete(project or self._client.project, digest))


class Environments:
    """What code needs, resolved to a lock."""

    def __init__(self, client: InProject) -> None:
        self._client = client
        self._session = client.session

    def list(self, *, project: str | None = None) -> Iterator[EnvironmentRead]:
        return self._session.rows(environments.list_environments(project or self._client.project))

    def get(self, environment: str, *, project: str | None = None) -> EnvironmentRead:
        return self._session.send(environments.get(project or self._client.project, environment))

    def create(self, wanted: EnvironmentCreate, *, project: str | None = None) -> EnvironmentRead:
        """Ask for an environment; it is `resolving` until the platform has its lock."""
        return self._session.send(environments.create(project or self._client.project, wanted))

    def delete(self, environment: str, *, project: str | None = None) -> None:
        """Only one that no job refers to."""
        self._session.send(environments.delete(project or self._client.project, environment))


class Clusters:
    """Ray clusters that stay up and take many jobs."""

    def __init__(self, client: InProject) -> None:
        self._client = client
        self._session = client.session

    def list(self, *, project: str | None = None) -> Iterator[ClusterRead]:
        return self._session.rows(clusters.list_clusters(project or self._client.project))

    def get(self, cluster: str, *, project: str | None = None) -> ClusterRead:
        return self._session.send(clusters.get(project or self._client.project, cluster))

    def create(self, wanted: ClusterCreate, *, project: str | None = None) -> ClusterRead:
        return self._session.send(clusters.create(project or self._client.project, wanted))

    def stop(self, cluster: str, *, project: str | None = None) -> ClusterRead:
        return self._session.send(clusters.stop(project or self._client.project, cluster))
