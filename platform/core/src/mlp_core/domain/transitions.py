"""The edge table of job phases. Every phase change of a job or attempt is an edge of this table."""

from __future__ import annotations

from mlp.schemas.phases import JobPhase

P = JobPhase

EDGES: dict[JobPhase, frozenset[JobPhase]] = {
    # A queued job holds nothing, so it may end at once; every other one passes through sealing.
    P.QUEUED: frozenset({P.ADMITTED, P.FAILED, P.CANCELLED}),
    P.ADMITTED: frozenset({P.PROVISIONING, P.SEALING}),
    P.PROVISIONING: frozenset({P.RUNNING, P.SEALING}),
    P.RUNNING: frozenset({P.SEALING}),
    # Back to queued is a new attempt: after a preemption, or a failure that is retried.
    P.SEALING: frozenset({P.SUCCEEDED, P.FAILED, P.CANCELLED, P.QUEUED}),
    P.SUCCEEDED: frozenset(),
    # A person may ask for another attempt of what did not succeed.
    P.FAILED: frozenset({P.QUEUED}),
    P.CANCELLED: frozenset({P.QUEUED}),
}


class ForbiddenEdge(ValueError):
    """A phase change that the table does not know: a defect of the platform, never of a person's request."""


def require_edge(before: JobPhase, after: JobPhase) -> None:
    """Staying is always allowed."""
    if before is not after and after not in EDGES[before]:
        raise ForbiddenEdge(f"{before} -> {after} is not an edge of the phase table")
