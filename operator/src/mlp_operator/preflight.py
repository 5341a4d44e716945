"""Whether a cluster has what the platform stands on: `python -m mlp_operator.preflight --kuberay ... --kueue ...`.

Run by the chart before each install and upgrade, in a pod whose service account may read custom resource definitions
and the two deployments by name, and nothing else. It asks the API server directly: five reads need no client library.

Exit codes: 0 all is well, perhaps with warnings; 1 something is missing or too old, each named in a line of its own;
5 the API server did not answer.
"""

from __future__ import annotations

import argparse
import os
import re
import ssl
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
OLDEST_KUBERNETES = (1, 29)
"""Native sidecar containers, which carry a job's agent, are on since then."""
TIMEOUT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Needed:
    """One resource that the operator uses."""

    crd: str
    version: str
    """Of its API, which must be served."""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """A controller that must run on the cluster."""

    name: str
    resources: tuple[Needed, ...]
    tested: str
    """The version that the platform is tested with."""
    namespace: str
    deployment: str
    install: str
    """Where it says how."""


@dataclass(frozen=True, slots=True)
class Finding:
    is_fatal: bool
    text: str


KUBERAY = tuple(Needed(f"{kind}.ray.io", "v1") for kind in ("rayclusters", "rayjobs"))
KUEUE = tuple(
    Needed(f"{kind}.kueue.x-k8s.io", "v1beta2")
    for kind in ("clusterqueues", "cohorts", "localqueues", "resourceflavors", "workloadpriorityclasses", "workloads")
)


def check_kubernetes(version: Mapping[str, Any]) -> list[Finding]:
    """Judge the answer of `/version`."""
    found = (_number(str(version.get("major", ""))), _number(str(version.get("minor", ""))))
    if found >= OLDEST_KUBERNETES:
        return []
    wanted = ".".join(map(str, OLDEST_KUBERNETES))
    return [Finding(True, f"Kubernetes is {version.get('gitVersion')}: the platform needs {wanted} or newer.")]


def check(
    prerequisite: Prerequisite, crds: Mapping[str, Mapping[str, Any] | None], deployment: Mapping[str, Any] | None
) -> list[Finding]:
    """Judge what was read of one prerequisite. None: the cluster has no such object."""
    advice = f"Upgrade {prerequisite.name} to {prerequisite.tested}."
    missing = [needed.crd for needed in prerequisite.resources if crds[needed.crd] is None]
    if missing:
        return [
            Finding(
                True,
                f"{prerequisite.name} is not installed: the cluster lacks {', '.join(missing)}."
                f" Install {prerequisite.name} {prerequisite.tested} first, see {prerequisite.install}.",
            )
        ]
    findings = [
        Finding(True, f"{needed.crd} is {_offered(crds[needed.crd])}, not as {needed.version}. {advice}")
        for needed in prerequisite.resources
        if needed.version not in _served(crds[needed.crd])
    ]
    return findings + _check_version(prerequisite, deployment)


def _check_version(prerequisite: Prerequisite, deployment: Mapping[str, Any] | None) -> list[Finding]:
    where = f"{prerequisite.namespace}/{prerequisite.deployment}"
    if deployment is None:
        return [Finding(False, f"There is no Deployment {where}, so the version of {prerequisite.name} is unknown.")]
    tag = _tag(deployment)
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", tag)
    if found is None:
        return [Finding(False, f"The image tag '{tag}' of {where} tells no version of {prerequisite.name}.")]
    version, tested = found.group(), prerequisite.tested
    findings: list[Finding] = []
    if not deployment.get("status", {}).get("availableReplicas"):
        findings.append(Finding(False, f"{where} has no available replica: jobs wait until {prerequisite.name} runs."))
    if _minor(version) < _minor(tested):
        text = (
            f"{prerequisite.name} is {version}: upgrade it to {tested}, the version that the platform is tested with."
        )
        return [*findings, Finding(True, text)]
    if _minor(version) > _minor(tested):
        text = f"{prerequisite.name} is {version}, newer than {tested}, which the platform is tested with."
        return [*findings, Finding(False, text)]
    return findings


