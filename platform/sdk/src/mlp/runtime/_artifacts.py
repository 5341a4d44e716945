"""Stores the files of an ended attempt's output folder at the api, part by part.

The server says which part it wants next, so a lost answer, a restart of the api or of the agent costs one part at most.
It goes on for as long as it gets anywhere, up to a hard limit; what is not stored by then is named in the record.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mlp.runtime import _json
from mlp.runtime._json import MalformedError
from mlp.runtime._output import NAMED, Found, Survey, printable, survey
from mlp.runtime._transport import Answer, Api, AwayError, Backoff
from mlp.runtime.agent_config import AgentConfig
from mlp.runtime.records import ArtifactsRecord

_PART_SECONDS = 120.0
_COMPLETE_SECONDS = 900.0
"""The server reads a whole file back before it answers."""
_TELL_SECONDS = 1.0
_MAX_MISMATCHES = 2
_API = "/api/v1/agent/artifacts"


class CannotStoreError(Exception):
    """This file will not be stored, whatever is tried; the message says why."""


class GaveUpError(Exception):
    """No more time, or nothing got anywhere for too long."""


@dataclass(frozen=True, slots=True)
class _Upload:
    """The server's word on one file."""

    id: str
    parts: int
    next_part: int
    part_size: int
    complete: bool

    @classmethod
    def of(cls, body: bytes) -> _Upload:
        """Raises `MalformedError`."""
        source = _json.parse_object(body, "upload")
        return cls(
            id=_json.as_text(source.get("id"), "id"),
            parts=_json.as_integer(source.get("parts"), "parts"),
            next_part=_json.as_integer(source.get("next_part"), "next_part"),
            part_size=_json.as_integer(source.get("part_size"), "part_size"),
            complete=source.get("complete") is True,
        )


