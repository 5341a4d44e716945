"""Cases of kind b (logs) as far as Kubernetes has a part in them: pods as KubeRay and Kueue have made them."""

from __future__ import annotations

from typing import Any

import pytest

from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests.pods import AGENT, FLUSH_SECONDS
from support.kubernetes_stage import Stage, gpus, workers

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
async def pods(stage: Stage) -> list[dict[str, Any]]:
    """Head and workers of a mixed job, as they run."""
    project = await stage.project()
    spec = stage.job(project, workers(1), gpus(1))
    await stage.enter(spec)
    await stage.until_ready(spec)
    kinds = ("head", "worker")
    found = [pod for pod in stage.pods(project) if pod["metadata"]["labels"].get(names.RAY_NODE_TYPE) in kinds]
    assert len(found) == 3
    await stage.remove(spec.name)
    return found


def variables(pod: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one.get("value", "") for one in pod["spec"]["containers"][0]["env"]}


async def test_case_b1_an_agent_outlives_ray_s_container_in_every_pod(pods: list[dict[str, Any]]) -> None:
    for pod in pods:
        agent = next(one for one in pod["spec"]["initContainers"] if one["name"] == AGENT)
        # A sidecar of the kubelet's own kind is ended after the container that it is beside.
        assert agent["restartPolicy"] == "Always"
        assert pod["spec"]["terminationGracePeriodSeconds"] >= FLUSH_SECONDS
        spool = {one["mountPath"] for one in agent["volumeMounts"]}
        assert {"/mlp/attempt", "/tmp/ray"} <= spool, "its spool, and the logs of Ray"


async def test_case_b3_output_is_not_held_back(pods: list[dict[str, Any]]) -> None:
    assert {variables(pod)["PYTHONUNBUFFERED"] for pod in pods} == {"1"}


async def test_case_b5_ray_neither_merges_lines_nor_tells_them_twice(pods: list[dict[str, Any]]) -> None:
    for pod in pods:
        own = variables(pod)
        assert (own["RAY_DEDUP_LOGS"], own["RAY_LOG_TO_DRIVER"]) == ("0", "0")
        started = " ".join(pod["spec"]["containers"][0].get("args") or [])
        assert "--include-log-monitor=0" in started, started
