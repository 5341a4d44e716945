"""The contract that both engines keep, as far as simulated nodes can show it: clusters. Works need true nodes."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from mlp_operator.engines.kubernetes.manifests.tenancy import Project
from support.kubernetes_contract import KUBECONFIG
from support.kubernetes_rights import operator_kubeconfig
from support.kubernetes_stage import Stage

ROOT = Path(__file__).parents[3]
SUITE = "tests/integration/engine_contract/test_a_cluster.py"


@pytest.mark.timeout(600)
async def test_the_engine_keeps_the_contract_s_part_on_clusters(stage: Stage) -> None:
    stage.source.projects["prj_demo"] = Project("prj_demo", "demo", "contract")
    await stage.tenancy.keep()
    suite = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pytest", "-q", SUITE, "-k", "kubernetes", "-rs",
        cwd=ROOT, env={**os.environ, KUBECONFIG: str(operator_kubeconfig(stage.cluster))},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    told, _ = await suite.communicate()
    assert suite.returncode == 0, told.decode()
    assert "4 passed" in told.decode()
