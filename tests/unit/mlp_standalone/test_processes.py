from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

from mlp_standalone import child
from mlp_standalone.processes import MARKER, Identity, end, marked, wait_until

SHIM = [sys.executable, "-I", "-S", child.__file__, "--parent", str(os.getpid())]


def sleeper(**environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "600"], env={**os.environ, **environment})


def test_an_identity_is_a_pid_and_its_start() -> None:
    own = Identity.of(os.getpid())
    assert own is not None
    assert own.is_alive()
    assert not Identity(os.getpid(), "another boot/1").is_alive()


def test_a_zombie_is_gone() -> None:
    process = sleeper()
    identity = Identity.of(process.pid)
    assert identity is not None
    process.kill()
    # Not reaped yet: it stays a zombie until `wait` below.
    assert wait_until(lambda: not identity.is_alive(), 10)
    assert Identity.of(process.pid) is None
    identity.send(signal.SIGTERM)
    process.wait()


def test_end_asks_first_and_kills_what_stays() -> None:
    polite = sleeper()
    ready = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    )
    stubborn = subprocess.Popen([sys.executable, "-c", ready], stdout=subprocess.PIPE)
    assert stubborn.stdout is not None
    stubborn.stdout.readline()
    identities = [identity for pid in (polite.pid, stubborn.pid) if (identity := Identity.of(pid))]
    killed = end(identities, grace_seconds=0.5)
    assert [identity.pid for identity in killed] == [stubborn.pid]
    assert (polite.wait(), stubborn.wait()) == (-signal.SIGTERM, -signal.SIGKILL)


def test_marked_finds_services_and_spares_clusters(tmp_path: Path) -> None:
    service = sleeper(**{MARKER: str(tmp_path)})
    other = sleeper(**{MARKER: str(tmp_path / "other")})
    node = sleeper(**{MARKER: str(tmp_path), "MLP_CLUSTER": "c"})
    try:
        assert [identity.pid for identity in marked(tmp_path)] == [service.pid]
    finally:
        for process in (service, other, node):
            process.kill()
            process.wait()


def test_the_shim_becomes_the_program_and_keeps_its_pid() -> None:
    process = subprocess.Popen([*SHIM, "--", "sh", "-c", "echo $$"], stdout=subprocess.PIPE)
    printed, _ = process.communicate(timeout=10)
    assert int(printed) == process.pid


def test_the_shim_says_what_cannot_be_started() -> None:
    done = subprocess.run([*SHIM, "--", "/no/such/program"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (127, "cannot start /no/such/program: No such file or directory\n")


def test_a_program_behind_the_shim_gets_its_signal_when_the_parent_dies() -> None:
    script = f"""
        import os, subprocess, sys
        shim = [sys.executable, "-I", "-S", {child.__file__!r}, "--parent", str(os.getpid()), "--signal", "2"]
        trap = "trap 'echo interrupted; exit' INT; echo ready; while :; do sleep 0.05; done"
        subprocess.Popen([*shim, "--", "sh", "-c", trap])
        sys.stdin.read()
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == "ready\n"
    parent.kill()
    parent.wait()
    assert parent.stdout.readline() == "interrupted\n"
    assert parent.stdin is not None
    parent.stdin.close()
    parent.stdout.close()


def test_a_program_does_not_start_when_the_parent_is_already_gone() -> None:
    shim = [sys.executable, "-I", "-S", child.__file__, "--parent", "1", "--signal", "15"]
    done = subprocess.run([*shim, "--", "echo", "started"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (127, "")
