"""How an attempt's process stands, from the files in its folder. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from mlp.runtime.records import ArtifactsRecord, ExitRecord, Started

WAITS_FOR_NODES = "Waits until all nodes of the cluster are ready."
_VANISHED = "The process that watches over the job was killed, so how the job ended is not known."
_VANISHED_HINT = "Something outside the job ended it, or its head was restarted."
_MAX_SENTENCE = 500
_MAX_MESSAGE = 2000
_MAX_LINES = 30


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the process could not be started, or is gone."""

    failure_class: str
    message: str
    is_final: bool = True
    hint: str | None = None
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Artifacts:
    """How far the files of the output folder are stored."""

    files: int
    files_stored: int
    bytes: int
    bytes_stored: int
    until: str
    missing: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    left_out_count: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What is reported; the wire type is `mlp.schemas.agent.ProcessReport`."""

    setting_up: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    stopped: bool = False
    oom_kills: int = 0
    shipped: bool = False
    failure: Failure | None = None
    artifacts: Artifacts | None = None

    def as_json(self) -> dict[str, Any]:
        """Cut to what the api takes, without what is not known."""
        content: dict[str, Any] = {key: value for key, value in asdict(self).items() if value is not None}
        if self.setting_up is not None:
            content["setting_up"] = self.setting_up[:_MAX_SENTENCE]
        if self.failure is not None:
            failure = self.failure
            content["failure"] = {
                "failure_class": failure.failure_class,
                "message": failure.message[:_MAX_MESSAGE],
                "is_final": failure.is_final,
                "last_lines": list(failure.last_lines[-_MAX_LINES:]),
            } | ({"hint": failure.hint[:_MAX_SENTENCE]} if failure.hint else {})
        return content


@dataclass(frozen=True, slots=True)
class Head:
    """What the files on the head say now."""

    started: Started | None = None
    exited: ExitRecord | None = None
    has_driver: bool = False
    """The entrypoint has begun to start the process."""
    driver_lives: bool = False
    """The entrypoint or its launcher runs."""
    stop_asked: bool = False
    lost_at: str | None = None
    """When it was seen that both are gone without a record of the end."""
    is_sealed: bool = False
    artifacts: ArtifactsRecord | None = None
    artifacts_until: str | None = None

    @property
    def has_ended(self) -> bool:
        """Nothing more will come of it: the entrypoint says so, or is not there to say it."""
        return self.is_sealed or (self.has_driver and not self.driver_lives)


def standing_of(head: Head, *, shipped: bool = False) -> Standing:
    return replace(_of_process(head), artifacts=_artifacts(head), shipped=shipped)


def _of_process(head: Head) -> Standing:
    if head.exited is not None:
        return _ended(head.exited, head)
    if head.lost_at is not None:
        return Standing(
            started_at=head.started.started_at if head.started is not None else head.lost_at,
            ended_at=head.lost_at,
            stopped=head.stop_asked,
            failure=Failure("infra", _VANISHED, hint=_VANISHED_HINT),
        )
    if head.started is not None:
        return Standing(started_at=head.started.started_at, stopped=head.stop_asked)
    waits_for = "The process is being started." if head.has_driver else WAITS_FOR_NODES
    return Standing(setting_up=waits_for, stopped=head.stop_asked)


def _ended(record: ExitRecord, head: Head) -> Standing:
    failed_to_run = record.error is not None and record.exit_code is None and not record.stopped
    return Standing(
        started_at=record.started_at,
        ended_at=record.ended_at,
        exit_code=record.exit_code,
        signal=record.signal,
        timed_out=record.timed_out,
        stopped=record.stopped or head.stop_asked,
        oom_kills=record.oom_kills,
        failure=Failure("infra", record.error or "") if failed_to_run else None,
    )


def _artifacts(head: Head) -> Artifacts | None:
    found = head.artifacts
    if found is None or head.artifacts_until is None:
        return None
    return Artifacts(
        files=found.files,
        files_stored=found.files_stored,
        bytes=found.bytes,
        bytes_stored=found.bytes_stored,
        until=head.artifacts_until,
        missing=found.missing,
        left_out=found.left_out,
        left_out_count=found.left_out_count,
    )
