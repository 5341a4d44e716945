"""Making a project a tenant of the MLflow server, as often as one likes."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping

from mlp_core.domain.errors import NotFound, Unavailable
from mlp_core.gateways.mlflow.tokens import reader_of, workspace_of, writer_of
from mlp_core.gateways.mlflow.transport import AlreadyThere, Json, Transport, WorkspaceMissing

_EXPERIMENTS_PER_PAGE = 1000
_KINDS = ("experiment", "registered_model", "prompt")
_WRITER_GRANTS = (("workspace", "USE"), *((kind, "MANAGE") for kind in _KINDS))
"""Never MANAGE on the workspace itself: its holders create users and read every user's name."""
_READER_GRANTS = tuple((kind, "READ") for kind in _KINDS)


class Workspaces:
    """Workspaces, with one user who may write in them and one who may read."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def ensure(self, project_id: str) -> None:
        """Make the project's workspace, its two users and what they may do; what is there already stays."""
        await self._make("/api/3.0/mlflow/workspaces", {"name": workspace_of(project_id)})
        await self._ensure_user(project_id, writer_of(project_id), "tenant", _WRITER_GRANTS)
        await self._ensure_user(project_id, reader_of(project_id), "viewer", _READER_GRANTS)

    async def remove(self, project_id: str) -> None:
        """Remove the project's workspace with all runs, models and artifacts, and its two users; gone is no error."""
        workspace = workspace_of(project_id)
        with contextlib.suppress(WorkspaceMissing):
            await self._remove_artifacts(project_id)
            await self._remove(f"/api/3.0/mlflow/workspaces/{workspace}", {"mode": "CASCADE"})
        for user in (writer_of(project_id), reader_of(project_id)):
            await self._remove("/api/2.0/mlflow/users/delete", body={"username": user})

    async def _remove_artifacts(self, project_id: str) -> None:
        """Artifacts lie in a folder per experiment, and removing a workspace leaves them where they are."""
        page: Json = {"view_type": "ALL", "max_results": _EXPERIMENTS_PER_PAGE}
        while True:
            found = await self._transport.post(
                project_id, "/api/2.0/mlflow/experiments/search", page, is_repeatable=True
            )
            for experiment in found.get("experiments", []):
                await self._remove(
                    f"/api/2.0/mlflow-artifacts/artifacts/{experiment['experiment_id']}", project_id=project_id
                )
            if not found.get("next_page_token"):
                return
            page = {**page, "page_token": found["next_page_token"]}

    async def _remove(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        *,
        body: Json | None = None,
        project_id: str | None = None,
    ) -> None:
        with contextlib.suppress(NotFound):
            await self._transport.delete(project_id, path, parameters, body)

    async def check(self) -> None:
        """Whether MLflow answers; for `/readyz`."""
        await self._transport.ping()

    async def _ensure_user(self, project_id: str, user: str, role: str, grants: tuple[tuple[str, str], ...]) -> None:
        # Nobody signs in by password: the server takes only tokens. MLflow wants one nevertheless.
        password = secrets.token_urlsafe(40)
        await self._make("/api/2.0/mlflow/users/create", {"username": user, "password": password})
        role_id = await self._ensure_role(project_id, role)
        for kind, permission in grants:
            await self._make(
                "/api/3.0/mlflow/roles/permissions/add",
                {"role_id": role_id, "resource_type": kind, "resource_pattern": "*", "permission": permission},
            )
        await self._make("/api/3.0/mlflow/roles/assign", {"username": user, "role_id": role_id})

    async def _ensure_role(self, project_id: str, role: str) -> int:
        workspace = workspace_of(project_id)
        await self._make("/api/3.0/mlflow/roles/create", {"name": role, "workspace": workspace})
        listed = await self._transport.get(None, "/api/3.0/mlflow/roles/list", {"workspace": workspace})
        for found in listed.get("roles", []):
            if found["name"] == role:
                return int(found["id"])
        raise Unavailable(f"MLflow does not list the role '{role}' of workspace '{workspace}' that it has.")

    async def _make(self, path: str, body: Json) -> None:
        try:
            await self._transport.post(None, path, body, is_repeatable=True)
        except AlreadyThere:
            return
