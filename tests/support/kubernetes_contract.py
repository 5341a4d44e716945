"""The Kubernetes engine for the contract suite, over whatever cluster the environment names.

The cluster must hold the project `demo` and the pools `cpu` and `gpu`; see `tests/kubernetes/engine/test_contract.py`.
"""

from __future__ import annotations

from pathlib import Path

from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.engine import KubernetesEngine
from mlp_operator.engines.kubernetes.observing import WorkReport
from mlp_operator.engines.kubernetes.placement import Placement
from mlp_operator.engines.kubernetes.settings import KubernetesSettings

KUBECONFIG = "MLP_CONTRACT_KUBECONFIG"


class ContractPools:
    """By the labels that the nodes of the test cluster carry."""

    async def placements(self) -> dict[str, Placement]:
        return {
            "cpu": Placement("cpu", (("pool", "cpu"),)),
            "gpu": Placement("gpu", (("pool", "gpu"),), has_gpus=True),
        }


class NoReports:
    """Simulated nodes run no agents."""

    async def of(self, work: str) -> WorkReport | None:
        return None


def kubernetes_engine(kubeconfig: Path) -> KubernetesEngine:
    settings = KubernetesSettings(kubeconfig=kubeconfig, runtime_image="ray", environment={"SIMULATED_RUN": "600s"})
    client = KubeClient(kubeconfig, settings.request_seconds)
    return KubernetesEngine(settings, client, ContractPools(), NoReports())
