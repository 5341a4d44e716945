"""What the pods of one attempt are told: `work.json` of their Secret."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mlp.runtime import _json
from mlp.runtime._json import JsonObject, MalformedError

WORK_FILE = "work.json"
_LOOK_SECONDS = 0.5


class NoWorkError(Exception):
    """The pod has not been told what it is for; the message says what was there instead."""


@dataclass(frozen=True, slots=True)
class Lock:
    """A resolved environment: pinned requirements, one a line."""

    digest: str
    python: str
    lock: str


@dataclass(frozen=True, slots=True)
class Work:
    """One attempt's process, as the operator wants it."""

    name: str
    """The attempt's id."""
    project: str
    ray_cluster: str
    """The RayCluster whose pods this is for."""
    argv: tuple[str, ...] | None
    shell: str | None
    variables: dict[str, str] = field(repr=False)
    grace_seconds: float
    timeout_seconds: float | None
    checkpoint_key: str
    api_url: str
    token: str = field(repr=False)
    package_digest: str | None
    environment: Lock | None

    @classmethod
    def read(cls, path: Path) -> Work:
        """Raises `FileNotFoundError` and `MalformedError`."""
        source = _json.read_object(path)
        argv = source.get("argv")
        return cls(
            name=_json.as_text(source.get("name"), "name"),
            project=_json.as_text(source.get("project"), "project"),
            ray_cluster=_json.as_text(source.get("ray_cluster"), "ray_cluster"),
            argv=None if argv is None else _json.as_texts(argv, "argv"),
            shell=_json.optional_text(source, "shell"),
            variables=_json.as_text_map(source.get("variables"), "variables"),
            grace_seconds=_json.as_number(source.get("grace_seconds"), "grace_seconds"),
            timeout_seconds=_json.optional_number(source, "timeout_seconds"),
            checkpoint_key=_json.as_text(source.get("checkpoint_key"), "checkpoint_key"),
            api_url=_json.as_text(source.get("api_url"), "api_url"),
            token=_json.as_text(source.get("token"), "token"),
            package_digest=_json.optional_text(source, "package_digest"),
            environment=_lock_of(source),
        )

    def write(self, path: Path) -> None:
        """For its owner alone: the token is in it."""
        _json.write_object(path, asdict(self), mode=0o600)


def await_work(folder: Path, ray_cluster: str, seconds: float, say: Callable[[str], None]) -> Work:
    """The work of the pods of `ray_cluster`, once it is in `folder`.

    The folder is a volume that the kubelet renews: right after a preemption it may still hold what the pods of the
    RayCluster before were told.

    Raises:
        NoWorkError: it did not come.
    """
    until = time.monotonic() + seconds
    said = ""
    while True:
        found = _look(folder / WORK_FILE, ray_cluster)
        if isinstance(found, Work):
            return found
        if found != said:
            said = found
            say(found)
        if time.monotonic() >= until:
            raise NoWorkError(found)
        time.sleep(_LOOK_SECONDS)


def _look(path: Path, ray_cluster: str) -> Work | str:
    """The work, or why it is not one for this cluster."""
    try:
        work = Work.read(path)
    except FileNotFoundError:
        return "Waits to be told what to run."
    except MalformedError as error:
        return f"What to run is not readable: {error}."
    if work.ray_cluster != ray_cluster:
        return f"Waits for its own work: what is there is for {work.ray_cluster}."
    return work


def _lock_of(source: JsonObject) -> Lock | None:
    value = source.get("environment")
    if value is None:
        return None
    lock = _json.as_object(value, "environment")
    return Lock(*(_json.as_text(lock.get(key), key) for key in ("digest", "python", "lock")))
