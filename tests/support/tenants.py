"""A project and the people around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from mlp_core.scope import ProjectScope
from support.platform import Api, Person


@dataclass
class Tenant:
    """A project with its owner, a viewer, and somebody who has nothing to do with it."""

    api: Api
    scope: ProjectScope
    owner: Person
    viewer: Person
    stranger: Person

    @property
    def path(self) -> str:
        return f"/api/v1/projects/{self.scope.slug}/jobs"

    async def submit(self, **fields: Any) -> dict[str, Any]:
        answer = await self.post(**fields)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def post(self, **fields: Any) -> httpx.Response:
        return await self.owner.http.post(self.path, json={"entrypoint": "python train.py"} | fields)


async def new_tenant(api: Api) -> Tenant:
    owner, viewer, stranger = await api.person(), await api.person(), await api.person()
    return Tenant(api, await api.project(owner, viewer=viewer), owner, viewer, stranger)
