"""The product as a person meets it: started by `mlp up`, driven by `mlp` and the SDK in a home of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil

import mlp

T = TypeVar("T")
MLP = Path(sys.executable).parent / "mlp"
EXAMPLES = Path(__file__).parents[2] / "examples"
START_SECONDS = 240.0
_LOOK_AGAIN = 0.1


@dataclass(frozen=True)
class Ran:
    """One `mlp` command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Product:
    """One running platform and a person signed in to it."""

    home: Path
    data: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def env(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        own = {"HOME": str(self.home), "MLP_CONFIG": str(self.home / "config.toml"), "MLP_DATA": str(self.data)}
        return kept | own | dict(self.environment) | more

    def mlp(self, *arguments: str, cwd: Path | None = None, timeout: float = 180.0, typed: str = "", **env: str) -> Ran:
        """Run `mlp ARGUMENTS...` as a person in a terminal without colours would."""
        done = subprocess.run(
            [str(MLP), *arguments],
            cwd=cwd or self.home,
            env=self.env(**env),
            capture_output=True,
            timeout=timeout,
            input=typed.encode(),
        )
        return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def start(self, *arguments: str, cwd: Path | None = None, **env: str) -> subprocess.Popen[bytes]:
        """A command that goes on; its output is piped."""
        return subprocess.Popen(
            [str(MLP), *arguments],
            cwd=cwd or self.home,
            env=self.env(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )

    def ok(self, *arguments: str, cwd: Path | None = None, typed: str = "", **env: str) -> Ran:
        """The same, and it must succeed."""
        ran = self.mlp(*arguments, cwd=cwd, typed=typed, **env)
        assert ran.code == 0, f"mlp {' '.join(arguments)} ended with {ran.code}:\n{ran.out}\n{ran.err}"
        return ran

    def client(self, **more: Any) -> mlp.Client:
        profile = self.profile
        return mlp.Client(**({"url": profile["url"], "token": profile["token"], "project": "default"} | more))

    @property
    def profile(self) -> dict[str, str]:
        import tomllib

        config = tomllib.loads((self.home / "config.toml").read_text())
        return config["profiles"][config.get("current", "default")]

    @property
    def url(self) -> str:
        return self.profile["url"]

    def up(self) -> None:
        self.ok_slow("up", "--detach", "--data", str(self.data))

    def ok_slow(self, *arguments: str) -> Ran:
        ran = self.mlp(*arguments, timeout=START_SECONDS)
        assert ran.code == 0, (
            f"mlp {' '.join(arguments)} ended with {ran.code}:\n{ran.out}\n{ran.err}{self.logs_tail()}"
        )
        return ran

    def down(self) -> Ran:
        return self.mlp("down", "--data", str(self.data), timeout=120)

    def status(self) -> dict[str, Any]:
        return self.mlp("status", "--json", "--data", str(self.data)).json

    def pid_of(self, service: str) -> int:
        found = {entry["name"]: entry for entry in self.status()["processes"]}
        return int(found[service]["pid"])

    def logs_tail(self) -> str:
        """The end of every service's log, for a failure's message."""
        parts = [
            f"\n--- {file.name}\n{file.read_text(errors='replace')[-1500:]}" for file in self.data.rglob("logs/*.log")
        ]
        return "".join(parts)

    def submit(self, *arguments: str, cwd: Path | None = None) -> str:
        """`mlp job submit --json ARGUMENTS...`; the job's id."""
        return self.ok("job", "submit", "--json", *arguments, cwd=cwd).json["id"]

    def show(self, job: str) -> dict[str, Any]:
        return self.ok("job", "show", job, "--json").json

    def wait(self, job: str, *, within: float = 180.0) -> dict[str, Any]:
        """The job once it has ended."""
        return self.until(job, lambda read: read["phase"] in ("succeeded", "failed", "cancelled"), within=within)

    def until(self, job: str, wanted: Callable[[dict[str, Any]], Any], *, within: float = 120.0) -> dict[str, Any]:
        """The job once `wanted` holds of it."""
        client = self.client()
        deadline = time.monotonic() + within
        while True:
            read = client.jobs.get(job).read.model_dump(mode="json", by_alias=True)
            if wanted(read):
                return read
            assert time.monotonic() < deadline, f"not within {within:g} s: {json.dumps(read, indent=1)[:3000]}"
            time.sleep(_LOOK_AGAIN)

    def log(self, job: str, *arguments: str) -> str:
        return self.ok("logs", job, *arguments).out

    def marked(self, marker: str) -> list[psutil.Process]:
        """Live processes whose environment holds `marker`, such as `MLP_JOB_ID=job_...`."""
        return processes_marked(marker)


_NOT_INHERITED = {
    "MLP_URL",
    "MLP_TOKEN",
    "MLP_PROJECT",
    "MLP_DATA",
    "MLP_CONFIG",
    "PYTHONDONTWRITEBYTECODE",
    "RAY_ADDRESS",
    "PYTHONPATH",
    "FORCE_COLOR",
}


def processes_marked(marker: str) -> list[psutil.Process]:
    """Live processes that carry `marker` in their environment. Zombies are not alive."""
    found: list[psutil.Process] = []
    needle = marker.encode()
    for process in psutil.process_iter():
        try:
            environment = Path(f"/proc/{process.pid}/environ").read_bytes()
            is_marked = any(entry.startswith(needle) for entry in environment.split(b"\0"))
            if is_marked and process.status() != psutil.STATUS_ZOMBIE and process.pid != os.getpid():
                found.append(process)
        except (OSError, psutil.Error):
            continue
    return found


def wait_until(look: Callable[[], T], *, within: float = 60.0, what: str = "it") -> T:
    """What `look` answers once it is truthy."""
    deadline = time.monotonic() + within
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"{what} did not come about within {within:g} s; last: {found!r}"
        time.sleep(_LOOK_AGAIN)


@contextmanager
def running_product(folder: Path) -> Generator[Product]:
    """A platform in `folder`, started as the README says and gone at the end with everything it started."""
    product = Product(home=folder / "home", data=folder / "data")
    product.home.mkdir(parents=True)
    try:
        product.up()
        yield product
    finally:
        product.down()
        for process in processes_marked(f"MLP_DATA_DIR={product.data}"):
            process.send_signal(signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def numbers(text: str, word: str) -> list[int]:
    """The numbers that follow `word` on lines of a log, in order."""
    return [int(found) for found in re.findall(rf"\b{re.escape(word)} (\d+)\b", text)]
