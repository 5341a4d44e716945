"""Every router of the api. Those of a resource live below `/api/v1`, the rest at the root."""

from __future__ import annotations

from mlp_api.routers import (
    agent,
    artifacts,
    client,
    clusters,
    environments,
    events,
    health,
    jobs,
    logs,
    mlflow_proxy,
    packages,
    people,
    pools,
    projects,
    sessions,
    stream,
)

BELOW_API = (
    people.router,
    sessions.router,
    projects.router,
    pools.router,
    packages.router,
    environments.router,
    clusters.router,
    jobs.router,
    logs.router,
    artifacts.router,
    events.router,
    stream.router,
    agent.router,
)
AT_ROOT = (
    health.router,
    client.router,
    mlflow_proxy.router,
)
