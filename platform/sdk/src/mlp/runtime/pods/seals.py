"""The two files by which the head's entrypoint and its agent see each other off."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mlp.runtime import _json
from mlp.runtime._json import MalformedError


@dataclass(frozen=True, slots=True)
class Seal:
    """Nothing of the attempt runs on the head any more: its agent may finish."""

    at: str
    seconds: float
    """How long its end is waited for."""

    @classmethod
    def from_now(cls, seconds: float) -> Seal:
        return cls(_instant(datetime.now(UTC)), seconds)

    @property
    def until(self) -> str:
        return _instant(datetime.fromisoformat(self.at) + timedelta(seconds=self.seconds))

    @classmethod
    def read(cls, path: Path) -> Seal | None:
        """None where there is none, or none that is whole."""
        try:
            source = _json.read_object(path)
            return cls(_json.as_text(source.get("at"), "at"), _json.as_number(source.get("seconds"), "seconds"))
        except (FileNotFoundError, MalformedError):
            return None

    def write(self, path: Path) -> None:
        _json.write_object(path, asdict(self))


@dataclass(frozen=True, slots=True)
class Flushed:
    """The agent has finished; `complete` says whether everything was handed in."""

    at: str
    complete: bool

    @classmethod
    def now(cls, *, complete: bool) -> Flushed:
        return cls(_instant(datetime.now(UTC)), complete)

    @classmethod
    def read(cls, path: Path) -> Flushed | None:
        try:
            source = _json.read_object(path)
            return cls(_json.as_text(source.get("at"), "at"), source.get("complete") is True)
        except (FileNotFoundError, MalformedError):
            return None

    def write(self, path: Path) -> None:
        _json.write_object(path, asdict(self))


def _instant(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
