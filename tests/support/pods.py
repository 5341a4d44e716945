"""A pod of a job as a folder of this machine: its containers are processes, and the tests are Ray."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlp.runtime.pods.places import AttemptPlace, Pod
from mlp.runtime.records import ExitRecord
from support.agent_api import AgentApi
from support.processes import eventually

PROGRAM = (sys.executable, "-I", "-m", "mlp.runtime.pods")


def a_package(files: dict[str, str]) -> tuple[str, bytes]:
    """Digest and bytes of an archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    content = buffer.getvalue()
    return f"sha256:{hashlib.sha256(content).hexdigest()}", content


@dataclass
class FakePod:
    """`group` is `head` or a worker's. Its attempt's Secret is the folder `secret`."""

    root: Path
    api: AgentApi
    group: str = "head"
    grace_seconds: float = 5.0
    is_shared: bool = False
    attempt: str = field(default_factory=lambda: f"att_{uuid.uuid4().hex[:12]}")
    started: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def __post_init__(self) -> None:
        for folder in (self.secret, self.folder, self.ray_logs):
            folder.mkdir(parents=True)

    @property
    def secret(self) -> Path:
        return self.root / "secret"

    @property
    def folder(self) -> Path:
        return self.root / "pod"

    @property
    def ray_logs(self) -> Path:
        return self.root / "ray" / "session_2026" / "logs"

    @property
    def word(self) -> str:
        """The termination message of its last step."""
        path = self.root / "termination"
        return path.read_text() if path.exists() else ""

    @property
    def variables(self) -> dict[str, str]:
        shared = {} if self.is_shared else {"MLP_WORK_DIR": str(self.secret)}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "MLP_POD": f"job-01-{self.group}-worker-x7k2p",
            "MLP_RAY_CLUSTER": "job-01-abcde",
            "MLP_GROUP": self.group,
            "MLP_GRACE_SECONDS": f"{self.grace_seconds:g}",
            "MLP_POD_DIR": str(self.folder),
            "MLP_MEMORY_BYTES": str(2**30),
            "MLP_RAY_LOGS": f"{self.root}/ray/session_2*/logs/worker-*",
            "MLP_TERMINATION_LOG": str(self.root / "termination"),
            **shared,
        }

    @property
    def pod(self) -> Pod:
        return Pod.of(self.variables)

    @property
    def place(self) -> AttemptPlace:
        return self.pod.attempt(self.attempt)

    def hand_work(self, file: Path | None = None, **values: Any) -> None:
        """What the operator writes; a shell line is the least that is needed."""
        token = self.api.token
        work: dict[str, Any] = {
            "name": self.attempt,
            "project": "demo",
            "cluster": self.attempt,
            "ray_cluster": "job-01-abcde",
            "argv": None,
            "shell": None,
            "variables": {"MLP_TOKEN": token, "MLFLOW_TRACKING_TOKEN": token, "COLOUR": "blue"},
            "grace_seconds": self.grace_seconds,
            "timeout_seconds": None,
            "checkpoint_key": "job_1",
            "api_url": self.api.url,
            "token": token,
            "package_digest": None,
            "environment": None,
        }
        draft = self.secret / "draft"
        draft.write_text(json.dumps(work | values))
        draft.replace(file or self.secret / "work.json")

    # -- containers and hooks -------------------------------------------------------------------------------------

    def setup(self, **variables: str) -> int:
        return self.start("setup", **variables).wait(60)

    def agent(self) -> subprocess.Popen[bytes]:
        return self.start("agent")

    def drive(self, *words: str, cwd: Path | None = None, **variables: str) -> subprocess.Popen[bytes]:
        """As Ray would: in the container's environment, with a job configuration of its own."""
        config = json.dumps({"runtime_env": {}, "metadata": {"job_submission_id": "job-01-9xz"}})
        ray = {"MLP_CONTAINER": "ray", "RAY_ADDRESS": "10.0.0.1:6379", "RAY_JOB_CONFIG_JSON_ENV_VAR": config}
        return self.run_program(["drive", *words], ray | variables, cwd)

    def end(self) -> int:
        return self.start("end").wait(60)

    def stop(self, grace_seconds: float, why: str = "A test.", name: str | None = None) -> int:
        words = ("--work", name or self.attempt, "--grace", f"{grace_seconds:g}", "--why", why)
        return self.start("stop", *words).wait(60)

    def start(self, *words: str, **variables: str) -> subprocess.Popen[bytes]:
        return self.run_program(words, variables)

    def run_program(
        self, words: Sequence[str], variables: Mapping[str, str], cwd: Path | None = None, *, reads: bool = False
    ) -> subprocess.Popen[bytes]:
        self.started.append(
            subprocess.Popen(
                [*PROGRAM, *words], env={**self.variables, **variables}, cwd=cwd, stderr=subprocess.PIPE,
                stdout=subprocess.PIPE if reads else None,
            )
        )  # fmt: skip
        return self.started[-1]

    def said(self, process: subprocess.Popen[bytes]) -> str:
        assert process.stderr is not None
        return process.stderr.read().decode()

    # -- what is seen ---------------------------------------------------------------------------------------------

    @property
    def exited(self) -> ExitRecord:
        found = ExitRecord.read(self.place.root)
        assert found is not None
        return found

    def report(self, **wanted: Any) -> dict[str, Any]:
        """The last report, once it says `wanted`."""

        def says() -> dict[str, Any] | None:
            last = self.api.reports[-1] if self.api.reports else {}
            return last if all(last.get(key) == value for key, value in wanted.items()) else None

        return eventually(says, 40)

    def says(self, text: str) -> None:
        """Once it stands in the process's own log."""
        log = self.place.driver_log
        eventually(lambda: log.exists() and text.encode() in log.read_bytes())

    def close(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        marks = (f"MLP_ATTEMPT_ID={self.attempt}".encode(), str(self.folder).encode())
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdecimal() and int(entry.name) != os.getpid():
                    seen = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
                    if any(mark in seen for mark in marks):
                        os.kill(int(entry.name), signal.SIGKILL)
