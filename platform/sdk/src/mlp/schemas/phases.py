"""Phases, failure classes and roles: the closed vocabularies of the wire."""

from __future__ import annotations

from enum import StrEnum


class JobKind(StrEnum):
    SCRIPT = "script"
    TRAIN = "train"


class JobPhase(StrEnum):
    QUEUED = "queued"
    ADMITTED = "admitted"
    PROVISIONING = "provisioning"
    RUNNING = "running"
    SEALING = "sealing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        return self in TERMINAL_PHASES


TERMINAL_PHASES = frozenset({JobPhase.SUCCEEDED, JobPhase.FAILED, JobPhase.CANCELLED})


class AttemptOutcome(StrEnum):
    """How an attempt ended. A preempted attempt is followed by another one."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PREEMPTED = "preempted"


class FailureClass(StrEnum):
    USER_ERROR = "user_error"
    OOM = "oom"
    PREEMPTED = "preempted"
    NODE_LOST = "node_lost"
    IMAGE = "image"
    ENVIRONMENT = "environment"
    QUOTA = "quota"
    TIMEOUT = "timeout"
    INFRA = "infra"


class ClusterPhase(StrEnum):
    QUEUED = "queued"
    PROVISIONING = "provisioning"
    READY = "ready"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def is_terminal(self) -> bool:
        return self in (ClusterPhase.STOPPED, ClusterPhase.FAILED)


class EnvironmentPhase(StrEnum):
    RESOLVING = "resolving"
    READY = "ready"
    FAILED = "failed"


class Priority(StrEnum):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"

    @property
    def rank(self) -> int:
        return {"low": 0, "normal": 1, "high": 2}[self.value]


class Role(StrEnum):
    """What a member may do in a project; each role includes the ones before it."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        return {"viewer": 0, "editor": 1, "owner": 2}[self.value]
