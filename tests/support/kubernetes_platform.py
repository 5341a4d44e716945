"""The platform's real processes over a test cluster: one api, operators, a worker, MLflow and Postgres.

Only one platform may work on a cluster at a time: an operator removes jobs there that no row of its database wants.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlp
from cluster.api import Object, holds, wait_until
from cluster.cluster import Cluster
from mlp.schemas.jobs import EnvironmentSpec, Retries
from mlp.schemas.phases import FailureClass
from mlp.schemas.projects import ProjectCreate
from mlp.schemas.resources import Head, Resources, WorkerGroup
from mlp_operator.engines.kubernetes import names
from support.kubernetes_rights import operator_kubeconfig
from support.mlflow_server import running_mlflow
from support.platform import SECRET
from support.postgres import Postgres
from support.service_process import ServiceProcess
from support.worker_process import Broker

GIB = 2**30
KUEUE = "kueue.x-k8s.io/v1beta2"
PROJECT = "demo"
MLFLOW_SECONDS = 900.0
"""Until it answers: it starts beside a whole cluster."""
SERVICES = ("api", "operator-1", "operator-2", "worker")
_MODULES = {"api": "mlp_api.main", "operator": "mlp_operator.main", "worker": "mlp_worker.main"}
_PORTS = {"api": "MLP_API_PORT", "operator": "MLP_OPERATOR_PORT", "worker": "MLP_WORKER_PORT"}
_OF_JOBS = (("ray.io/v1", "RayJob"), ("ray.io/v1", "RayCluster"), (KUEUE, "Workload"), ("v1", "Pod"))
SMALL = Resources(
    head=Head(cpu=1, memory=GIB), groups=[WorkerGroup.model_validate({"name": "prep", "cpu": 1, "memory": GIB})]
)
"""A head and one worker."""
MIXED = Resources(
    head=Head(cpu=1, memory=GIB),
    groups=[
        WorkerGroup.model_validate({"name": "prep", "cpu": 1, "memory": GIB}),
        WorkerGroup.model_validate({"name": "train", "cpu": 1, "memory": GIB, "gpu": 1}),
    ],
)
"""A head, a CPU worker and a GPU worker."""
PATIENT = Retries(max=3, on=[FailureClass.NODE_LOST, FailureClass.INFRA])


@dataclass
class KubernetesPlatform:
    """A running platform and its administrator, who owns its projects."""

    cluster: Cluster
    database_url: str
    client: mlp.Client
    services: dict[str, ServiceProcess]
    token: str
    """The administrator's."""

    def kill(self, *services: str) -> None:
        """kill -9 services, all at once, and start them again as their Deployment would; healthy on return."""
        for name in services:
            self.services[name].kill()
        for name in services:
            self.services[name].start()
        for name in services:
            self.services[name].wait_until_healthy()

    def submit(
        self, run: str, resources: Resources = SMALL, *, project: str = PROJECT, retries: Retries | None = None
    ) -> str:
        """A job whose simulated process runs and ends as `run` says ("8s exit 3"); its id."""
        environment = EnvironmentSpec(variables={"SIMULATED_RUN": run})
        return self.client.jobs.submit(
            ["python", "main.py"], package=None, environment=environment, resources=resources, project=project,
            retries=retries or Retries(),
        ).id  # fmt: skip

    def job(self, job: str, project: str = PROJECT) -> mlp.Job:
        return self.client.jobs.get(job, project=project)

    def until_phases(self, jobs: Sequence[str], *phases: str, within: float, project: str = PROJECT) -> None:
        """Return once every one of the jobs is, or has been found, in one of `phases`; AssertionError otherwise."""
        waiting = dict.fromkeys(jobs, "")

        def all_there() -> bool:
            for job in list(waiting):
                read = self.job(job, project).read
                if str(read.phase) in phases:
                    del waiting[job]
                else:
                    waiting[job] = f"{read.phase} {read.reason}: {read.message}"
            return not waiting

        try:
            wait_until(all_there, f"all jobs are {' or '.join(phases)}", within)
        except Exception as error:
            said = {name: service.said()[-2500:] for name, service in self.services.items() if "operator" in name}
            raise AssertionError(f"{error}; {waiting}\n{said}") from error

    def until_ended(self, jobs: Sequence[str], within: float, project: str = PROJECT) -> None:
        self.until_phases(jobs, "succeeded", "failed", "cancelled", within=within, project=project)

    def left(self, project: str = PROJECT) -> list[str]:
        """What of any job is in the project's namespace."""
        api, namespace = self.cluster.api, names.namespace(project)
        found = [item for version, kind in _OF_JOBS for item in _named(api.list(version, kind, namespace), kind)]
        secrets = [name for name in _named(api.list("v1", "Secret", namespace), "Secret") if "/job-" in name]
        return found + secrets

    def until_nothing_left(self, within: float = 60.0, project: str = PROJECT) -> None:
        wait_until(lambda: not self.left(project), "nothing of any job is left in the cluster", within)

    def ray_jobs(self, project: str = PROJECT) -> list[Object]:
        return self.cluster.api.list("ray.io/v1", "RayJob", names.namespace(project))


