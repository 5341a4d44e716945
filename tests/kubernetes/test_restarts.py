"""Everything that may die dies, kill -9, in the middle of twenty jobs: each ends rightly, once, and leaves nothing."""

from __future__ import annotations

import itertools
import os
import random
import signal
from collections.abc import Callable, Generator, Sequence

import pytest

import mlp
from cluster.api import Object, wait_until
from cluster.cluster import Cluster, running_cluster, running_cluster_of
from cluster.nodes import cpu_nodes, gpu_nodes, lose_node
from cluster.requirements import missing_requirements
from mlp.schemas.jobs import AttemptRead
from mlp_operator.engines.kubernetes import names
from support.kubernetes_platform import MIXED, PATIENT, PROJECT, SMALL, KubernetesPlatform, running_kubernetes_platform
from support.one_at_a_time import Watched, watching_attempts
from support.postgres import Postgres

pytestmark = pytest.mark.timeout(1800)
JOBS = 20
FAILING = {4, 13}
WITH_GPU = {2, 11, 17}
NAMESPACE = names.namespace(PROJECT)


@pytest.fixture(scope="module")
def own_cluster() -> Generator[Cluster]:
    """A cluster that nobody else uses: its programs are killed here, and a whole platform works on it.

    The one of `make cluster` where MLP_OWN_TEST_CLUSTER names it.
    """
    if missing := missing_requirements():
        pytest.skip(" ".join(missing))
    if number := os.environ.get("MLP_OWN_TEST_CLUSTER"):
        yield running_cluster_of(int(number))
        return
    with running_cluster(print, [*cpu_nodes(6), *gpu_nodes(2)]) as made:
        yield made


