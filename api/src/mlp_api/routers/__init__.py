"""Every router of the api. Those of a resource live below `/api/v1`, the rest at the root."""

from __future__ import annotations

from mlp_api.routers import health, people, projects

BELOW_API = (people.router, projects.router)
AT_ROOT = (health.router,)
