"""One log file as a stream of bytes. The file is the spool: nothing is kept in memory but where we are."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

SEGMENT_BYTES = 1 << 20
MAX_TIMES = 200
_MAX_SIGHTINGS = 4096


@dataclass(frozen=True, slots=True)
class Segment:
    """Raw bytes from `start` of a source's stream."""

    start: int
    data: bytes
    times: list[tuple[int, int]]
    """[offset in the segment, Unix milliseconds at which the bytes from there on were written], rising."""


@dataclass
class Tail:
    """Follows one path. `cursor` is the first byte of the stream that the server does not have yet.

    The stream is the file, unless the file is replaced or cut while we follow it: then the new content goes on where
    the old one ended, and `base` is the stream offset of the file's first byte.
    """

    source: str
    path: str
    cursor: int = 0
    base: int = 0
    inode: int = 0
    _handle: int | None = None
    _size: int = 0
    _is_new_content: bool = False
    """The file is not the one of which the server has `cursor` bytes, but a later one."""
    _sightings: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    @property
    def end(self) -> int:
        """Stream offset after the last byte seen."""
        return self.base + self._size

    @property
    def pending_bytes(self) -> int:
        return max(0, self.end - self.cursor)

    def observe(self, now_ms: int) -> None:
        """Look at the file once; a file that is not there is empty."""
        if self._handle is None and not self._open():
            return
        assert self._handle is not None  # noqa: S101 - just opened
        status = os.fstat(self._handle)
        if status.st_size < self._size:
            self._start_over()
        if status.st_size > self._size:
            self._sight(min(now_ms, status.st_mtime_ns // 1_000_000))
            self._size = status.st_size

    def follow_replacement(self) -> None:
        """Go over to the file that stands at the path now, once the one before has been sent to its end."""
        if self._handle is None or self.pending_bytes > 0:
            return
        try:
            is_replaced = os.stat(self.path).st_ino != self.inode
        except FileNotFoundError:
            return
        if is_replaced:
            self.close()
            self._start_over()
            self.inode = 0

    def next_segment(self) -> Segment | None:
        """The next bytes to send, whole lines where a line fits. None where nothing is new."""
        if self.pending_bytes == 0 or self._handle is None:
            return None
        data = os.pread(self._handle, min(SEGMENT_BYTES, self.pending_bytes), self.cursor - self.base)
        if not data:
            self._size = max(0, self.cursor - self.base)
            return None
        if len(data) == SEGMENT_BYTES:
            data = data[: data.rfind(b"\n") + 1] or data
        return Segment(self.cursor, data, self._times(self.cursor, len(data)))

    def go_to(self, next_byte: int) -> None:
        """The server's word on where to go on, forward or back."""
        if next_byte < self.base or self._is_new_content:
            # What lay there is gone with the file of before: the stream closes over the hole.
            self.base = next_byte
            self._sightings.clear()
        elif self._handle is not None and next_byte > self.end:
            # The file lost its tail, as after a crash of the machine: what is appended from now on is new.
            self.base = next_byte - self._size
        self._is_new_content = False
        self.cursor = next_byte
        while len(self._sightings) > 1 and self._sightings[1][0] <= next_byte:
            del self._sightings[0]

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _open(self) -> bool:
        try:
            self._handle = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return False
        inode = os.fstat(self._handle).st_ino
        # Known by another inode from an earlier life of the agent: replaced while nobody looked.
        self._is_new_content = self.inode not in (0, inode)
        self.inode = inode
        return True

    def _start_over(self) -> None:
        """The path has new content from its first byte; what was not sent of the old one is lost."""
        self.base = self.cursor
        self._size = 0
        self._sightings = [sighting for sighting in self._sightings if sighting[0] < self.cursor]

    def _sight(self, at_ms: int) -> None:
        if len(self._sightings) >= _MAX_SIGHTINGS:
            self._sightings = self._sightings[::2]
        last_ms = self._sightings[-1][1] if self._sightings else 0
        self._sightings.append((self.end, max(at_ms, last_ms)))

    def _times(self, start: int, length: int) -> list[tuple[int, int]]:
        times: list[tuple[int, int]] = []
        for offset, at_ms in self._sightings:
            if offset >= start + length:
                break
            if offset <= start:
                times = [(0, at_ms)]
            else:
                times.append((offset - start, at_ms))
        if not times and self._sightings:
            times = [(0, self._sightings[0][1])]
        step = -(-len(times) // MAX_TIMES)
        return times[::step] if step > 1 else times
