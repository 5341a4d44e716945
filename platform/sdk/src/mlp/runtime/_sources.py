"""Finds the log files of an attempt and gives each its source name, the same one after a restart of the agent."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, field
from pathlib import Path

from mlp.runtime import _json
from mlp.runtime._json import MalformedError
from mlp.runtime._tail import Tail
from mlp.runtime.agent_config import AgentConfig, NodeConfig
from mlp.runtime.workers import Ownership, WorkerFile

DRIVER = "driver"
_STATE_FILE = "sources.json"


@dataclass
class Sources:
    """All log files known so far. What their names alone do not tell is kept in `state_dir`."""

    config: AgentConfig
    tails: list[Tail] = field(default_factory=list[Tail])
    undecided: int = 0
    """Worker files of which it cannot be told yet whether they are ours."""
    _known: set[str] = field(default_factory=set[str])
    _names: dict[str, str] = field(default_factory=dict[str, str])
    """Which worker has which name: a pid may come twice on one node."""
    _restored: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    _ownership: list[tuple[NodeConfig, Ownership]] = field(default_factory=list[tuple[NodeConfig, Ownership]])
    _saved: _json.JsonObject = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        self._load()
        self._ownership = [(node, Ownership(node.worker_env, node.worker_marks)) for node in self.config.nodes]
        if self.config.driver_log is not None:
            self._add(DRIVER, self.config.driver_log)

    def scan(self) -> None:
        """Look for new files, and for known ones that were replaced."""
        for tail in self.tails:
            tail.follow_replacement()
        self.undecided = 0
        for node, ownership in self._ownership:
            ownership.refresh()
            for path in self._new_paths(node.log_globs):
                self._consider(node.name, ownership, WorkerFile.of(path))
        self.save()

    def save(self) -> None:
        """Keep names, and which file is where in its stream; writes only what changed."""
        state: dict[str, object] = {
            "names": dict(self._names),
            "files": {tail.path: [tail.inode, tail.base] for tail in self.tails if tail.inode},
        }
        if state != self._saved:
            _json.write_object(Path(self.config.state_dir) / _STATE_FILE, state)
            self._saved = state

    def _new_paths(self, patterns: tuple[str, ...]) -> list[str]:
        """Files not decided on yet, oldest first, each once even where a link such as `session_latest` leads there."""
        found: dict[str, float] = {}
        for pattern in patterns:
            for given in glob.iglob(pattern):
                if given in self._known:
                    continue
                path = os.path.realpath(given)
                if path in self._known:
                    self._known.add(given)
                    continue
                try:
                    found[path] = os.stat(path).st_mtime
                except FileNotFoundError:
                    continue
        return sorted(found, key=lambda path: (found[path], path))

    def _consider(self, node: str, ownership: Ownership, file: WorkerFile) -> None:
        answer = ownership.owns(file)
        if answer is None:
            self.undecided += 1
            return
        self._known.add(file.path)
        if answer:
            self._add(self._name(node, file), file.path)

    def _name(self, node: str, file: WorkerFile) -> str:
        """`<node>/<pid>`, `/err` behind it for errors."""
        worker = f"{node}/{file.worker_id}"
        if worker not in self._names:
            name = f"{node}/{file.worker_id if file.pid is None else file.pid}"
            if name in self._names.values():
                name = f"{name}-{file.worker_id[:12]}"
            self._names[worker] = name
        return self._names[worker] + ("/err" if file.is_err else "")

    def _add(self, source: str, path: str) -> None:
        inode, base = self._restored.get(path, (0, 0))
        self.tails.append(Tail(source, path, base=base, inode=inode))

    def _load(self) -> None:
        try:
            state = _json.read_object(Path(self.config.state_dir) / _STATE_FILE)
            self._names = _json.as_text_map(state.get("names", {}), "names")
            for path, value in _json.as_object(state.get("files", {}), "files").items():
                inode, base = (_json.as_integer(number, "files") for number in _json.as_list(value, "files"))
                self._restored[path] = (inode, base)
        except (FileNotFoundError, MalformedError):
            # Names follow from the files again, except where a pid came twice.
            return
