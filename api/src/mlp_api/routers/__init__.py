"""Every router of the api. Those of a resource live below `/api/v1`, the rest at the root."""

from __future__ import annotations

from mlp_api.routers import client, health, mlflow_proxy, packages, people, pools, projects

BELOW_API = (
    people.router,
    projects.router,
    pools.router,
    packages.router,
)
AT_ROOT = (
    health.router,
    client.router,
    mlflow_proxy.router,
)
