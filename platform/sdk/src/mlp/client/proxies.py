"""Which proxy stands between, by the usual environment variables."""

from __future__ import annotations

import base64
import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from mlp import errors


@dataclass(frozen=True, slots=True)
class Proxy:
    url: str
    host: str
    port: int
    authorization: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}


def proxy_for(url: str) -> Proxy | None:
    """The proxy for `url` by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; never for this machine itself.

    Raises:
        ConfigError: the variable holds something that is not an HTTP proxy.
    """
    target = urlsplit(url)
    host = (target.hostname or "").lower()
    address = _variable(f"{target.scheme}_proxy") or _variable("all_proxy")
    if not address or _is_loopback(host) or _is_excepted(host, target.port):
        return None
    return _parse(address)


def _variable(name: str) -> str:
    """Lower case first, as curl and everybody after it reads them."""
    return os.environ.get(name) or os.environ.get(name.upper()) or ""


def _is_excepted(host: str, port: int | None) -> bool:
    """`NO_PROXY`: names (which cover the names below them), addresses, networks, `*`; each may have a port."""
    return any(_matches(rule.strip().lower(), host, port) for rule in _variable("no_proxy").split(","))


def _matches(rule: str, host: str, port: int | None) -> bool:
    if rule in ("", "*"):
        return rule == "*"
    name, colon, wanted = rule.rpartition(":")
    if colon and wanted.isdigit() and ":" not in name:
        if int(wanted) != port:
            return False
        rule = name
    if "/" in rule:
        return _in_network(host, rule)
    bare = rule.lstrip(".")
    return host == bare or host.endswith(f".{bare}")


def _in_network(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parse(address: str) -> Proxy:
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise errors.ConfigError(
            f"The proxy '{parts.scheme}://{parts.hostname or ''}' cannot be used.",
            hint="Set HTTPS_PROXY to an http:// proxy, or NO_PROXY to the platform's host.",
        )
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + base64.b64encode(pair.encode()).decode()
    port = parts.port or 80
    return Proxy(f"http://{parts.hostname}:{port}", parts.hostname, port, authorization)
