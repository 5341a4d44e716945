"""Registered models as the platform shows them: with the job, code and environment that made each version."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from mlp.schemas.base import ResourceRef
from mlp.schemas.models import JobRun, ModelRead, ModelVersionRead
from mlp_core.domain.errors import NotFound
from mlp_core.gateways.mlflow import Mlflow, Run
from mlp_core.gateways.mlflow.registry import Model, Version
from mlp_core.jobs.repository import JobRepository
from mlp_core.kit.database import Database
from mlp_core.kit.pages import PageRequest, Slice
from mlp_core.scope import ProjectScope, among

_OWN_TAGS = ("mlp.", "mlflow.")
_AT_ONCE = 4
"""Requests to MLflow at the same time: it has one worker."""


class ModelRegistry:
    """Reads a project's models. No database session is open while MLflow is asked."""

    def __init__(self, database: Database, mlflow: Mlflow, public_url: str) -> None:
        self._database = database
        self._mlflow = mlflow
        self._root = public_url.rstrip("/")

    async def models(self, scope: ProjectScope, page: PageRequest, name: str | None) -> Slice[ModelRead]:
        """By name. Raises `Unavailable` where MLflow does not answer."""
        found, token = await self._mlflow.registry.models(
            scope.project_id, name=name, limit=page.limit, token=_token(page)
        )
        return Slice([self._model(scope, model) for model in found], _cursor(page, token))

    async def model(self, scope: ProjectScope, name: str) -> ModelRead:
        """Raises `NotFound`."""
        try:
            return self._model(scope, await self._mlflow.registry.model(scope.project_id, name))
        except NotFound as error:
            raise NotFound.of("model", name) from error

    async def versions(self, scope: ProjectScope, name: str, page: PageRequest) -> Slice[ModelVersionRead]:
        """Newest first, each with what its run logged and the job of this project that it came from."""
        found, token = await self._mlflow.registry.versions(
            scope.project_id, name, limit=page.limit, token=_token(page)
        )
        if not found and token is None and page.cursor is None:
            await self.model(scope, name)
        runs = await self._runs(scope, {version.run_id for version in found if version.run_id})
        jobs = await self._jobs(scope, found)
        items = [self._version(scope, version, runs.get(version.run_id), jobs) for version in found]
        return Slice(items, _cursor(page, token))

    async def _runs(self, scope: ProjectScope, ids: set[str]) -> dict[str, Run]:
        limit = asyncio.Semaphore(_AT_ONCE)

        async def read(run_id: str) -> Run | None:
            async with limit:
                try:
                    return await self._mlflow.runs.get(scope.project_id, run_id)
                except NotFound:
                    return None

        found = await asyncio.gather(*(read(run_id) for run_id in ids))
        return {run.id: run for run in found if run is not None}

    async def _jobs(self, scope: ProjectScope, versions: Sequence[Version]) -> dict[str, ResourceRef]:
        """Jobs that the versions name, by id. Anybody may write a tag, so only those of this very project count."""
        named = {version.tags["mlp.job"] for version in versions if "mlp.job" in version.tags}
        if not named:
            return {}
        async with self._database.transaction() as session:
            rows = await JobRepository(session).by_ids(among(scope.subject, [scope.project_id]), named)
        url = f"{self._root}/api/v1/projects/{scope.slug}/jobs"
        return {row.id: ResourceRef(id=row.id, name=row.name, url=f"{url}/{row.id}") for row in rows}

    def _model(self, scope: ProjectScope, model: Model) -> ModelRead:
        return ModelRead(
            name=model.name,
            description=model.description,
            created_at=model.created_at,
            updated_at=model.updated_at,
            latest_version=model.latest_version,
            aliases=dict(model.aliases),
            tags=_foreign(model.tags),
            url=self._mlflow.links.model(scope.slug, model.name),
        )

    def _version(
        self, scope: ProjectScope, version: Version, run: Run | None, jobs: Mapping[str, ResourceRef]
    ) -> ModelVersionRead:
        return ModelVersionRead(
            name=version.name,
            version=version.version,
            description=version.description,
            status=version.status,
            aliases=list(version.aliases),
            created_at=version.created_at,
            run=None if run is None else run_ref(self._mlflow, scope, run),
            job=jobs.get(version.tags.get("mlp.job", "")),
            attempt_id=version.tags.get("mlp.attempt"),
            package=version.tags.get("mlp.package"),
            environment_digest=version.tags.get("mlp.environment_digest"),
            metrics={} if run is None else last_values(run),
            parameters={} if run is None else dict(run.params),
            tags=_foreign(version.tags),
            url=self._mlflow.links.model_version(scope.slug, version.name, version.version),
        )


async def read_job_run(mlflow: Mlflow, scope: ProjectScope, attempt: int, run_id: str) -> JobRun:
    """What an attempt's run holds.

    Raises:
        NotFound: a person deleted the run.
        Unavailable: MLflow does not answer.
    """
    run = await mlflow.runs.get(scope.project_id, run_id)
    return JobRun(
        attempt=attempt,
        run=run_ref(mlflow, scope, run),
        status=run.status.lower(),
        parameters=dict(run.params),
        metrics=last_values(run),
        tags=_foreign(run.tags),
    )


def run_ref(mlflow: Mlflow, scope: ProjectScope, run: Run) -> ResourceRef:
    return ResourceRef(id=run.id, name=run.name, url=mlflow.links.run(scope.slug, run.id))


def last_values(run: Run) -> dict[str, float]:
    return {key: point.value for key, point in run.metrics.items()}


def _foreign(tags: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in tags.items() if not key.startswith(_OWN_TAGS)}


def _token(page: PageRequest) -> str | None:
    """MLflow's own token inside of our cursor, which is bound to the list and its reader."""
    return None if page.cursor is None else str(page.codec.decode(page.cursor, page.binding)[0])


def _cursor(page: PageRequest, token: str | None) -> str | None:
    return None if token is None else page.codec.encode([token], page.binding)
