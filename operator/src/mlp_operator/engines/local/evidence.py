"""What the machine can tell about an end: last lines, kills for memory by the kernel and by Ray."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import Trouble
from mlp_operator.engines.local.cgroups import ROOT_GROUP, MemoryFacts
from mlp_operator.engines.local.state import NodeRecord

LAST_LINES = 12
TAIL_BYTES = 16 * 1024
RAYLET_TAIL_BYTES = 512 * 1024
KERNEL_LOG = Path("/dev/kmsg")
KERNEL_RECORD_BYTES = 8192
KERNEL_KILL = re.compile(r"oom-kill:.*\boom_memcg=(?P<group>[^,]+),.*\btask=(?P<task>[^,]+),pid=(?P<pid>\d+)")
RAY_KILL = re.compile(r"Killing \d+ worker\(s\), kill details: (?P<details>.*)")
RAY_MEMORY = re.compile(r"(?P<used>[0-9.]+)\s*GB used / (?P<limit>[0-9.]+)\s*GB limit")
RAY_VICTIM = re.compile(r"Selected to kill: \((?P<kind>Task|Actor):.*? name=(?P<name>[^,]*),.*?\bpid=(?P<pid>\d+)")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
MORE_MEMORY = "Ask for more memory (`--memory`), or retry with `--retry-on oom --memory-factor 2`."


@dataclass(frozen=True, slots=True)
class Kill:
    """Something was killed on `node` for want of memory."""

    node: str
    by: str
    """`the kernel` or `Ray`."""
    used_bytes: int | None
    limit_bytes: int | None
    victim: str | None = None
    """The process's name, such as `ray::Loader.gro` (the kernel keeps 15 letters)."""


def last_lines(path: Path) -> tuple[str, ...]:
    """The end of a log, without colours and empty lines; empty where there is none."""
    text = _tail(path, TAIL_BYTES, start=0)
    lines = (COLOURS.sub("", line).rstrip() for line in text.splitlines())
    return tuple(line for line in lines if line)[-LAST_LINES:]


def _tail(path: Path, size: int, *, start: int) -> str:
    try:
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(start, end - size))
            return file.read(size).decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def kernel_kill(cluster: str, node: str, facts: MemoryFacts) -> Kill:
    return Kill(node, "the kernel", facts.peak_bytes, facts.limit_bytes, _victim(f"/{ROOT_GROUP}/{cluster}/{node}"))


def _victim(group: str) -> str | None:
    """The last process the kernel killed in `group`, from its log; None where that cannot be read."""
    victim: str | None = None
    for line in _kernel_lines():
        found = KERNEL_KILL.search(line)
        if found is not None and found["group"].endswith(group):
            victim = f"{found['task']} (pid {found['pid']})"
    return victim


def _kernel_lines() -> list[str]:
    """All that the kernel's ring still holds. Each read gives one record."""
    try:
        descriptor = os.open(KERNEL_LOG, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return []
    lines: list[str] = []
    try:
        while True:
            try:
                lines.append(os.read(descriptor, KERNEL_RECORD_BYTES).decode("utf-8", "replace"))
            except BlockingIOError:
                return lines
            except BrokenPipeError:
                continue  # a record was overwritten under the reader; the next read goes on after it
    except OSError:
        return lines
    finally:
        os.close(descriptor)


def ray_kill(node: str, raylet_log: Path, start: int) -> Kill | None:
    """What Ray's memory monitor wrote in its log after byte `start`."""
    text = _tail(raylet_log, RAYLET_TAIL_BYTES, start=start)
    found = RAY_KILL.search(text)
    if found is None:
        return None
    memory = RAY_MEMORY.search(found["details"])
    used, limit = (_gigabytes(memory["used"]), _gigabytes(memory["limit"])) if memory else (None, None)
    victim = RAY_VICTIM.search(text, found.end())
    words = f"{victim['kind'].lower()} {victim['name']} (pid {victim['pid']})" if victim else None
    return Kill(node, "Ray", used, limit, words)


def _gigabytes(text: str) -> int:
    return int(float(text) * 2**30)


def out_of_memory(kills: list[Kill], groups: Mapping[str, str]) -> Trouble:
    """The sentence for the first kill. Never final: Ray may try the task again, and often does."""
    kill = kills[0]
    what = kill.victim or "a process"
    place = "the head" if kill.node == "head" else f"node {kill.node} of group {groups.get(kill.node, kill.node)}"
    amount = ""
    if kill.used_bytes is not None and kill.limit_bytes is not None:
        amount = f" used {kill.used_bytes / 2**30:.1f} of {kill.limit_bytes / 2**30:.1f} GiB"
    return Trouble(
        failure_class=FailureClass.OOM,
        message=f"Out of memory: {place}{amount}, and {kill.by} ended {what}.",
        is_final=False,
        hint=MORE_MEMORY,
        node=kill.node,
        memory_used_bytes=kill.used_bytes,
        memory_limit_bytes=kill.limit_bytes,
    )


def lost_node(node: NodeRecord, facts: MemoryFacts | None, lines: tuple[str, ...]) -> Trouble:
    """A node that was ready and is gone. Without its head a cluster cannot go on; without a worker it may."""
    return Trouble(
        failure_class=FailureClass.NODE_LOST,
        message=f"Node {node.name} of group {node.group} is gone: its Ray process ended.",
        is_final=node.is_head,
        hint="Retry it, or add `--retry-on node_lost --retries 2` so that this happens by itself.",
        node=node.name,
        memory_used_bytes=facts.peak_bytes if facts is not None and facts.oom_kills else None,
        memory_limit_bytes=facts.limit_bytes if facts is not None and facts.oom_kills else None,
        last_lines=lines,
    )
