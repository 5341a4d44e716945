"""A small API server over real HTTP: lists in pages, watches with bookmarks, apply, merge, delete, faults on demand.

It speaks the few semantics that clients stumble over. What a real one makes of manifests is for the test cluster.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import yaml
from aiohttp import web

from mlp_operator.engines.kubernetes.client import KINDS

Object = dict[str, Any]


@dataclass
class Fault:
    """An answer in place of the next ones."""

    status: int
    message: str = "not now"
    reason: str = "ServiceUnavailable"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    method: str | None = None
    after_seconds: float = 0.0
    """How long the answer takes."""


@dataclass
class KubeApi:
    """`objects` are by path; each write is a version of its own."""

    objects: dict[str, Object] = field(default_factory=dict[str, Object])
    faults: deque[Fault] = field(default_factory=deque[Fault])
    requests: list[tuple[str, str, dict[str, str], Object | None]] = field(default_factory=list[Any])
    slow_seconds: float = 0.0
    deaf: bool = False
    """Watches are told nothing any more."""
    page: int = 500
    token: str | None = None
    version: int = 100
    compacted: int = 0
    """Watches from before this version get 410."""
    _events: list[tuple[int, str, str, Object]] = field(default_factory=list[Any])
    _watches: set[asyncio.Queue[tuple[str, str, Object] | None]] = field(default_factory=set[Any])
    _runner: web.AppRunner | None = None
    port: int = 0

    async def start(self) -> KubeApi:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def stop(self) -> None:
        self.end_watches()
        if self._runner is not None:
            await self._runner.cleanup()

    def kubeconfig(self, token: str = "a-token") -> str:
        cluster = {"server": f"http://127.0.0.1:{self.port}"}
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "test",
                "contexts": [{"name": "test", "context": {"cluster": "test", "user": "mlp"}}],
                "clusters": [{"name": "test", "cluster": cluster}],
                "users": [{"name": "mlp", "user": {"token": token}}],
            }
        )

    def put(self, path: str, manifest: Object) -> Object:
        """Create or change an object as somebody else would."""
        self.version += 1
        known = self.objects.get(path)
        made = {**manifest, "metadata": {**manifest["metadata"], "resourceVersion": str(self.version)}}
        made["metadata"].setdefault("uid", known["metadata"]["uid"] if known else f"uid-{self.version}")
        made["metadata"].setdefault("creationTimestamp", "2026-11-30T12:00:00Z")
        self.objects[path] = made
        self._tell("MODIFIED" if known else "ADDED", path, made)
        return made

    def remove(self, path: str) -> None:
        self.version += 1
        gone = self.objects.pop(path)
        gone["metadata"]["resourceVersion"] = str(self.version)
        self._tell("DELETED", path, gone)

    def bookmark(self) -> None:
        for queue in self._watches:
            queue.put_nowait(("BOOKMARK", "", {"metadata": {"resourceVersion": str(self.version)}}))

    def end_watches(self) -> None:
        for queue in self._watches:
            queue.put_nowait(None)

    @property
    def watching(self) -> int:
        return len(self._watches)

    # -- requests ----------------------------------------------------------------------------------------------------

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        text = await request.text()
        body = json.loads(text) if text else None
        self.requests.append((request.method, request.path, dict(request.query), body))
        if self.slow_seconds:
            await asyncio.sleep(self.slow_seconds)
        if self.token is not None and request.headers.get("Authorization") != f"Bearer {self.token}":
            return _status(401, "Unauthorized", "Unauthorized")
        if self.faults and self.faults[0].method in (None, request.method):
            fault = self.faults.popleft()
            await asyncio.sleep(fault.after_seconds)
            return _status(fault.status, fault.reason, fault.message, fault.headers)
        match request.method:
            case "GET" if request.query.get("watch") == "true":
                return await self._watch(request)
            case "GET":
                return self._get(request)
            case "PATCH":
                return self._patch(request.path, request.content_type, body or {})
            case "DELETE":
                return self._delete(request.path, body or {})
            case _:
                return _status(405, "MethodNotAllowed", request.method)

    def _get(self, request: web.Request) -> web.Response:
        if request.path in self.objects:
            return web.json_response(self.objects[request.path])
        below = [one for path, one in sorted(self.objects.items()) if _in_collection(path, request.path)]
        if request.path.rsplit("/", 1)[-1] not in _COLLECTIONS:
            return _status(404, "NotFound", f"{request.path} not found")
        selector = request.query.get("labelSelector")
        if selector:
            name, _, value = selector.partition("=")
            below = [one for one in below if one["metadata"].get("labels", {}).get(name) == value]
        begin = int(request.query.get("continue") or 0)
        end = begin + min(self.page, int(request.query.get("limit") or self.page))
        metadata: Object = {"resourceVersion": str(self.version)}
        if end < len(below):
            metadata["continue"] = str(end)
        bare = [{key: value for key, value in one.items() if key not in ("kind", "apiVersion")} for one in below]
        return web.json_response({"metadata": metadata, "items": bare[begin:end]})

    def _patch(self, path: str, content: str, body: Object) -> web.Response:
        known = self.objects.get(path)
        if known is None and "apply" not in content:
            return _status(404, "NotFound", f"{path} not found")
        merged = _merge(known or {"metadata": {}}, body)
        return web.json_response(self.put(path, merged))

    def _delete(self, path: str, body: Object) -> web.Response:
        known = self.objects.get(path)
        if known is None:
            return _status(404, "NotFound", f"{path} not found")
        uid = body.get("preconditions", {}).get("uid")
        if uid is not None and uid != known["metadata"]["uid"]:
            return _status(409, "Conflict", "the UID in the precondition does not match")
        self.remove(path)
        return web.json_response({"kind": "Status", "status": "Success"})

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        since = int(request.query["resourceVersion"])
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        if since < self.compacted:
            gone = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}
            await response.write(json.dumps({"type": "ERROR", "object": gone}).encode() + b"\n")
            return response
        queue: asyncio.Queue[tuple[str, str, Object] | None] = asyncio.Queue()
        for version, kind, path, manifest in self._events:
            if version > since:
                queue.put_nowait((kind, path, manifest))
        self._watches.add(queue)
        try:
            while (event := await queue.get()) is not None:
                kind, path, manifest = event
                if kind == "BOOKMARK" or _in_collection(path, request.path):
                    await response.write(json.dumps({"type": kind, "object": manifest}).encode() + b"\n")
        except ConnectionResetError:
            pass
        finally:
            self._watches.discard(queue)
        return response

    def _tell(self, kind: str, path: str, manifest: Object) -> None:
        self._events.append((self.version, kind, path, json.loads(json.dumps(manifest))))
        for queue in self._watches if not self.deaf else ():
            queue.put_nowait((kind, path, manifest))


_COLLECTIONS = frozenset(kind.plural for kind in KINDS.values())


def _in_collection(path: str, collection: str) -> bool:
    """Whether an object lies in a collection, of its namespace or of all of them."""
    parts, wanted = path.strip("/").split("/"), collection.strip("/").split("/")
    if parts[:-1] == wanted:
        return True
    cluster_wide = [
        part for index, part in enumerate(parts[:-1]) if part != "namespaces" and parts[index - 1] != "namespaces"
    ]
    return "namespaces" in parts[:-2] and cluster_wide == wanted


def _merge(known: Object, change: Object) -> Object:
    merged = dict(known)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            merged[key] = _merge(merged.get(key) or {}, value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            merged[key] = value
    return merged


def _status(code: int, reason: str, message: str, headers: dict[str, str] | None = None) -> web.Response:
    body = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
    return web.json_response(body, status=code, headers=headers)
