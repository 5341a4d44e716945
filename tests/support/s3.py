"""A real S3-compatible store (versitygw over a folder), started once per test session."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.ports import free_port

TOOLS = Path(__file__).parent / "tools"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mlp-tests"
BUILD_SECONDS = 900
START_SECONDS = 20


@dataclass(frozen=True)
class S3Server:
    """Where the store listens and how to sign in."""

    endpoint: str
    access_key: str
    secret_key: str
    folder: Path

    def make_bucket(self, name: str) -> None:
        """versitygw's posix backend takes every top-level folder for a bucket."""
        (self.folder / name).mkdir(exist_ok=True)

    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_REGION": "us-east-1",
        }


def gateway_binary() -> Path:
    """The versitygw that `go.mod` pins, built once per version of the lock (two minutes cold)."""
    digest = hashlib.sha256((TOOLS / "go.sum").read_bytes()).hexdigest()[:16]
    folder = CACHE / digest
    binary = folder / "versitygw"
    if binary.exists():
        return binary
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.exists():
            _build(binary)
    return binary


@contextmanager
def s3_server() -> Generator[S3Server]:
    """Run the gateway on a free loopback port over a temporary folder."""
    binary = gateway_binary()
    folder = Path(tempfile.mkdtemp(prefix="mlp-s3-"))
    (folder / "data").mkdir()
    port = free_port()
    server = S3Server(f"http://127.0.0.1:{port}", "mlp-test", "mlp-test-secret", folder / "data")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [binary, "--port", f"127.0.0.1:{port}", "posix", str(server.folder)],
            env={
                "PATH": os.environ["PATH"],
                "ROOT_ACCESS_KEY": server.access_key,
                "ROOT_SECRET_KEY": server.secret_key,
            },
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for_port(process, port, folder / "log")
        yield server
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _build(binary: Path) -> None:
    go = shutil.which("go") or "/usr/local/go/bin/go"
    partial = binary.with_suffix(".partial")
    subprocess.run(
        [go, "build", "-o", str(partial), "github.com/versity/versitygw/cmd/versitygw"],
        cwd=TOOLS,
        check=True,
        timeout=BUILD_SECONDS,
        env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"},
    )
    partial.rename(binary)


def _wait_for_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"versitygw ended with {process.returncode}:\n{log.read_text(errors='replace')}")
        with socket.socket() as probe:
            probe.settimeout(0.2)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError(f"versitygw does not listen after {START_SECONDS} s:\n{log.read_text(errors='replace')}")
