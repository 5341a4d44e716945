from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mlp import errors
from mlp.client.call import Call, path
from mlp.client.exchange import Origin
from mlp.client.http_sync import HttpTransport
from mlp.client.proxies import proxy_for
from mlp.client.retry import NEVER
from mlp.client.session import Session


@pytest.fixture(autouse=True)
def environ(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


def test_no_variable_no_proxy() -> None:
    assert proxy_for("https://mlp.test") is None


def test_the_variable_of_the_scheme_counts_and_lower_case_wins(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("HTTPS_PROXY", "http://upper:1")
    environ.setenv("https_proxy", "http://ada:p%40ss@lower:3128")
    found = proxy_for("https://mlp.test")
    assert found is not None
    assert (found.host, found.port, found.url) == ("lower", 3128, "http://lower:3128")
    assert found.headers == {"Proxy-Authorization": "Basic YWRhOnBAc3M="}
    assert proxy_for("http://mlp.test") is None


def test_all_proxy_is_the_fallback(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("ALL_PROXY", "proxy:8080")
    found = proxy_for("http://mlp.test")
    assert found is not None
    assert found.host == "proxy"


@pytest.mark.parametrize("url", ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:80", "https://a.localhost"])
def test_this_machine_is_never_behind_a_proxy(url: str, environ: pytest.MonkeyPatch) -> None:
    environ.setenv("ALL_PROXY", "http://proxy:1")
    assert proxy_for(url) is None


@pytest.mark.parametrize(
    ("rule", "url", "excepted"),
    [
        ("*", "http://mlp.test", True),
        ("mlp.test", "http://mlp.test", True),
        ("MLP.test", "http://mlp.test", True),
        (".test", "http://mlp.test", True),
        ("test", "http://mlp.test", True),
        ("lp.test", "http://mlp.test", False),
        ("other, mlp.test:8080", "http://mlp.test:8080", True),
        ("mlp.test:8080", "http://mlp.test:9090", False),
        ("10.0.0.0/8", "http://10.1.2.3", True),
        ("10.0.0.0/8", "http://11.1.2.3", False),
        ("", "http://mlp.test", False),
    ],
)
def test_no_proxy_rules(rule: str, url: str, excepted: bool, environ: pytest.MonkeyPatch) -> None:
    environ.setenv("HTTP_PROXY", "http://proxy:1")
    environ.setenv("NO_PROXY", rule)
    assert (proxy_for(url) is None) is excepted


def test_a_proxy_of_another_kind_is_refused_by_name(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("HTTPS_PROXY", "socks5://user:secret@proxy:1080")
    with pytest.raises(errors.ConfigError, match="socks5://proxy") as caught:
        proxy_for("https://mlp.test")
    assert "secret" not in str(caught.value)


@pytest.fixture
def proxy() -> Iterator[tuple[int, list[tuple[str, str, dict[str, str]]]]]:
    """A proxy that answers plain requests itself and refuses tunnels, and what it was asked."""
    asked: list[tuple[str, str, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(("GET", self.path, dict(self.headers.items())))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1")
            self.end_headers()
            self.wfile.write(b"5")

        def do_CONNECT(self) -> None:
            asked.append(("CONNECT", self.path, dict(self.headers.items())))
            self.send_error(407)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server.server_address[1], asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_plain_requests_go_through_whole(
    proxy: tuple[int, list[tuple[str, str, dict[str, str]]]], environ: pytest.MonkeyPatch
) -> None:
    port, asked = proxy
    environ.setenv("HTTP_PROXY", f"http://ada:x@127.0.0.1:{port}")
    url = "http://mlp.test:8080"
    call: Call[Any] = Call("GET", path("me"))
    assert Session(Origin(url), HttpTransport(url)).send(call) == 5
    assert asked[0][:2] == ("GET", "http://mlp.test:8080/api/v1/me")
    assert asked[0][2]["Proxy-Authorization"] == "Basic YWRhOng="


def test_secure_requests_ask_for_a_tunnel_and_a_refusal_names_the_proxy(
    proxy: tuple[int, list[tuple[str, str, dict[str, str]]]], environ: pytest.MonkeyPatch
) -> None:
    port, asked = proxy
    environ.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
    url = "https://mlp.test"
    with pytest.raises(errors.PlatformUnreachable, match=f"through the proxy http://127.0.0.1:{port}.*407"):
        Session(Origin(url), HttpTransport(url), policy=NEVER).send(Call("GET", path("me")))
    assert asked[0][:2] == ("CONNECT", "mlp.test:443")
