"""What the worker counts, for Prometheus on `MLP_METRICS_PORT`."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, start_http_server

EFFECTS = Counter("mlp_worker_effects_total", "Effects carried out, by kind and how it went.", ["kind", "outcome"])
OUTBOX = Gauge("mlp_outbox_rows", "Rows of the outbox by state; `dead` ones need a person.", ["state"])
STATES = ("pending", "claimed", "done", "dead")


def show_outbox(counts: dict[str, int]) -> None:
    for state in STATES:
        OUTBOX.labels(state).set(counts.get(state, 0))


def serve(host: str, port: int) -> None:
    """Answer `/metrics` on `port` from a thread of its own; 0 = not at all."""
    if port:
        start_http_server(port, addr=host)