def _served(crd: Mapping[str, Any] | None) -> list[str]:
    versions: Iterable[Mapping[str, Any]] = (crd or {}).get("spec", {}).get("versions", [])
    return [str(version["name"]) for version in versions if version.get("served")]


def _offered(crd: Mapping[str, Any] | None) -> str:
    served = _served(crd)
    return f"served as {', '.join(served)}" if served else "not served at all"


def _tag(deployment: Mapping[str, Any]) -> str:
    containers: Sequence[Mapping[str, Any]] = deployment["spec"]["template"]["spec"]["containers"]
    image = str(containers[0]["image"]).partition("@")[0]
    return image.rpartition("/")[2].partition(":")[2]


def _minor(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def _number(text: str) -> int:
    """Clouds say `30+`."""
    found = re.match(r"\d+", text)
    return int(found.group()) if found else 0


def read(client: httpx.Client, prerequisite: Prerequisite) -> list[Finding]:
    """Read what one prerequisite has on the cluster, and judge it.

    Raises:
        httpx.HTTPError: the API server did not answer, or refused.
    """
    crds = {
        needed.crd: _get(client, f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{needed.crd}")
        for needed in prerequisite.resources
    }
    path = f"/apis/apps/v1/namespaces/{prerequisite.namespace}/deployments/{prerequisite.deployment}"
    return check(prerequisite, crds, _get(client, path))


def _get(client: httpx.Client, path: str) -> dict[str, Any] | None:
    answer = client.get(path)
    return None if answer.status_code == HTTPStatus.NOT_FOUND else answer.raise_for_status().json()


def connect(account: Path, variables: Mapping[str, str]) -> httpx.Client:
    """A client of the API server, as a pod's service account."""
    host, port = variables["KUBERNETES_SERVICE_HOST"], variables["KUBERNETES_SERVICE_PORT"]
    literal = f"[{host}]" if ":" in host else host
    return httpx.Client(
        base_url=f"https://{literal}:{port}",
        headers={"authorization": f"Bearer {(account / 'token').read_text(encoding='utf-8').strip()}"},
        verify=ssl.create_default_context(cafile=str(account / "ca.crt")),
        timeout=TIMEOUT_SECONDS,
        trust_env=False,
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m mlp_operator.preflight")
    parser.add_argument("--kuberay", required=True, metavar="VERSION=NAMESPACE/DEPLOYMENT")
    parser.add_argument("--kueue", required=True, metavar="VERSION=NAMESPACE/DEPLOYMENT")
    parser.add_argument("--account", type=Path, default=ACCOUNT, help="folder with token and ca.crt")
    options = parser.parse_args(arguments)
    wanted = (
        _prerequisite("KubeRay", KUBERAY, options.kuberay, "https://docs.ray.io/en/latest/cluster/kubernetes"),
        _prerequisite("Kueue", KUEUE, options.kueue, "https://kueue.sigs.k8s.io/docs/installation"),
    )
    try:
        with connect(options.account, os.environ) as client:
            findings = check_kubernetes(_get(client, "/version") or {})
            for prerequisite in wanted:
                findings += read(client, prerequisite)
    except httpx.HTTPError as error:
        sys.stderr.write(f"The API server could not be asked: {error}\n")
        return 5
    for finding in findings:
        sys.stdout.write(f"{'MISSING' if finding.is_fatal else 'WARNING'}: {finding.text}\n")
    is_fatal = any(finding.is_fatal for finding in findings)
    if not is_fatal:
        sys.stdout.write("KubeRay and Kueue are there.\n")
    return int(is_fatal)


def _prerequisite(name: str, resources: tuple[Needed, ...], option: str, install: str) -> Prerequisite:
    version, _, place = option.partition("=")
    namespace, _, deployment = place.partition("/")
    return Prerequisite(name, resources, version, namespace, deployment, install)


if __name__ == "__main__":
    sys.exit(main())
