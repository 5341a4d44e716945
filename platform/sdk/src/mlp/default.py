"""The one client behind `mlp.submit`, `mlp.jobs` and `mlp.remote`: made on first use, from profile and environment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlp.client.client import Client

if TYPE_CHECKING:
    from mlp.client.job import Job
    from mlp.client.jobs import Jobs
    from mlp.schemas.jobs import EnvironmentSpec
    from mlp.schemas.resources import Resources


@cache
def client() -> Client:
    """The default client."""
    return Client()


def submit(
    entrypoint: str | Sequence[str],
    *,
    package: Path | str | None = ".",
    name: str | None = None,
    environment: EnvironmentSpec | None = None,
    resources: Resources | None = None,
    project: str | None = None,
    **fields: Any,
) -> Job:
    """Submit a job with the default client; see `Client.jobs.submit`. In a notebook its card appears and stays live."""
    job = client().jobs.submit(
        entrypoint,
        package=package,
        name=name,
        environment=environment,
        resources=resources,
        project=project,
        **fields,
    )
    job.show()
    return job


def remote(**options: Any) -> Any:
    """`Client.remote` of the default client."""
    return client().remote(**options)


def __getattr__(name: str) -> Jobs:
    if name == "jobs":
        return client().jobs
    raise AttributeError(f"module 'mlp.default' has no attribute '{name}'")


if TYPE_CHECKING:
    jobs: Jobs
