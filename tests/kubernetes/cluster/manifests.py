"""The manifests of KubeRay and Kueue, from the `config` folders of their releases, for managers outside the cluster."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from cluster.api import Object

KUEUE_NAMESPACE = "kueue-system"
KUEUE_ACCOUNT = "kueue-controller-manager"
KUBERAY_NAMESPACE = "ray-system"
KUBERAY_ACCOUNT = "kuberay-operator"
_PREFIX = "kueue-"
_SERVED = {"ray.io", "kueue.x-k8s.io"}
"""The API groups whose objects pass Kueue's webhooks; those for pods and deployments would slow down all the rest."""


@dataclass(frozen=True)
class Manifests:
    """What to apply, in this order; the webhooks only once somebody listens behind them."""

    definitions: list[Object]
    roles: list[Object]
    webhooks: list[Object]


def kuberay_manifests(config: Path) -> Manifests:
    """KubeRay's definitions, and the role of its operator in a namespace of its own."""
    roles = [_namespace(KUBERAY_NAMESPACE)]
    for body in _resources(config / "rbac"):
        if body["kind"] in ("ServiceAccount", "Role", "RoleBinding"):
            body["metadata"]["namespace"] = KUBERAY_NAMESPACE
        for subject in body.get("subjects", []):
            subject["namespace"] = KUBERAY_NAMESPACE
        roles.append(body)
    return Manifests(_definitions(config / "crd"), roles, [])


def kueue_manifests(config: Path, webhook_url: str, authority: bytes) -> Manifests:
    """Kueue's, with its webhooks called by URL and its names prefixed as its release has them."""
    bundle = base64.b64encode(authority).decode()

    def by_url(path: str) -> Object:
        return {"url": webhook_url + path, "caBundle": bundle}

    definitions = _definitions(config / "components/crd")
    converted = {
        patch["metadata"]["name"]: patch["spec"]["conversion"] for patch in _patches(config / "components/crd")
    }
    for definition in definitions:
        if conversion := converted.get(definition["metadata"]["name"]):
            conversion["webhook"]["clientConfig"] = by_url("/convert")
            definition["spec"]["conversion"] = conversion

    roles = [_namespace(KUEUE_NAMESPACE), *(_prefixed(body) for body in _resources(config / "components/rbac"))]
    # The server of queue positions ends Kueue when it may not read how the API server authenticates others.
    for binding in _documents(config / "components/visibility/role_binding.yaml"):
        roles.append(_prefixed(binding))
        binding["metadata"]["namespace"] = "kube-system"

    webhooks: list[Object] = []
    for body in _documents(config / "components/webhook/manifests.yaml"):
        body["metadata"]["name"] = _PREFIX + body["metadata"]["name"]
        body["webhooks"] = [hook for hook in body["webhooks"] if _groups(hook) <= _SERVED]
        for hook in body["webhooks"]:
            hook["clientConfig"] = by_url(hook["clientConfig"]["service"]["path"])
        webhooks.append(body)
    return Manifests(definitions, roles, webhooks)


def _definitions(folder: Path) -> list[Object]:
    return [_without_descriptions(definition) for definition in _resources(folder)]


def _prefixed(body: Object) -> Object:
    """A role or binding under the names and in the namespace of Kueue's release."""
    metadata = body["metadata"]
    metadata["name"] = _PREFIX + metadata["name"]
    if body["kind"] in ("ServiceAccount", "Role", "RoleBinding"):
        metadata["namespace"] = KUEUE_NAMESPACE
    if "roleRef" in body and body["roleRef"]["name"] != "extension-apiserver-authentication-reader":
        body["roleRef"]["name"] = _PREFIX + body["roleRef"]["name"]
    for subject in body.get("subjects", []):
        subject["name"] = _PREFIX + subject["name"]
        subject["namespace"] = KUEUE_NAMESPACE
    for rule in body.get("rules", []):
        names = cast("list[str]", rule.get("resourceNames", []))
        rule["resourceNames"] = [_PREFIX + name if name.endswith("webhook-configuration") else name for name in names]
        if not names:
            del rule["resourceNames"]
    return body


def _groups(hook: Object) -> set[str]:
    return {group for rule in hook["rules"] for group in rule["apiGroups"]}


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _resources(folder: Path) -> Iterator[Object]:
    """All objects that a folder's kustomization lists."""
    for name in next(_documents(folder / "kustomization.yaml"))["resources"]:
        yield from _documents(folder / name)


def _patches(folder: Path) -> Iterator[Object]:
    for patch in next(_documents(folder / "kustomization.yaml"))["patches"]:
        yield from _documents(folder / patch["path"])


def _without_descriptions(schema: Any) -> Any:
    """The same schema without its prose, which is most of it and costs the API server time and memory."""
    if isinstance(schema, list):
        return [_without_descriptions(entry) for entry in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    entries = cast("dict[str, Any]", schema).items()
    # A property may be called `description` too; that is no text.
    return {
        key: _without_descriptions(value)
        for key, value in entries
        if key != "description" or not isinstance(value, str)
    }


def _documents(path: Path) -> Iterator[Object]:
    # The definitions are megabytes; the loader in C reads them ten times as fast.
    loaded = yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader)
    yield from (cast("dict[str, Any]", document) for document in loaded if document is not None)
