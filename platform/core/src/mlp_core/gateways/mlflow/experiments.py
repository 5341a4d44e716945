"""Experiments by name, also where a deleted one still holds the name."""

from __future__ import annotations

from mlp_core.domain.errors import Invalid, NotFound, Unavailable
from mlp_core.gateways.mlflow.transport import AlreadyThere, Json, Transport
from mlp_core.kit.clock import Clock

API = "/api/2.0/mlflow/experiments"
RECALL_SECONDS = 30.0
_ROUNDS = 5
"""Others may make or delete the same experiment while we do; each round starts from what is there then."""


class Experiments:
    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._transport = transport
        self._clock = clock
        self._recalled: dict[tuple[str, str], tuple[str, float]] = {}

    async def recall(self, project_id: str, name: str) -> str:
        """As `ensure`, but what was found within the last half minute is not asked for again.

        It may be deleted since; MLflow then refuses, with `Invalid`, to make runs in it.
        """
        now = self._clock.now().timestamp()
        known = self._recalled.get((project_id, name))
        if known is not None and now < known[1]:
            return known[0]
        experiment_id = await self.ensure(project_id, name)
        self._recalled = {key: found for key, found in self._recalled.items() if now < found[1]}
        self._recalled[project_id, name] = (experiment_id, now + RECALL_SECONDS)
        return experiment_id

    async def ensure(self, project_id: str, name: str) -> str:
        """The id of the live experiment called `name`, made where there is none.

        MLflow keeps the name of a deleted experiment taken. Such a one moves out of the way: it stays deleted, and can
        be restored with its runs, under `NAME (deleted TIME)`.
        """
        for _ in range(_ROUNDS):
            found = await self._find(project_id, name)
            if found is None:
                experiment_id = await self._create(project_id, name)
                if experiment_id is not None:
                    return experiment_id
            elif _is_deleted(found):
                await self._move_away(project_id, found)
            else:
                return str(found["experiment_id"])
        raise Unavailable(f"Experiment '{name}' keeps being made and deleted by others.")

    async def free_name(self, project_id: str, name: str) -> bool:
        """Move a deleted experiment out of the way of its name. Whether there was one."""
        found = await self._find(project_id, name)
        if found is None or not _is_deleted(found):
            return False
        await self._move_away(project_id, found)
        return True

    async def name_of(self, project_id: str, experiment_id: str) -> str:
        """The name of an experiment, deleted or not."""
        answer = await self._transport.get(project_id, f"{API}/get", {"experiment_id": experiment_id})
        return str(answer["experiment"]["name"])

    async def _find(self, project_id: str, name: str) -> Json | None:
        try:
            answer = await self._transport.get(project_id, f"{API}/get-by-name", {"experiment_name": name})
        except NotFound:
            return None
        return answer["experiment"]

    async def _create(self, project_id: str, name: str) -> str | None:
        try:
            answer = await self._transport.post(project_id, f"{API}/create", {"name": name})
        except AlreadyThere:
            return None
        return str(answer["experiment_id"])

    async def _move_away(self, project_id: str, found: Json) -> None:
        """Only a live experiment can be renamed, so it is restored for a moment. Each step may find itself done."""
        experiment_id = str(found["experiment_id"])
        stamp = self._clock.now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        new_name = f"{found['name'][:200]} (deleted {stamp})"
        await self._step(project_id, "restore", {"experiment_id": experiment_id})
        await self._step(project_id, "update", {"experiment_id": experiment_id, "new_name": new_name})
        await self._step(project_id, "delete", {"experiment_id": experiment_id})

    async def _step(self, project_id: str, verb: str, body: Json) -> None:
        try:
            await self._transport.post(project_id, f"{API}/{verb}", body, is_repeatable=True)
        except (Invalid, NotFound, AlreadyThere):
            return  # somebody else was faster; the next round sees what is true


def _is_deleted(experiment: Json) -> bool:
    return experiment.get("lifecycle_stage") == "deleted"
