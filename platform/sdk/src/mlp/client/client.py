"""The synchronous client."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

from mlp import config
from mlp.client.calls import account
from mlp.client.exchange import Origin
from mlp.client.http_sync import HttpTransport
from mlp.client.jobs import Jobs
from mlp.client.resources import Clusters, Environments, Packages, Pools, Projects, Tokens, Users
from mlp.client.session import Session
from mlp.client.transport import Transport

if TYPE_CHECKING:
    from mlp.client.remote import RemoteFunction
    from mlp.schemas.jobs import EnvironmentSpec
    from mlp.schemas.projects import Me
    from mlp.schemas.resources import Resources

P = ParamSpec("P")
R = TypeVar("R")


class Client:
    """One platform, one caller, one default project.

    What is not given comes from `MLP_URL`, `MLP_TOKEN`, `MLP_PROJECT`, `MLP_CA_FILE` (a job has them set to its own
    identity) and then from the profile that `mlp login` saved. Safe to share between threads.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        project: str | None = None,
        profile: str | None = None,
        ca_file: str | None = None,
        transport: Transport | None = None,
    ) -> None:
        found = config.resolve(url=url, token=token, project=project, ca_file=ca_file, profile=profile)
        self.url = found.url
        self._connection = found
        self.session = Session(Origin(found.url, found.token), transport or HttpTransport(found.url, found.ca_file))

    @property
    def project(self) -> str:
        """The default project.

        Raises:
            ConfigError: none is chosen.
        """
        return self._connection.chosen_project()

    def me(self) -> Me:
        """Who is asking, and what they can reach."""
        return self.session.send(account.me())

    def change_password(self, old: str, new: str) -> None:
        """Change the caller's own password and end their other sign-ins; tokens made for programs stay.

        Raises:
            NotAllowed: the old password is wrong.
        """
        self.session.send(account.change_password(old, new))

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self)

    @cached_property
    def projects(self) -> Projects:
        return Projects(self.session)

    @cached_property
    def pools(self) -> Pools:
        return Pools(self.session)

    @cached_property
    def packages(self) -> Packages:
        return Packages(self)

    @cached_property
    def environments(self) -> Environments:
        return Environments(self)

    @cached_property
    def clusters(self) -> Clusters:
        return Clusters(self)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.session)

    @cached_property
    def users(self) -> Users:
        return Users(self.session)

    def remote(
        self,
        *,
        gpu: float | None = None,
        cpu: float | str | None = None,
        memory: int | str | None = None,
        environment: EnvironmentSpec | None = None,
        resources: Resources | None = None,
        timeout: str | None = None,
        project: str | None = None,
    ) -> Callable[[Callable[P, R]], RemoteFunction[P, R]]:
        """Make a function one that runs as a job: `fit.submit(6).result()`.

        Its source and its arguments travel; what it returns or raises comes back. It must import what it uses itself.
        """
        from mlp.client.remote import RemoteFunction, RemoteOptions

        options = RemoteOptions(gpu, cpu, memory, environment, resources, timeout, project)
        return lambda function: RemoteFunction(self.jobs, function, options)

    def close(self) -> None:
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
