"""A platform for clients to speak to: a real HTTP server on loopback whose answers the test decides."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

NOW = "2026-11-30T12:00:00Z"


@dataclass
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """What to answer. `stream` sends pieces as they are yielded and then closes the connection."""

    status: int = 200
    json: Any = None
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    stream: Iterator[bytes] | None = None
    hang_up: bool = False


Route = Callable[[Seen], Reply]


@dataclass
class FakePlatform:
    """Routes by `METHOD /path`; a list of replies is used up in order, its last one stays."""

    url: str
    routes: dict[str, Route | Reply | list[Reply]] = field(default_factory=dict[str, Any])
    seen: list[Seen] = field(default_factory=list[Seen])

    def on(self, route: str, reply: Route | Reply | list[Reply] | Any) -> None:
        method, _, path = route.partition(" ")
        known = isinstance(reply, Reply | list) or callable(reply)
        self.routes[f"{method} /api/v1{path}"] = reply if known else Reply(json=reply)

    def answer(self, seen: Seen) -> Reply:
        self.seen.append(seen)
        route = self.routes.get(f"{seen.method} {seen.path}")
        if route is None:
            return problem(404, "not_found", f"There is nothing at {seen.path}.")
        if isinstance(route, list):
            return route.pop(0) if len(route) > 1 else route[0]
        return route if isinstance(route, Reply) else route(seen)

    def requests(self, method: str) -> list[Seen]:
        return [one for one in self.seen if one.method == method]


def problem(status: int, code: str, detail: str, **more: Any) -> Reply:
    document = {"title": detail, "status": status, "code": code, "detail": detail, **more}
    return Reply(status, document, headers={"Content-Type": "application/problem+json"})


def sse(*events: tuple[str, Any] | tuple[str, Any, str]) -> bytes:
    """Events as bytes: (name, data) or (name, data, id)."""
    out = ""
    for event in events:
        if len(event) == 3:
            out += f"id: {event[2]}\n"
        out += f"event: {event[0]}\ndata: {json.dumps(event[1])}\n\n"
    return out.encode()


@contextmanager
def fake_platform(context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[FakePlatform]:
    """A running one; `context` puts TLS in front."""
    platform = FakePlatform("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self) -> None:
            target = urlsplit(self.path)
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send(platform.answer(Seen(self.command, target.path, parse_qsl(target.query), headers, body)))

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one  # noqa: N815

        def send(self, reply: Reply) -> None:
            if reply.hang_up:
                self.close_connection = True
                return
            body = reply.body
            if body is None:
                body = b"" if reply.json is None else json.dumps(reply.json).encode()
            self.send_response(reply.status)
            headers = {"Content-Type": "application/json"} if reply.json is not None else {}
            for name, value in (headers | reply.headers).items():
                self.send_header(name, value)
            if reply.stream is not None:
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                for piece in reply.stream:
                    self.wfile.write(piece)
                    self.wfile.flush()
                return
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            return  # clients that hang up are part of these tests

    server = Server((host, 0), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    platform.url = f"{'https' if context else 'http'}://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def a_job(**changes: Any) -> dict[str, Any]:
    """A job as the platform would answer it."""
    job: dict[str, Any] = {
        "id": "job_01JABCDEFGHJKMNPQRSTVWXYZ0",
        "project": "demo",
        "name": "train",
        "kind": "script",
        "phase": "queued",
        "reason": "WaitingForRoom",
        "message": "Waits for 1 GPU in pool gpu.",
        "attempt": 0,
        "spec": {"entrypoint": ["python", "train.py"]},
        "created_by": "ada",
        "created_at": NOW,
        "phase_since": NOW,
        "etag": '"1"',
        "url": "http://mlp.test/projects/demo/jobs/job_01JABCDEFGHJKMNPQRSTVWXYZ0",
    }
    return job | changes


def a_chunk(start: int, *lines: str, attempt: int = 1, source: str = "driver", partial: bool = False) -> dict[str, Any]:
    return {
        "source": source,
        "attempt": attempt,
        "at": NOW,
        "start": start,
        "lines": list(lines),
        "partial": partial,
    }