def _named(items: Sequence[Object], kind: str) -> list[str]:
    return [f"{kind}/{item['metadata']['name']}" for item in items]


@contextmanager
def running_kubernetes_platform(
    cluster: Cluster, postgres: Postgres, folder: Path, projects: Sequence[str] = (PROJECT,),
    reached_at: str | None = None, **more: str,
) -> Generator[KubernetesPlatform]:  # fmt: skip
    """Start everything; `more` are further variables of all services. The projects' queues are active on return.

    `reached_at` is the address of this machine by which true pods reach the api.

    The pools are what `cluster.nodes` names them, as many machines as the cluster has simulated nodes.
    """
    with ExitStack() as stack:
        database_url = stack.enter_context(postgres.database())
        mlflow = stack.enter_context(running_mlflow(postgres, MLFLOW_SECONDS))
        broker = Broker()
        broker.start()
        stack.callback(broker.kill)
        token = f"mlp_{secrets.token_hex(20)}"
        common = {
            "MLP_DATABASE_URL": database_url,
            "MLP_OBJECT_STORE_URL": f"file://{folder / 'objects'}",
            "MLP_SECRET_KEY": SECRET,
            "MLP_REDIS_URL": broker.url,
            "MLP_MLFLOW_URL": mlflow.base_url,
            "MLP_DATA_DIR": str(folder),
            "MLP_LOG_FORMAT": "console",
            "MLP_ENGINE": "kubernetes",
            "MLP_KUBERNETES_KUBECONFIG": str(operator_kubeconfig(cluster)),
            "MLP_KUBERNETES_RUNTIME_IMAGE": "ray",
            # A pod starts once it has been told its work, as on a true node.
            "MLP_KUBERNETES_ENVIRONMENT": json.dumps({"SIMULATED_SECRETS": "awaited"}),
            **more,
        }
        _bootstrap(cluster, common, token, projects[0])
        services = {name: _service(name, common, folder) for name in SERVICES}
        if reached_at is not None:
            url = f"http://{reached_at}:{services['api'].port}"
            for service in services.values():
                service.environment = {**service.environment, "MLP_API_HOST": "0.0.0.0", "MLP_INTERNAL_URL": url}
        for service in services.values():
            service.start()
            stack.callback(service.kill)
        for service in services.values():
            service.wait_until_healthy()
        client = mlp.Client(f"http://127.0.0.1:{services['api'].port}", token, project=projects[0])
        for project in projects[1:]:
            client.projects.create(ProjectCreate(name=project))
        platform = KubernetesPlatform(cluster, database_url, client, services, token)
        _wait_for_queues(platform, projects)
        yield platform


def _service(name: str, common: dict[str, str], folder: Path) -> ServiceProcess:
    kind = name.partition("-")[0]
    service = ServiceProcess(name, _MODULES[kind], common, folder / f"{name}.log")
    service.environment = common | {_PORTS[kind]: str(service.port)}
    return service


def _bootstrap(cluster: Cluster, environment: dict[str, str], token: str, project: str) -> None:
    """The first user, the pools and a project, as an installation makes them."""
    document: dict[str, Any] = {
        "admin": {"username": "admin", "password": secrets.token_hex(16)},
        "token": token,
        "project": project,
        "pools": [_pool(cluster, "cpu"), _pool(cluster, "gpu")],
    }
    subprocess.run(
        [sys.executable, "-m", "mlp_core.bootstrap"], env=os.environ | environment, check=True, capture_output=True,
        input=json.dumps(document).encode(),
    )  # fmt: skip


def _pool(cluster: Cluster, name: str) -> dict[str, Any]:
    nodes = cluster.api.list("v1", "Node", labels=f"pool={name}")
    shape = nodes[0]["status"]["capacity"]
    return {
        "name": name,
        "cpu": int(shape["cpu"]),
        "memory": shape["memory"],
        "gpu": int(shape.get("nvidia.com/gpu", 0)),
        "machines": len(nodes),
        "labels": {"pool": name},
        "is_default": True,
    }


def _wait_for_queues(platform: KubernetesPlatform, projects: Sequence[str]) -> None:
    def active() -> bool:
        queues = [platform.cluster.api.find(KUEUE, "ClusterQueue", names.cluster_queue(one)) for one in projects]
        return all(queue is not None and holds(queue, "Active") for queue in queues)

    wait_until(active, "the projects' queues are active", 60 + 2 * len(projects))
