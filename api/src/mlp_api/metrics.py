"""Prometheus figures of the api, served on a port of their own."""

from __future__ import annotations

from contextlib import AbstractContextManager

from prometheus_client import Counter, Gauge, Histogram, start_http_server

_REQUESTS = Counter("mlp_api_requests_total", "Requests answered.", ["method", "route", "status"])
_SECONDS = Histogram(
    "mlp_api_request_seconds",
    "Time from the first byte of a request to the last byte of its answer.",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
_IN_FLIGHT = Gauge("mlp_api_requests_in_flight", "Requests being answered now, streams included.")


def in_flight() -> AbstractContextManager[None]:
    return _IN_FLIGHT.track_inprogress()


def observe(method: str, route: str, status: int, seconds: float) -> None:
    """Count one request. `route` is the router's template (`/projects/{project}`), so that the series stay few."""
    known = method if method in _METHODS else "OTHER"
    _REQUESTS.labels(known, route, str(status)).inc()
    _SECONDS.labels(known, route).observe(seconds)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def serve(host: str, port: int) -> None:
    """Answer `/metrics` on `port` from a thread of its own; 0 = not at all."""
    if port:
        start_http_server(port, addr=host)
