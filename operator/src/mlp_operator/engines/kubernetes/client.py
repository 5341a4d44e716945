"""The Kubernetes API, as far as the platform needs it: objects as they are, by apply, read, list and delete.

The official client gives addresses, credentials (renewed) and TLS. What is added is what a control plane lives by:
every call ends by a deadline; what the server refuses for now (429, 5xx, a conflict) is asked again within that
deadline, later and later, or when the server says; and every error says whether to try again.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import aiohttp
import yaml
from kubernetes.aio import client, config

from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.port import EngineError

Manifest = dict[str, Any]

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 4.0
_CONNECT_SECONDS = 5.0
_WATCH_SECONDS = 240
"""After which the server is asked to end a watch; a new one goes on from there."""
_WATCH_SILENCE_SECONDS = 90.0
"""A watch that says nothing for so long, not even a bookmark (one a minute), is dead, whatever its socket says."""


class ApiError(EngineError):
    """The API server refuses."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(f"Kubernetes answers {status} {reason}: {message}" if status else message)
        self.status = status
        self.reason = reason
        self.message = message


class Unavailable(ApiError):
    """Not now: the server, or a webhook it asks, does not answer or is too busy."""


class NotAllowedError(ApiError):
    """The platform's credentials have expired or do not suffice: for an administrator to mend."""


class ExpiredError(ApiError):
    """410: what was known is too old to go on from."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A resource of the API."""

    api_version: str
    plural: str
    kind: str
    namespaced: bool = True

    def path(self, namespace: str | None = None, name: str | None = None, part: str | None = None) -> str:
        root = f"/api/{self.api_version}" if "/" not in self.api_version else f"/apis/{self.api_version}"
        parts = [root]
        if namespace is not None:
            parts += ["namespaces", namespace]
        parts += [self.plural, *(piece for piece in (name, part) if piece is not None)]
        return "/".join(parts)


RAY_JOB = Kind("ray.io/v1", "rayjobs", "RayJob")
RAY_CLUSTER = Kind("ray.io/v1", "rayclusters", "RayCluster")
WORKLOAD = Kind("kueue.x-k8s.io/v1beta2", "workloads", "Workload")
POD = Kind("v1", "pods", "Pod")
SECRET = Kind("v1", "secrets", "Secret")
EVENT = Kind("v1", "events", "Event")
NAMESPACE = Kind("v1", "namespaces", "Namespace", namespaced=False)
NODE = Kind("v1", "nodes", "Node", namespaced=False)
KINDS = {
    (kind.api_version, kind.kind): kind
    for kind in (
        RAY_JOB,
        RAY_CLUSTER,
        WORKLOAD,
        POD,
        SECRET,
        EVENT,
        NAMESPACE,
        NODE,
        Kind("v1", "serviceaccounts", "ServiceAccount"),
        Kind("v1", "resourcequotas", "ResourceQuota"),
        Kind("rbac.authorization.k8s.io/v1", "roles", "Role"),
        Kind("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding"),
        Kind("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy"),
        Kind("kueue.x-k8s.io/v1beta2", "localqueues", "LocalQueue"),
        Kind("kueue.x-k8s.io/v1beta2", "clusterqueues", "ClusterQueue", namespaced=False),
        Kind("kueue.x-k8s.io/v1beta2", "cohorts", "Cohort", namespaced=False),
        Kind("kueue.x-k8s.io/v1beta2", "resourceflavors", "ResourceFlavor", namespaced=False),
        Kind("kueue.x-k8s.io/v1beta2", "workloadpriorityclasses", "WorkloadPriorityClass", namespaced=False),
    )
}


def kind_of(manifest: Manifest) -> Kind:
    return KINDS[manifest["apiVersion"], manifest["kind"]]


@dataclass(frozen=True, slots=True)
class WatchEvent:
    type: str
    """ADDED, MODIFIED, DELETED or BOOKMARK; before them all OPENED, once the server has accepted the watch."""
    object: Manifest


async def configuration(kubeconfig: Path | None) -> client.Configuration:
    """Where the API server is and who we are; None: by the pod's service account. Nothing is asked of it yet.

    Raises:
        NotAllowedError: there are no usable credentials.
    """
    made, loading = client.Configuration(), cast(Any, config)
    # Repetitions are decided here, where it is known what may be repeated.
    made.retries = None
    try:
        if kubeconfig is None:
            loading.load_incluster_config(client_configuration=made)
        else:
            await loading.load_kube_config(config_file=str(kubeconfig), client_configuration=made)
    except (config.ConfigException, yaml.YAMLError, OSError, ValueError, TypeError, KeyError) as error:
        # The loader stumbles over a file that is empty or cut off in all of these ways.
        raise NotAllowedError(0, "NoCredentials", f"The cluster's credentials cannot be used: {error}") from error
    return made


