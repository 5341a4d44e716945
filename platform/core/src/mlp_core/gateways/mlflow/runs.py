"""Runs: making them once, closing them once, and reading what they hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from mlp_core.domain.errors import Invalid, NotFound
from mlp_core.gateways.mlflow.transport import Json, Transport

API = "/api/2.0/mlflow/runs"
METRICS_API = "/api/2.0/mlflow/metrics"
PARENT_TAG = "mlflow.parentRunId"
BATCH_METRICS = 1000
BATCH_TAGS = 100
PAGE = 10_000
_TAG_LENGTH = 8000


class RunStatus(StrEnum):
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    KILLED = "KILLED"


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a metric."""

    key: str
    value: float
    step: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Run:
    """A run as MLflow holds it; `metrics` are the last values by key."""

    id: str
    experiment_id: str
    name: str
    status: str
    is_deleted: bool
    tags: Mapping[str, str]
    params: Mapping[str, str]
    metrics: Mapping[str, Point]

    @property
    def parent_id(self) -> str | None:
        return self.tags.get(PARENT_TAG)

    @property
    def is_empty(self) -> bool:
        """Nobody has logged into it yet."""
        return not self.params and not self.metrics


class Runs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def count_children(self, project_id: str, experiment_id: str, run_id: str) -> int:
        """Live runs of the experiment below this one; counted up to a hundred."""
        return len(await self.list_tagged(project_id, experiment_id, PARENT_TAG, run_id))

    async def has_artifacts(self, project_id: str, run_id: str) -> bool:
        answer = await self._transport.get(project_id, "/api/2.0/mlflow/artifacts/list", {"run_id": run_id})
        return bool(answer.get("files"))

    async def find(self, project_id: str, experiment_id: str, tag: str, value: str) -> Run | None:
        """The oldest live run of the experiment that carries the tag."""
        found = await self.list_tagged(project_id, experiment_id, tag, value, limit=1)
        return found[0] if found else None

    async def list_tagged(
        self, project_id: str, experiment_id: str, tag: str, value: str, *, limit: int = 100
    ) -> list[Run]:
        """Live runs of the experiment that carry the tag, the oldest first."""
        body: Json = {
            "experiment_ids": [experiment_id],
            "filter": f"tags.`{tag}` = '{value}'",
            "order_by": ["attributes.start_time ASC"],
            "max_results": limit,
        }
        answer = await self._transport.post(project_id, f"{API}/search", body, is_repeatable=True)
        return [_run(found) for found in answer.get("runs", [])]

    async def create(
        self, project_id: str, experiment_id: str, name: str, tags: Mapping[str, str], started_at: datetime
    ) -> Run:
        """A new run. Not idempotent: look with `find` first."""
        body: Json = {
            "experiment_id": experiment_id,
            "run_name": name,
            "start_time": _millis(started_at),
            "tags": _tags(tags),
        }
        answer = await self._transport.post(project_id, f"{API}/create", body)
        return _run(answer["run"])

    async def get(self, project_id: str, run_id: str) -> Run:
        """
        Raises:
            NotFound: there is no such run.
        """
        answer = await self._transport.get(project_id, f"{API}/get", {"run_id": run_id})
        return _run(answer["run"])

    async def close(self, project_id: str, run_id: str, status: RunStatus, ended_at: datetime) -> None:
        """Give the run its final status. A run that a person deleted stays as it is."""
        body: Json = {"run_id": run_id, "status": status.value, "end_time": _millis(ended_at)}
        try:
            await self._transport.post(project_id, f"{API}/update", body, is_repeatable=True)
        except NotFound:
            return
        except Invalid:
            if not (await self.get(project_id, run_id)).is_deleted:
                raise

    async def reopen(self, project_id: str, run_id: str) -> None:
        """Let a closed run go on."""
        body: Json = {"run_id": run_id, "status": RunStatus.RUNNING.value}
        await self._transport.post(project_id, f"{API}/update", body, is_repeatable=True)

    async def delete(self, project_id: str, run_id: str) -> None:
        """Delete the run the way users do: it can be restored."""
        try:
            await self._transport.post(project_id, f"{API}/delete", {"run_id": run_id}, is_repeatable=True)
        except NotFound:
            return

    async def set_tags(self, project_id: str, run_id: str, tags: Mapping[str, str]) -> None:
        entries = _tags(tags)
        for start in range(0, len(entries), BATCH_TAGS):
            await self._log(project_id, {"run_id": run_id, "tags": entries[start : start + BATCH_TAGS]})

    async def delete_tag(self, project_id: str, run_id: str, key: str) -> None:
        """A tag that is not there is no error."""
        try:
            await self._transport.post(project_id, f"{API}/delete-tag", {"run_id": run_id, "key": key})
        except NotFound:
            return

    async def log_params(self, project_id: str, run_id: str, params: Mapping[str, str]) -> None:
        """Parameters are write-once: a key that the run has with another value is refused with `Invalid`."""
        entries = _tags(params)
        for start in range(0, len(entries), BATCH_TAGS):
            await self._log(project_id, {"run_id": run_id, "params": entries[start : start + BATCH_TAGS]})

    async def log_metrics(self, project_id: str, run_id: str, points: Sequence[Point]) -> None:
        """Store points; the same point stored twice is one point."""
        entries = [
            {"key": point.key, "value": _wire_value(point.value), "timestamp": _millis(point.at), "step": point.step}
            for point in points
        ]
        for start in range(0, len(entries), BATCH_METRICS):
            await self._log(project_id, {"run_id": run_id, "metrics": entries[start : start + BATCH_METRICS]})

    async def metric_history(self, project_id: str, run_id: str, key: str, limit: int = 100_000) -> list[Point]:
        """At most `limit` values of one metric, in the order in which MLflow stores them."""
        points: list[Point] = []
        token = ""
        while len(points) < limit:
            parameters: dict[str, str | int] = {
                "run_id": run_id,
                "metric_key": key,
                "max_results": min(PAGE, limit - len(points)),
            }
            if token:
                parameters["page_token"] = token
            answer = await self._transport.get(project_id, f"{METRICS_API}/get-history", parameters)
            points += [_point(entry) for entry in answer.get("metrics", [])]
            token = str(answer.get("next_page_token", ""))
            if not token:
                break
        return points

    async def _log(self, project_id: str, body: Json) -> None:
        await self._transport.post(project_id, f"{API}/log-batch", body, is_repeatable=True)


def _run(wire: Json) -> Run:
    info: Json = wire["info"]
    data: Json = wire.get("data", {})
    metrics = [_point(entry) for entry in data.get("metrics", [])]
    return Run(
        id=info["run_id"],
        experiment_id=str(info["experiment_id"]),
        name=info.get("run_name", ""),
        status=info.get("status", ""),
        is_deleted=info.get("lifecycle_stage") == "deleted",
        tags=_pairs(data.get("tags", [])),
        params=_pairs(data.get("params", [])),
        metrics={point.key: point for point in metrics},
    )


def _pairs(entries: list[Any]) -> dict[str, str]:
    return {entry["key"]: entry.get("value", "") for entry in entries}


def _point(entry: Json) -> Point:
    # MLflow writes NaN and the infinities as text, which float() reads.
    at = datetime.fromtimestamp(int(entry.get("timestamp", 0)) / 1000, UTC)
    return Point(entry["key"], float(entry.get("value", 0.0)), int(entry.get("step", 0)), at)


def _tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value[:_TAG_LENGTH]} for key, value in tags.items()]


def _wire_value(value: float) -> float | str:
    """MLflow's JSON names the values for which JSON has no number."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _millis(at: datetime) -> int:
    return int(at.timestamp() * 1000)
