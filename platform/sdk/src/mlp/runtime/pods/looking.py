"""What the files on the head say of its attempt now."""

from __future__ import annotations

from pathlib import Path

from mlp.runtime import _json, pids
from mlp.runtime._json import MalformedError
from mlp.runtime.pids import PidRecord
from mlp.runtime.pods.places import AttemptPlace
from mlp.runtime.pods.seals import Seal
from mlp.runtime.pods.standing import Head
from mlp.runtime.records import STOP_FILE, ArtifactsRecord, ExitRecord, Started, instant


def look(place: AttemptPlace) -> Head:
    """A record that cannot be read counts as missing: the user's process may write in its own folder."""
    exited = _exit_of(place)
    driver = PidRecord.read(place.driver)
    lives = pids.is_alive(PidRecord.read(place.launcher)) or pids.is_alive(driver)
    seal = Seal.read(place.seal)
    is_lost = driver is not None and not lives and exited is None
    return Head(
        started=_started_of(place),
        exited=exited,
        has_driver=driver is not None,
        driver_lives=lives,
        stop_asked=(place.root / STOP_FILE).exists(),
        lost_at=_lost_at(place.lost) if is_lost else None,
        is_sealed=seal is not None,
        artifacts=_artifacts_of(place),
        artifacts_until=seal.until if seal is not None else None,
    )


def _lost_at(path: Path) -> str:
    """When it was first seen that nobody watches over the job any more."""
    try:
        return _json.as_text(_json.read_object(path).get("at"), "at")
    except (FileNotFoundError, MalformedError):
        now = instant()
        _json.write_object(path, {"at": now})
        return now


def _exit_of(place: AttemptPlace) -> ExitRecord | None:
    try:
        return ExitRecord.read(place.root)
    except MalformedError:
        return None


def _started_of(place: AttemptPlace) -> Started | None:
    try:
        return Started.read(place.root)
    except (FileNotFoundError, MalformedError):
        return None


def _artifacts_of(place: AttemptPlace) -> ArtifactsRecord | None:
    try:
        return ArtifactsRecord.read(place.agent_state)
    except MalformedError:
        return None