@dataclass(slots=True, eq=False)
class _Connections:
    """A connection pool under one set of credentials. Closed by the last one who uses it, once it is retired."""

    # The library's request layer has no types; what leaves `KubeClient` has.
    api: Any
    users: int = 0
    is_retired: bool = False


class KubeClient:
    """One connection pool, made at the first request and anew when the credentials were refused."""

    def __init__(self, kubeconfig: Path | None, deadline_seconds: float) -> None:
        self._kubeconfig = kubeconfig
        self._deadline = deadline_seconds
        self._made: _Connections | None = None
        self._making = asyncio.Lock()

    async def close(self) -> None:
        made, self._made = self._made, None
        if made is not None:
            await made.api.close()

    @asynccontextmanager
    async def _connections(self) -> AsyncGenerator[_Connections]:
        """
        Raises:
            NotAllowedError: there are no usable credentials.
        """
        async with self._making:
            if self._made is None:
                self._made = _Connections(client.ApiClient(await configuration(self._kubeconfig)))
            made = self._made
        made.users += 1
        try:
            yield made
        except NotAllowedError as error:
            if error.status == 401:
                # They may have been renewed in their file meanwhile: the next request reads it anew. Others may be
                # under way on the old ones, and those must not be closed under them.
                made.is_retired = True
                self._made = None if self._made is made else self._made
            raise
        finally:
            made.users -= 1
            if made.is_retired and made.users == 0:
                await made.api.close()

    # -- objects ---------------------------------------------------------------------------------------------------

    async def apply(self, manifest: Manifest) -> Manifest:
        """Server-side apply: the fields of `manifest` are ours from now on, and only they are written.

        Asking again changes nothing, so a lost answer does no harm.
        """
        metadata = manifest["metadata"]
        path = kind_of(manifest).path(metadata.get("namespace"), metadata["name"])
        query = {"fieldManager": names.MANAGER, "force": "true"}
        return await self.request("PATCH", path, query=query, body=manifest, content=APPLY)

    async def annotate(self, kind: Kind, namespace: str, name: str, metadata: Manifest) -> Manifest | None:
        """Write labels and annotations alone, on an object whose other fields have other owners; None if it is gone."""
        body = {"metadata": metadata}
        query = {"fieldManager": names.MANAGER}
        return await self._unless_gone("PATCH", kind.path(namespace, name), query=query, body=body, content=MERGE)

    async def get(self, kind: Kind, namespace: str | None, name: str) -> Manifest | None:
        return await self._unless_gone("GET", kind.path(namespace, name))

    async def list(self, kind: Kind, namespace: str | None = None, **query: str) -> tuple[list[Manifest], str]:
        """All objects, page by page, and the version of the whole."""
        found: list[Manifest] = []
        more = {"limit": "500", **query}
        while True:
            page = await self.request("GET", kind.path(namespace), query=more)
            items: list[Manifest] = page.get("items") or []
            # Items of a list carry no kind of their own.
            found += [{**item, "apiVersion": kind.api_version, "kind": kind.kind} for item in items]
            version = str(page["metadata"]["resourceVersion"])
            go_on = page["metadata"].get("continue")
            if not go_on:
                return found, version
            more = {**more, "continue": go_on}

    async def delete(self, kind: Kind, namespace: str | None, name: str, uid: str | None = None) -> None:
        """Ask for its removal; with `uid` only of that very object. What is gone already is fine.

        In the foreground: it stays, going, until all that it owns is gone.
        """
        body: Manifest = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
        if uid is not None:
            body["preconditions"] = {"uid": uid}
        try:
            await self._unless_gone("DELETE", kind.path(namespace, name), body=body)
        except ApiError as error:
            if error.status != 409 or uid is None:
                raise

    async def _unless_gone(self, method: str, path: str, **options: Any) -> Manifest | None:
        try:
            return await self.request(method, path, **options)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    # -- one request -------------------------------------------------------------------------------------------------

    async def request(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: Manifest | None = None,
        content: str = "application/json",
    ) -> Manifest:  # fmt: skip
        """One call, asked again within the deadline while the server says or seems to say "later".

        Raises:
            Unavailable: it did not work within the deadline.
            NotAllowedError: the credentials are refused.
            ApiError: any other refusal.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._deadline
        pause = _FIRST_PAUSE_SECONDS
        refusal: Unavailable | None = None
        while True:
            try:
                async with asyncio.timeout_at(until):
                    return await self._once(method, path, query or {}, body, content)
            except Unavailable as error:
                refusal = error
                wait = max(_retry_after(error), pause * random.uniform(0.5, 1.0))  # noqa: S311 - not a secret
                if loop.time() + wait >= until:
                    raise
            except TimeoutError:
                if refusal is not None:
                    # The repetition that the deadline cut off says nothing; what the server said before it does.
                    raise refusal from None
                text = f"The Kubernetes API did not answer within {self._deadline:g} s."
                raise Unavailable(0, "Timeout", text) from None
            await asyncio.sleep(wait)
            pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)

    async def _once(
        self, method: str, path: str, query: Mapping[str, str], body: Manifest | None, content: str
    ) -> Manifest:
        async with self._connections() as made:
            try:
                async with await self._send(made.api, method, path, query, body, content) as response:
                    text = await response.text()
                    _require_success(response, text)
            except (aiohttp.ClientError, OSError) as error:
                raise Unavailable(0, "NotReached", f"The Kubernetes API broke off: {error!r}") from error
        return cast(Manifest, json.loads(text)) if text else {}

    async def _send(
        self, api: Any, method: str, path: str, query: Mapping[str, str], body: Manifest | None, content: str,
        timeout: aiohttp.ClientTimeout | None = None,
    ) -> aiohttp.ClientResponse:  # fmt: skip
        headers = {"Accept": "application/json", "Content-Type": content}
        _, url, headers, body, _ = await api.param_serialize(
            method, path, query_params=list(query.items()), header_params=headers, body=body,
            auth_settings=["BearerToken"],
        )  # fmt: skip
        try:
            response = await api.rest_client.request(
                method, url, headers=headers, body=body,
                _request_timeout=timeout or aiohttp.ClientTimeout(total=self._deadline, connect=_CONNECT_SECONDS),
            )  # fmt: skip
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(0, "NotReached", f"The Kubernetes API cannot be reached: {error}") from error
        return cast(aiohttp.ClientResponse, response.response)

    # -- watching ----------------------------------------------------------------------------------------------------

    async def watch(self, kind: Kind, version: str, **query: str) -> AsyncIterator[WatchEvent]:
        """What happens after `version`, until the server ends the watch.

        Raises:
            ExpiredError: `version` is too old; list again.
            Unavailable: the connection broke or fell silent.
        """
        asked = {
            **query,
            "watch": "true",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        patience = aiohttp.ClientTimeout(total=None, connect=_CONNECT_SECONDS, sock_read=_WATCH_SILENCE_SECONDS)
        async with self._connections() as made:
            response = await self._send(made.api, "GET", kind.path(), asked, None, "application/json", patience)
            try:
                if response.status >= 400:
                    _require_success(response, await response.text())
                yield WatchEvent("OPENED", {})
                async for line in response.content:
                    if line.strip():
                        yield _event(json.loads(line))
            except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
                raise Unavailable(0, "WatchBroken", f"The watch of {kind.plural} broke: {error!r}") from error
            finally:
                response.close()


def _event(line: Manifest) -> WatchEvent:
    if line["type"] == "ERROR":
        status = line["object"]
        code, reason = int(status.get("code") or 0), str(status.get("reason"))
        kind = ExpiredError if code == 410 else Unavailable
        raise kind(code, reason, str(status.get("message")))
    return WatchEvent(line["type"], line["object"])


class _RetryLater(Unavailable):
    def __init__(self, status: int, reason: str, message: str, seconds: float) -> None:
        super().__init__(status, reason, message)
        self.seconds = seconds


def _retry_after(error: Unavailable) -> float:
    return error.seconds if isinstance(error, _RetryLater) else 0.0


def _require_success(response: aiohttp.ClientResponse, text: str) -> None:
    if response.status < 400:
        return
    status, reason, message = response.status, str(response.reason), text[:500]
    try:
        told = json.loads(text)
        reason, message = str(told.get("reason") or reason), str(told.get("message") or message)
    except (ValueError, AttributeError):
        pass
    raise _refusal(status, reason, message, response.headers.get("Retry-After"))


def _refusal(status: int, reason: str, message: str, retry_after: str | None) -> ApiError:
    if status == 410:
        return ExpiredError(status, reason, message)
    if status in (401, 403) and not _is_passing(reason, message):
        return NotAllowedError(status, reason, message)
    # A conflict of server-side apply with `force` is two writers at the same instant; a webhook that is down is a 500.
    passing = status == 429 or status >= 500 or (status == 409 and "the object has been modified" in message)
    if passing or _is_passing(reason, message):
        seconds = float(retry_after) if retry_after is not None and retry_after.isdecimal() else 0.0
        return _RetryLater(status, reason, message, seconds)
    return ApiError(status, reason, message)


def _is_passing(reason: str, message: str) -> bool:
    """A namespace that is being removed refuses with 403, and is there again when the project is."""
    return reason == "Forbidden" and "because it is being terminated" in message