class _File:
    """An open file, its parts, and the digest of those read in their order."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self._size = size
        self._digest = hashlib.sha256()
        self._digested = 0

    def part(self, number: int, part_size: int) -> bytes:
        start = number * part_size
        data = os.pread(self._descriptor, min(part_size, self._size - start), start)
        if len(data) != min(part_size, self._size - start):
            raise CannotStoreError("it was cut short while it was being stored")
        if start == self._digested:
            self._digest.update(data)
            self._digested += len(data)
        return data

    def sha256(self, part_size: int) -> str:
        """Of the whole. Parts that the server had from before are read only now."""
        for number in range(self._digested // part_size, -(-self._size // part_size)):
            self.part(number, part_size)
        return self._digest.hexdigest()


class ArtifactShipper:
    """One pass over the output folder."""

    def __init__(self, config: AgentConfig) -> None:
        self._config = config
        self._api = Api(config.api_url, config.token, _PART_SECONDS)
        self._backoff = Backoff()
        self._survey = Survey()
        self._stored: set[str] = set()
        self._stored_bytes = 0
        self._is_done = False
        self._moved_at = 0.0
        self._told_at = 0.0
        self._until = 0.0
        self.troubles: list[str] = []
        """Sentences for the agent's log."""

    @property
    def stored_files(self) -> int:
        return len(self._stored)

    def look(self) -> None:
        """See what there is to store, and write it down."""
        config = self._config
        if config.output_dir is not None:
            self._survey = survey(config.output_dir, config.artifact_max_files, config.artifact_max_bytes)
        self.troubles += [f"not stored: {left_out}" for left_out in self._survey.left_out]
        self._tell()

    def ship(self, until: float) -> bool:
        """Store what `look` found, at most until `until` on the monotonic clock. True where nothing is missing.

        Raises:
            AttemptOverError: the api takes nothing more.
        """
        self._until = until
        self._moved_at = time.monotonic()
        try:
            for found in self._survey.files:
                self._store(found)
        except GaveUpError as error:
            self.troubles.append(str(error))
        finally:
            self._api.close()
        return len(self._stored) == len(self._survey.files)

    def finish(self) -> None:
        """Write down that this was all."""
        self._is_done = True
        self._tell()

    def _store(self, found: Found) -> None:
        before = self._stored_bytes
        try:
            with _opened(found) as file:
                self._send(found, file)
        except CannotStoreError as error:
            self._stored_bytes = before
            self.troubles.append(f"{printable(found.path)} is not stored: {error}")
            return
        self._stored.add(found.path)
        self._stored_bytes = before + found.size

    def _send(self, found: Found, file: _File) -> None:
        """Request after request, until the file is complete."""
        upload: _Upload | None = None
        before, mismatches = self._stored_bytes, 0
        while upload is None or not upload.complete:
            self._wait_for_turn()
            try:
                answer = self._step(found, file, upload)
                if answer.is_refusal and b'"digest_mismatch"' in answer.body and mismatches < _MAX_MISMATCHES:
                    upload, mismatches = None, mismatches + 1
                    continue
                seen = _read(answer)
            except AwayError:
                self._backoff.failed(time.monotonic())
                continue
            if upload is not None and not seen.complete and seen.next_part <= upload.next_part:
                # An answer that moves nothing.
                self._backoff.failed(time.monotonic())
            else:
                self._backoff.succeeded()
                self._moved_at = time.monotonic()
            upload = seen
            self._stored_bytes = before + min(found.size, seen.next_part * seen.part_size)
            if time.monotonic() - self._told_at > _TELL_SECONDS:
                self._tell()

    def _step(self, found: Found, file: _File, upload: _Upload | None) -> Answer:
        """The one request that the file needs next."""
        left = max(1.0, self._until - time.monotonic())
        self._api.timeout_seconds = min(_PART_SECONDS, left)
        if upload is None:
            return self._post(_API, {"path": found.path, "size": found.size})
        if upload.next_part < upload.parts:
            part = file.part(upload.next_part, upload.part_size)
            headers = {"Content-Type": "application/octet-stream"}
            return self._api.request("PUT", f"{_API}/{upload.id}/parts/{upload.next_part}", part, headers)
        sha256 = file.sha256(upload.part_size)
        self._api.timeout_seconds = min(_COMPLETE_SECONDS, left)
        return self._post(f"{_API}/{upload.id}:complete", {"sha256": sha256})

    def _post(self, path: str, value: dict[str, object]) -> Answer:
        return self._api.request("POST", path, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _wait_for_turn(self) -> None:
        """Sleep off the back-off. Raises `GaveUpError`."""
        now = time.monotonic()
        if now >= self._until:
            raise GaveUpError("artifacts could not be stored in time")
        if self._backoff.failures and now - self._moved_at >= self._config.artifact_stall_seconds:
            raise GaveUpError(f"no artifact could be stored for {self._config.artifact_stall_seconds:g} s")
        if now < self._backoff.retry_at:
            time.sleep(min(self._backoff.retry_at, self._until) - now)

    def _tell(self) -> None:
        """Write down how far it is, for the engine."""
        self._told_at = time.monotonic()
        missing = [printable(found.path) for found in self._survey.files if found.path not in self._stored]
        ArtifactsRecord(
            files=len(self._survey.files),
            files_stored=len(self._stored),
            bytes=self._survey.size,
            bytes_stored=self._stored_bytes,
            missing=tuple(missing[:NAMED]),
            left_out=tuple(self._survey.left_out),
            left_out_count=self._survey.left_out_count,
            done=self._is_done,
        ).write(Path(self._config.state_dir))


@contextmanager
def _opened(found: Found) -> Generator[_File]:
    """Raises `CannotStoreError`."""
    try:
        descriptor = os.open(found.real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise CannotStoreError(f"it cannot be read: {error.strerror}") from error
    try:
        yield _File(descriptor, found.size)
    except OSError as error:
        raise CannotStoreError(f"it cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)


def _read(answer: Answer) -> _Upload:
    """Raises `CannotStoreError` for a refusal, `AwayError` for a server that is unwell."""
    if answer.is_refusal:
        raise CannotStoreError(f"the api answers {answer.status} {answer.body[:300]!r}")
    try:
        if answer.is_success:
            return _Upload.of(answer.body)
    except MalformedError as error:
        raise AwayError(str(error)) from error
    raise AwayError(f"the api answers {answer.status}")
