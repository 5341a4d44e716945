"""A small real HTTP server that takes what the agent sends, by the rule of the api: the server is the authority."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

ARTIFACT_PART_BYTES = 64 * 1024
_ARTIFACT = re.compile(r"/api/v1/agent/artifacts/(?P<id>\d+)(?:/parts/(?P<part>\d+)|:complete)")

Fault = Callable[["AgentApi", BaseHTTPRequestHandler], bool]
"""Called for each request; True where it has dealt with it (or broken it) itself."""


@dataclass
class Artifact:
    """A file as far as it has arrived."""

    size: int
    content: bytearray = field(default_factory=bytearray)
    complete: bool = False
    puts: int = 0


@dataclass
class AgentApi:
    """Keeps what arrives; `faults` are used up one per request, first come first served."""

    logs: dict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    points: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    samples: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    reports: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    packages: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """By digest; whoever asks for one must say from which byte on."""
    metrics_at: int = 0
    part_bytes: int = ARTIFACT_PART_BYTES
    artifacts: dict[str, Artifact] = field(default_factory=dict[str, Artifact])
    """By path, which lies below the folder."""
    segments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    arrivals: list[tuple[float, str, int]] = field(default_factory=list[tuple[float, str, int]])
    """(monotonic time, source, bytes stored by then)."""
    requests: int = 0
    faults: list[Fault | None] = field(default_factory=list[Fault | None])
    token: str = "job-token"
    port: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)
    connections: set[socket.socket] = field(default_factory=set[socket.socket])
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> AgentApi:
        """Listen; on the port of before where it was stopped."""
        api = self

        class Handler(_Handler):
            owner = api

        ThreadingHTTPServer.daemon_threads = True
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        """Go away, and cut the connections that are kept."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def wait_for(self, condition: Callable[[], bool], seconds: float = 20.0) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, seconds), "the agent did not get there in time"

    def handle(self, request: BaseHTTPRequestHandler) -> tuple[int, dict[str, Any] | bytes]:
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return 401, {"code": "not_signed_in"}
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        match request.command, request.path:
            case "GET", "/api/v1/agent/cursors":
                return 200, {
                    "sources": {name: len(kept) for name, kept in self.logs.items()},
                    "metrics": self.metrics_at,
                }
            case "PUT", "/api/v1/agent/segments":
                return self._segment(request, body)
            case "POST", "/api/v1/agent/metrics":
                return self._metrics(json.loads(body))
            case "POST", "/api/v1/agent/samples":
                self.samples.append(json.loads(body))
                return 200, {}
            case "PUT", "/api/v1/agent/report":
                self.reports.append(json.loads(body))
                return 204, b""
            case "GET", path if "/packages/" in path:
                return self._package(unquote(path), request.headers.get("Range"))
            case _, path if path.startswith("/api/v1/agent/artifacts"):
                return self._artifact(path, body)
            case _:
                return 404, {"code": "not_found"}

    def _segment(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, Any]]:
        source, start = request.headers["X-Log-Source"], int(request.headers["X-Log-Start"])
        raw = gzip.decompress(body)
        assert len(raw) == int(request.headers["X-Log-Length"])
        assert 0 < len(raw) <= 1 << 20
        kept = self.logs[source]
        if start > len(kept):
            return 409, {"code": "log_gap", "data": {"next_byte": len(kept)}}
        if start == len(kept):
            kept.extend(raw)
            times = json.loads(request.headers["X-Log-Times"])
            offsets = [offset for offset, _ in times]
            assert offsets == sorted(set(offsets))
            assert len(offsets) <= 200
            self.segments.append({"source": source, "start": start, "length": len(raw), "times": times})
            self.arrivals.append((time.monotonic(), source, len(kept)))
        return 201, {"next_byte": len(kept)}

    def _package(self, path: str, wanted: str | None) -> tuple[int, dict[str, Any] | bytes]:
        content = self.packages.get(path.split("/")[-2])
        if content is None:
            return 404, {"code": "not_found"}
        if wanted is None:
            return 200, content
        start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        return (206, content[start:]) if start < len(content) else (416, b"")

    def files(self) -> dict[str, bytes]:
        """Complete artifacts by path."""
        return {path: bytes(kept.content) for path, kept in self.artifacts.items() if kept.complete}

    def _artifact(self, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        names = list(self.artifacts)
        match = _ARTIFACT.fullmatch(path)
        if match is None:
            wanted = json.loads(body)
            name = wanted["path"]
            if name == "poison":
                return 422, {"code": "invalid"}
            kept = self.artifacts.setdefault(name, Artifact(wanted["size"]))
            return 200, self._upload(list(self.artifacts).index(name), kept)
        kept = self.artifacts[names[int(match["id"])]]
        if match["part"] is not None:
            assert len(body) == min(self.part_bytes, kept.size - int(match["part"]) * self.part_bytes)
            if int(match["part"]) * self.part_bytes == len(kept.content):
                kept.puts += 1
                kept.content += body
        elif json.loads(body)["sha256"] == hashlib.sha256(kept.content).hexdigest():
            kept.complete = True
        else:
            kept.content.clear()
            return 422, {"code": "digest_mismatch"}
        return 200, self._upload(int(match["id"]), kept)

    def _upload(self, id_: int, kept: Artifact) -> dict[str, Any]:
        return {
            "id": str(id_),
            "parts": -(-kept.size // self.part_bytes),
            "next_part": -(-len(kept.content) // self.part_bytes),
            "part_size": self.part_bytes,
            "complete": kept.complete,
        }

    def _metrics(self, post: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if any(point["key"] == "poison" for point in post["points"]):
            return 422, {"code": "invalid"}
        if post["start"] > self.metrics_at:
            return 409, {"code": "metrics_gap", "data": {"next_byte": self.metrics_at}}
        if post["start"] == self.metrics_at:
            self.points.extend(post["points"])
            self.metrics_at = post["end"]
        return 200, {"next_byte": self.metrics_at}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: AgentApi
    lock = threading.Lock()

    def setup(self) -> None:
        super().setup()
        self.owner.connections.add(self.connection)

    def finish(self) -> None:
        self.owner.connections.discard(self.connection)
        super().finish()

    def _any(self) -> None:
        api = self.owner
        api.requests += 1
        fault = api.faults.pop(0) if api.faults else None
        if fault is not None and fault(api, self):
            return
        with self.lock:
            status, body = api.handle(self)
        with api.changed:
            api.changed.notify_all()
        self.reply(status, body)

    do_GET = do_PUT = do_POST = _any  # noqa: N815 - the names that the standard library looks for

    def reply(self, status: int, body: dict[str, Any] | bytes) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass


def unwell(api: AgentApi, request: BaseHTTPRequestHandler) -> bool:
    """503 without reading: nothing is stored."""
    request.rfile.read(int(request.headers.get("Content-Length") or 0))
    assert isinstance(request, _Handler)
    request.reply(503, {"code": "unavailable"})
    return True


def broken_after_storing(api: AgentApi, request: BaseHTTPRequestHandler) -> bool:
    """Stored, but killed in the middle of the answer."""
    with _Handler.lock:
        api.handle(request)
    request.wfile.write(b'HTTP/1.1 201 Created\r\nContent-Length: 40\r\n\r\n{"next')
    _hang_up(request)
    return True


def broken_before_storing(api: AgentApi, request: BaseHTTPRequestHandler) -> bool:
    _hang_up(request)
    return True


def broken_download(api: AgentApi, request: BaseHTTPRequestHandler) -> bool:
    """The first half of what would be answered, under the length of the whole."""
    status, body = api.handle(request)
    assert isinstance(body, bytes)
    request.wfile.write(f"HTTP/1.1 {status} OK\r\nContent-Length: {len(body)}\r\n\r\n".encode())
    request.wfile.write(body[: len(body) // 2])
    _hang_up(request)
    return True


def forgetful(api: AgentApi, request: BaseHTTPRequestHandler) -> bool:
    """Restored from an older state: the last half of each log is gone. Then the request is served."""
    for kept in api.logs.values():
        del kept[len(kept) // 2 :]
    return False


def _hang_up(request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True
    request.wfile.flush()
    request.connection.shutdown(socket.SHUT_RDWR)
