"""The registry: a model that a run left becomes a version of a registered model, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlp_core.domain.errors import NotFound
from mlp_core.gateways.mlflow.transport import AlreadyThere, Json, Transport

API = "/api/2.0/mlflow"


@dataclass(frozen=True, slots=True)
class ModelVersion:
    name: str
    version: str
    run_id: str


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a model lies: below a run's artifacts, or as a logged model of its own."""

    uri: str
    model_id: str | None


class Models:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def register(
        self,
        project_id: str,
        *,
        name: str,
        run_id: str,
        artifact: str,
        tags: Mapping[str, str],
        description: str = "",
    ) -> ModelVersion:
        """Make the model `artifact` of the run a version of `name`; the version it is already, if it is one.

        Raises:
            NotFound: the run logged neither a model nor artifacts of that name.
        """
        known = await self._find_version(project_id, name, run_id)
        if known is not None:
            return known
        source = await self._locate(project_id, run_id, artifact)
        await self._ensure_registered(project_id, name)
        body: Json = {
            "name": name,
            "source": source.uri,
            "run_id": run_id,
            "description": description,
            "tags": [{"key": key, "value": value} for key, value in tags.items()],
        }
        if source.model_id is not None:
            body["model_id"] = source.model_id
        answer = await self._transport.post(project_id, f"{API}/model-versions/create", body)
        return _version(answer["model_version"])

    async def _find_version(self, project_id: str, name: str, run_id: str) -> ModelVersion | None:
        clause = f"name = '{_quoted(name)}' AND run_id = '{run_id}'"
        try:
            answer = await self._transport.get(project_id, f"{API}/model-versions/search", {"filter": clause})
        except NotFound:
            return None
        found = [_version(entry) for entry in answer.get("model_versions", [])]
        return min(found, key=lambda version: int(version.version)) if found else None

    async def _ensure_registered(self, project_id: str, name: str) -> None:
        try:
            await self._transport.post(project_id, f"{API}/registered-models/create", {"name": name})
        except AlreadyThere:
            return

    async def _locate(self, project_id: str, run_id: str, artifact: str) -> _Source:
        run: Json = (await self._transport.get(project_id, f"{API}/runs/get", {"run_id": run_id}))["run"]
        experiment_id = str(run["info"]["experiment_id"])
        body: Json = {
            "experiment_ids": [experiment_id],
            "filter": f"source_run_id = '{run_id}' AND name = '{_quoted(artifact)}'",
            "order_by": [{"field_name": "creation_time", "ascending": False}],
            "max_results": 1,
        }
        answer = await self._transport.post(project_id, f"{API}/logged-models/search", body, is_repeatable=True)
        for model in answer.get("models", []):
            info: Json = model["info"]
            return _Source(info["artifact_uri"], info["model_id"])
        path = artifact.strip("/")
        listed = await self._transport.get(project_id, f"{API}/artifacts/list", {"run_id": run_id, "path": path})
        if listed.get("files"):
            return _Source(f"{run['info']['artifact_uri']}/{path}", None)
        raise NotFound(
            f"The run logged no model called '{artifact}'.",
            hint=f"Log it in the job with `mlflow.*.log_model(..., name={artifact!r})`, or name another one in "
            "`model.from`.",
        )


def _version(entry: Json) -> ModelVersion:
    return ModelVersion(entry["name"], str(entry["version"]), entry.get("run_id", ""))


def _quoted(text: str) -> str:
    return text.replace("'", "''")
