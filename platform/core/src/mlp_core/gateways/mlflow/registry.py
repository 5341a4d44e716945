"""Reading the registry: models of a project and their versions, page by page as MLflow gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from mlp_core.gateways.mlflow.transport import Json, Transport, WorkspaceMissing

API = "/api/2.0/mlflow"
_LONGEST_PAGE = 200


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    description: str
    created_at: datetime
    updated_at: datetime
    latest_version: str | None
    aliases: Mapping[str, str]
    """Version by alias."""
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Version:
    name: str
    version: str
    description: str
    status: str
    run_id: str
    aliases: tuple[str, ...]
    tags: Mapping[str, str]
    created_at: datetime


class Registry:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def models(
        self, project_id: str, *, name: str | None, limit: int, token: str | None
    ) -> tuple[list[Model], str | None]:
        """Models by name, and the token of the next page."""
        clause = None if name is None else f"name ILIKE '%{_quoted(name)}%'"
        answer = await self._search(project_id, "registered-models", clause, "name ASC", limit, token)
        return [_model(entry) for entry in answer.get("registered_models", [])], answer.get("next_page_token") or None

    async def model(self, project_id: str, name: str) -> Model:
        """
        Raises:
            NotFound: the project has no model of that name.
        """
        answer = await self._transport.get(project_id, f"{API}/registered-models/get", {"name": name})
        return _model(answer["registered_model"])

    async def versions(
        self, project_id: str, name: str, *, limit: int, token: str | None
    ) -> tuple[list[Version], str | None]:
        """Versions of a model, newest first, and the token of the next page."""
        clause = f"name = '{_quoted(name)}'"
        answer = await self._search(project_id, "model-versions", clause, "version_number DESC", limit, token)
        return [_version(entry) for entry in answer.get("model_versions", [])], answer.get("next_page_token") or None

    async def _search(
        self, project_id: str, what: str, clause: str | None, order: str, limit: int, token: str | None
    ) -> Json:
        """Nothing where the project has never used MLflow."""
        wanted: dict[str, str | int] = {"max_results": min(limit, _LONGEST_PAGE), "order_by": order}
        wanted |= {} if clause is None else {"filter": clause}
        wanted |= {} if token is None else {"page_token": token}
        try:
            return await self._transport.get(project_id, f"{API}/{what}/search", wanted)
        except WorkspaceMissing:
            return {}


def _model(entry: Json) -> Model:
    versions = [str(version["version"]) for version in entry.get("latest_versions", [])]
    return Model(
        name=entry["name"],
        description=entry.get("description", ""),
        created_at=_instant(entry.get("creation_timestamp")),
        updated_at=_instant(entry.get("last_updated_timestamp")),
        latest_version=max(versions, key=int, default=None),
        aliases={alias["alias"]: str(alias["version"]) for alias in entry.get("aliases", [])},
        tags={tag["key"]: tag.get("value", "") for tag in entry.get("tags", [])},
    )


def _version(entry: Json) -> Version:
    return Version(
        name=entry["name"],
        version=str(entry["version"]),
        description=entry.get("description", ""),
        status=str(entry.get("status", "READY")).lower(),
        run_id=entry.get("run_id", ""),
        aliases=tuple(entry.get("aliases", [])),
        tags={tag["key"]: tag.get("value", "") for tag in entry.get("tags", [])},
        created_at=_instant(entry.get("creation_timestamp")),
    )


def _instant(millis: object) -> datetime:
    return datetime.fromtimestamp(int(str(millis or 0)) / 1000, UTC)


def _quoted(text: str) -> str:
    return text.replace("'", "''")
