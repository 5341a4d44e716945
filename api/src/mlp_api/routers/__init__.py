"""Every router of the api. Those of a resource live below `/api/v1`, the rest at the root."""

from __future__ import annotations

from mlp_api.routers import (
    agent,
    artifacts,
    client,
    clusters,
    comparing,
    environments,
    events,
    health,
    job_lists,
    jobs,
    logs,
    mlflow_proxy,
    models,
    packages,
    people,
    pools,
    projects,
    ray_proxy,
    sessions,
    stream,
    usage,
)

BELOW_API = (
    people.router,
    sessions.router,
    projects.router,
    pools.router,
    usage.router,
    packages.router,
    environments.router,
    clusters.router,
    job_lists.router,
    jobs.router,
    comparing.router,
    models.router,
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
    ray_proxy.router,
)
