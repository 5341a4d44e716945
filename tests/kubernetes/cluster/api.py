"""A small client of the Kubernetes API with the rights of an administrator, for booting clusters and for tests."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import httpx

from cluster.pki import Authority, Pair

Object = dict[str, Any]
"""A Kubernetes object as its JSON."""

FIELD_MANAGER = "mlp-test-cluster"
T = TypeVar("T")


class Refused(Exception):
    """The API server answered with an error; the message is its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class TimedOut(Exception):
    """What was waited for did not happen in time."""


class KubernetesApi:
    """Requests to one API server. Refused for every answer that is an error."""

    def __init__(self, url: str, authority: Authority, pair: Pair) -> None:
        tls = ssl.create_default_context(cadata=authority.pem.decode())
        tls.load_cert_chain(pair.certificate, pair.key)
        # Through the loopback of nobody's proxy: the address exists on this machine only.
        self._http = httpx.Client(base_url=url, verify=tls, timeout=120.0, trust_env=False)
        self._resources: dict[str, dict[str, tuple[str, bool]]] = {}

    def close(self) -> None:
        self._http.close()

    def answers(self, path: str) -> bool:
        """Whether a GET of `path` succeeds now."""
        try:
            return self._http.get(path).is_success
        except httpx.HTTPError:
            return False

    def get(self, version: str, kind: str, name: str, namespace: str | None = None) -> Object:
        return self.get_path(self.path(version, kind, name, namespace))

    def get_path(self, path: str) -> Object:
        return self._call("GET", path)

    def find(self, version: str, kind: str, name: str, namespace: str | None = None) -> Object | None:
        """The object, or None where there is none."""
        try:
            return self.get(version, kind, name, namespace)
        except Refused as error:
            if error.status == 404:
                return None
            raise

    def list(self, version: str, kind: str, namespace: str | None = None, labels: str = "") -> list[Object]:
        """All objects of a kind, of one namespace or (None) of all; `labels` is a selector."""
        answer = self._call("GET", self.path(version, kind, None, namespace), params={"labelSelector": labels})
        return cast("list[Object]", answer["items"])

    def changes(self, version: str, kind: str, stop: threading.Event, labels: str = "") -> Iterator[tuple[str, Object]]:
        """What is there (ADDED), then every change (MODIFIED, DELETED) in all namespaces, until `stop` is set.

        Refused where it fell too far behind.
        """
        path = self.path(version, kind)
        listed = self._call("GET", path, params={"labelSelector": labels})
        for item in listed["items"]:
            yield "ADDED", item
        seen = listed["metadata"]["resourceVersion"]
        while not stop.is_set():
            # The server ends it after some seconds, so that `stop` is looked at.
            query = {"watch": "true", "labelSelector": labels, "resourceVersion": seen, "timeoutSeconds": "3"}
            with self._http.stream("GET", path, params=query) as response:
                for line in response.iter_lines():
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        raise Refused(event["object"]["code"], event["object"]["message"])
                    seen = event["object"]["metadata"]["resourceVersion"]
                    yield event["type"], event["object"]

    def apply(self, *objects: Object, manager: str = FIELD_MANAGER) -> None:
        """Apply server-side, in the order given, taking over fields that others own."""
        for body in objects:
            self._call(
                "PATCH",
                self.path_of(body),
                json=body,
                params={"fieldManager": manager, "force": "true"},
                headers={"Content-Type": "application/apply-patch+yaml"},
            )

    def create(self, body: Object) -> Object:
        return self.post(self.path_of(body).rpartition("/")[0], body)

    def patch(self, path: str, change: Object) -> Object:
        """Merge `change` into what is at `path`."""
        return self._call("PATCH", path, json=change, headers={"Content-Type": "application/merge-patch+json"})

    def delete(self, version: str, kind: str, name: str, namespace: str | None = None) -> None:
        """Begin the deletion of an object; none is fine."""
        try:
            self._call("DELETE", self.path(version, kind, name, namespace), params={"propagationPolicy": "Foreground"})
        except Refused as error:
            if error.status != 404:
                raise

    def post(self, path: str, body: Object) -> Object:
        """POST to a path, such as an object's subresource."""
        return self._call("POST", path, json=body)

    def path_of(self, body: Object) -> str:
        metadata = body["metadata"]
        return self.path(body["apiVersion"], body["kind"], metadata["name"], metadata.get("namespace"))

    def path(self, version: str, kind: str, name: str | None = None, namespace: str | None = None) -> str:
        """Where an object is, or without a name the collection of its kind; LookupError for an unknown kind."""
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if kind not in self._resources.get(version, {}):
            self._resources[version] = {
                entry["kind"]: (entry["name"], entry["namespaced"])
                for entry in self._call("GET", root)["resources"]
                if "/" not in entry["name"]
            }
        try:
            plural, namespaced = self._resources[version][kind]
        except KeyError:
            raise LookupError(f"the API server knows no {kind} in {version}") from None
        middle = f"/namespaces/{namespace}" if namespaced and namespace is not None else ""
        return f"{root}{middle}/{plural}" + (f"/{name}" if name is not None else "")

    def _call(self, method: str, path: str, **arguments: Any) -> Object:
        response = self._http.request(method, path, **arguments)
        if response.is_success:
            return cast("Object", response.json())
        try:
            message = str(response.json()["message"])
        except (ValueError, KeyError):
            message = response.text
        raise Refused(response.status_code, f"{method} {path}: {message}")


def wait_until(ask: Callable[[], T | None], what: str, seconds: float = 30.0) -> T:
    """The first answer that is neither None nor false; TimedOut after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        if answer := ask():
            return answer
        if time.monotonic() > deadline:
            raise TimedOut(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.1)


def condition(body: Object | None, kind: str) -> Object | None:
    """A condition in an object's status."""
    found: list[Object] = (body or {}).get("status", {}).get("conditions", [])
    return next((entry for entry in found if entry["type"] == kind), None)


def holds(body: Object | None, kind: str) -> bool:
    """Whether a condition is True."""
    return (condition(body, kind) or {}).get("status") == "True"


@contextmanager
def namespace(api: KubernetesApi, name: str) -> Generator[str]:
    """A namespace of that name for the time of the context; its end is not waited for."""
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    try:
        yield name
    finally:
        api.delete("v1", "Namespace", name)
