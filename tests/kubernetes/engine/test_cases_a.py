"""Cases of kind a (submission) as far as Kubernetes has a part in them: what was typed reaches the pods byte for byte,
and nothing ends a process before its grace period is over."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests.pods import FLUSH_SECONDS
from mlp_operator.engines.port import ClusterSpec, WorkSpec
from support.kubernetes_stage import WITHIN, Stage, job_of, workers
from support.waiting import eventually

pytestmark = pytest.mark.timeout(600)
ARGV = ("python", "show.py", "--name", "a b", "$HOME", "*.py", '{"lr": 0.1}', "", "naïve 训练\n\ttwo", "'\"`\\")
SHELL = 'set +e\npython -c "raise SystemExit(3)" 2>&1 | tee run.log\necho $((1+1)) && ls | wc -l  # ünd\n'


def a_work(spec: ClusterSpec, **changes: Any) -> WorkSpec:
    made = WorkSpec(spec.name, spec.name, ("true",), None, (), 5, None, "job_x", "http://api", "t.o.k", None, None)
    return replace(made, **changes)


async def handed_over(stage: Stage, spec: ClusterSpec, work: WorkSpec) -> dict[str, Any]:
    """What the pods of a running job find as their work."""
    await stage.enter(spec)
    await stage.until_ready(spec)
    engine, api = stage.engine(), stage.cluster.api
    name, namespace = names.work_secret(names.object_name(job_of(spec))), names.namespace(spec.project)

    async def there() -> dict[str, Any] | None:
        await engine.ensure_work(work)
        return api.find("v1", "Secret", name, namespace)

    secret = await eventually(there, within=WITHIN)
    return json.loads(base64.b64decode(secret["data"]["work.json"]))


async def test_case_a3_an_argument_vector_arrives_byte_for_byte(stage: Stage) -> None:
    spec = stage.job(await stage.project())
    work = await handed_over(stage, spec, a_work(spec, argv=ARGV))
    assert (tuple(work["argv"]), work["shell"]) == (ARGV, None)
    # KubeRay's own entrypoint holds nothing of it, so no shell ever looks at it.
    (job,) = stage.cluster.api.list("ray.io/v1", "RayJob", names.namespace(spec.project))
    assert "show.py" not in json.dumps(job)
    await stage.remove(spec.name)


async def test_case_a11_a_shell_line_arrives_as_it_was_typed(stage: Stage) -> None:
    spec = stage.job(await stage.project())
    work = await handed_over(stage, spec, a_work(spec, argv=None, shell=SHELL))
    assert (work["argv"], work["shell"]) == (None, SHELL)
    await stage.remove(spec.name)


async def test_case_a7_every_pod_has_the_whole_grace_period_and_time_to_flush(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project, workers(1))
    assert spec.place is not None
    spec = replace(spec, place=replace(spec.place, grace_seconds=45))
    await stage.enter(spec)
    await stage.until_ready(spec)
    pods = [pod for pod in stage.pods(project) if names.RAY_CLUSTER in pod["metadata"]["labels"]]
    ray = [pod for pod in pods if pod["metadata"]["labels"].get(names.RAY_NODE_TYPE) in ("head", "worker")]
    assert len(ray) == 2
    for pod in ray:
        assert pod["spec"]["terminationGracePeriodSeconds"] == 45 + FLUSH_SECONDS
        # The first container is Ray's, and its preStop ends the work before anything is killed.
        assert pod["spec"]["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][-1] == "end"
    await stage.remove(spec.name)


async def test_case_a9_a_job_whose_requirements_do_not_resolve_never_reaches_the_cluster(stage: Stage) -> None:
    """The engine starts nothing by itself: before the environment is resolved nobody tells it of the job."""
    project = await stage.project()
    spec = stage.job(project)
    assert await stage.queued(spec) is None
    assert stage.cluster.api.list("ray.io/v1", "RayJob", names.namespace(project.slug)) == []
    assert stage.cluster.api.list("kueue.x-k8s.io/v1beta2", "Workload", names.namespace(project.slug)) == []