@pytest.fixture(scope="module")
def platform(
    own_cluster: Cluster, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Generator[KubernetesPlatform]:
    folder = tmp_path_factory.mktemp("platform")
    with running_kubernetes_platform(own_cluster, postgres, folder) as made:
        yield made


@pytest.fixture
def watched(own_cluster: Cluster) -> Generator[Watched]:
    with watching_attempts(own_cluster) as made:
        yield made


def test_twenty_jobs_survive_the_death_of_every_service(platform: KubernetesPlatform, watched: Watched) -> None:
    jobs = submit_twenty(platform, "20s")
    order = ["operator-1", "api", "operator-2", "worker", "api"]
    random.Random(2026).shuffle(order)
    for service in order:
        platform.kill(service)
    platform.kill("operator-1", "operator-2")
    assert_ended_once(platform, jobs, watched)


def test_an_operator_killed_as_it_writes_repeats_nothing(platform: KubernetesPlatform, watched: Watched) -> None:
    """Both are killed at the very moment at which something that they have written shows in the cluster."""
    jobs: list[str] = []
    for written in (ray_jobs, secrets_of_works, bound_ray_jobs, ray_jobs, going_ray_jobs, secrets_of_works):
        before = written(platform)
        jobs += [platform.submit("3s") for _ in range(3)]
        wait_until(lambda written=written, before=before: written(platform) - before, f"new {written.__name__}", 120)
        platform.kill("operator-1", "operator-2")
    platform.until_ended(jobs, within=240)
    for job in jobs:
        assert_one_attempt(platform.job(job), "succeeded")
    assert_once_and_clean(platform, jobs, watched)


@pytest.mark.parametrize("part", ["kube-apiserver", "etcd", "ray-operator", "kueue"])
def test_twenty_jobs_survive_the_death_of_a_part_of_the_cluster(
    platform: KubernetesPlatform, watched: Watched, part: str
) -> None:
    jobs = submit_twenty(platform, "15s")
    platform.until_phases(jobs[:1], "running", "sealing", "succeeded", within=120)
    kill_part(platform.cluster, part)
    assert_ended_once(platform, jobs, watched)


def test_while_kueue_is_down_submits_are_kept_and_go_through_later(
    platform: KubernetesPlatform, watched: Watched
) -> None:
    programs = platform.cluster.programs
    programs.stop("kueue", patience=0)
    try:
        jobs = [platform.submit("2s") for _ in range(5)]
        wait_until(lambda: all(platform.job(job).reason == "KueueAway" for job in jobs), "all say why they wait", 60)
        assert all(platform.job(job).phase == "queued" for job in jobs)
        assert platform.ray_jobs() == []
    finally:
        platform.cluster.operators.start_kueue()
    platform.until_ended(jobs, within=180)
    for job in jobs:
        assert_one_attempt(platform.job(job), "succeeded")
    assert_once_and_clean(platform, jobs, watched)


def test_twenty_jobs_survive_the_loss_of_heads_and_workers(platform: KubernetesPlatform, watched: Watched) -> None:
    headless = [platform.submit("60s", retries=PATIENT) for _ in range(3)]
    workerless = [platform.submit("60s", MIXED, retries=PATIENT) for _ in range(3)]
    jobs = [*headless, *workerless, *(platform.submit("15s", retries=PATIENT) for _ in range(JOBS - 6))]
    platform.until_phases([*headless, *workerless], "running", within=240)
    for job in headless:
        delete_pod(platform, job, "head")
    for job in workerless:
        delete_pod(platform, job, "prep")
    platform.until_ended(jobs, within=420)
    for job in jobs:
        attempts = attempts_of(platform.job(job), "succeeded")
        if job in headless:
            assert [attempt.failure.failure_class for attempt in attempts if attempt.failure] == ["node_lost"], attempts
            assert len(attempts) == 2
        else:
            assert len(attempts) == 1, attempts
    assert_once_and_clean(platform, jobs, watched)


def test_twenty_jobs_survive_the_loss_of_a_node(platform: KubernetesPlatform, watched: Watched) -> None:
    jobs = [platform.submit("90s", retries=PATIENT) for _ in range(JOBS)]
    platform.until_phases(jobs, "running", "sealing", "succeeded", within=240)
    lost = node_with_a_head(platform)
    beside = {pod["metadata"]["labels"][names.JOB] for pod in pods_of(platform) if pod["spec"]["nodeName"] == lost}
    lose_node(platform.cluster.api, lost)
    # As a cloud does once the machine is gone; until then Kubernetes hopes for it.
    platform.cluster.api.delete("v1", "Node", lost)
    platform.until_ended(jobs, within=600)
    for job in jobs:
        attempts = attempts_of(platform.job(job), "succeeded")
        failures = {attempt.failure.failure_class for attempt in attempts if attempt.failure}
        assert failures <= ({"node_lost", "infra"} if job in beside else set()), attempts
    assert_once_and_clean(platform, jobs, watched)


# -- what is killed -------------------------------------------------------------------------------------------------


def kill_part(cluster: Cluster, part: str) -> None:
    """kill -9, and start it again as the machine's own supervisor would."""
    cluster.programs.signal(part, signal.SIGKILL)
    cluster.programs.stop(part, patience=0)
    start: dict[str, Callable[[], None]] = {
        "kube-apiserver": cluster.plane.start_api_server,
        "etcd": cluster.plane.start_etcd,
        "ray-operator": cluster.operators.start_ray_operator,
        "kueue": cluster.operators.start_kueue,
    }
    start[part]()


def pods_of(platform: KubernetesPlatform) -> list[Object]:
    pods = platform.cluster.api.list("v1", "Pod", NAMESPACE, names.JOB)
    return [pod for pod in pods if pod["spec"].get("nodeName")]


def delete_pod(platform: KubernetesPlatform, job: str, group: str) -> None:
    pods = platform.cluster.api.list("v1", "Pod", NAMESPACE, f"{names.JOB}={job},{names.GROUP}={group}")
    platform.cluster.api.delete("v1", "Pod", pods[0]["metadata"]["name"], NAMESPACE)


def node_with_a_head(platform: KubernetesPlatform) -> str:
    heads = [pod for pod in pods_of(platform) if pod["metadata"]["labels"][names.GROUP] == "head"]
    return str(heads[0]["spec"]["nodeName"])


# -- what the operators write ---------------------------------------------------------------------------------------


def ray_jobs(platform: KubernetesPlatform) -> set[str]:
    return {job["metadata"]["uid"] for job in platform.ray_jobs()}


def bound_ray_jobs(platform: KubernetesPlatform) -> set[str]:
    return {job["metadata"]["uid"] for job in platform.ray_jobs() if names.ATTEMPT in job["metadata"]["labels"]}


def going_ray_jobs(platform: KubernetesPlatform) -> set[str]:
    return {job["metadata"]["uid"] for job in platform.ray_jobs() if "deletionTimestamp" in job["metadata"]}


def secrets_of_works(platform: KubernetesPlatform) -> set[str]:
    found = platform.cluster.api.list("v1", "Secret", NAMESPACE, names.ATTEMPT)
    return {secret["metadata"]["uid"] for secret in found}


# -- what must hold -------------------------------------------------------------------------------------------------


def submit_twenty(platform: KubernetesPlatform, run: str) -> list[str]:
    """Two of them fail by their own fault, three have a GPU group."""
    return [
        platform.submit(
            f"{run} exit 3" if number in FAILING else run,
            MIXED if number in WITH_GPU else SMALL,
            retries=PATIENT,
        )
        for number in range(JOBS)
    ]


def assert_ended_once(platform: KubernetesPlatform, jobs: Sequence[str], watched: Watched) -> None:
    """All of them as told, in their first attempt."""
    platform.until_ended(jobs, within=420)
    for number, job in enumerate(jobs):
        assert_one_attempt(platform.job(job), "failed" if number in FAILING else "succeeded")
    assert_once_and_clean(platform, jobs, watched)


def assert_one_attempt(job: mlp.Job, phase: str) -> None:
    attempts = attempts_of(job, phase)
    assert len(attempts) == 1, [(one.number, one.failure) for one in attempts]


def attempts_of(job: mlp.Job, phase: str) -> list[AttemptRead]:
    """The attempts in their order, of a job that ended in `phase`, once; none began before the one before it ended."""
    assert job.phase == phase, job.read
    ends = [event for event in job.events if event.data.get("phase") in ("succeeded", "failed", "cancelled")]
    assert len(ends) == 1, ends
    attempts = sorted(job.attempts, key=lambda attempt: attempt.number)
    assert [attempt.number for attempt in attempts] == list(range(1, len(attempts) + 1))
    for earlier, later in itertools.pairwise(attempts):
        assert earlier.ended_at is not None
        assert earlier.ended_at <= later.created_at
    return attempts


def assert_once_and_clean(platform: KubernetesPlatform, jobs: Sequence[str], watched: Watched) -> None:
    """The cluster itself agrees: as many Ray clusters as attempts, never two at once, and nothing of them left."""
    platform.until_nothing_left()
    assert watched.looks > 0
    assert watched.overlaps == []
    for job in jobs:
        assert len(watched.clusters[job]) <= len(platform.job(job).attempts), job
