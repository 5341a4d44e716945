"""What the kernel says about a node's memory and processor time. Control groups of version 1 and 2."""

from __future__ import annotations

import os

_UNLIMITED_FROM = 2**60
"""Version 1 says "no limit" with a number near 2**63."""


def oom_kills(folder: str) -> int | None:
    """Kills for memory since the group was made; None where the kernel does not count them."""
    for name in ("memory.events", "memory.oom_control"):
        value = _counters(os.path.join(folder, name)).get("oom_kill")
        if value is not None:
            return value
    return None


def memory_bytes(folder: str) -> int | None:
    """Memory in use without the page cache that can go at once; None where the group is gone."""
    for usage, cache in (("memory.current", "inactive_file"), ("memory.usage_in_bytes", "total_inactive_file")):
        used = _number(os.path.join(folder, usage))
        if used is not None:
            return max(0, used - _counters(os.path.join(folder, "memory.stat")).get(cache, 0))
    return None


def memory_limit_bytes(folder: str) -> int | None:
    """None for no limit."""
    for name in ("memory.max", "memory.limit_in_bytes"):
        limit = _number(os.path.join(folder, name))
        if limit is not None:
            return limit if limit < _UNLIMITED_FROM else None
    return None


def cpu_seconds(folder: str) -> float | None:
    """Processor time used since the group was made."""
    microseconds = _counters(os.path.join(folder, "cpu.stat")).get("usage_usec")
    if microseconds is not None:
        return microseconds / 1e6
    nanoseconds = _number(os.path.join(folder, "cpuacct.usage"))
    return None if nanoseconds is None else nanoseconds / 1e9


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="ascii") as stream:
            return stream.read()
    except OSError:
        # The group is gone, of the other version, or its controller is off: all mean "not known".
        return None


def _number(path: str) -> int | None:
    text = (_read(path) or "").strip()
    return int(text) if text.isdecimal() else None


def _counters(path: str) -> dict[str, int]:
    pairs = (line.split() for line in (_read(path) or "").splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}
