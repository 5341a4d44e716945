"""The command as a real process, on every kind of console. Case i3."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.fake_platform import FakePlatform, Reply, a_chunk, a_job, fake_platform, sse

ENCODINGS = ["ascii", "gbk", "cp1252", "utf-8"]
JOB = a_job()["id"]
LINES = ["é one", "训练 \x1b[32mgreen\x1b[0m 🚀", "\x1b]0;title\x07end"]


@pytest.fixture(scope="module")
def platform() -> Iterator[FakePlatform]:
    with fake_platform() as made:
        job = a_job(name="训练 🚀", phase="succeeded", message="Finished – é.", project="тест", attempt=1)
        made.on("GET /projects/demo/jobs", {"items": [job] * 300, "next": None})
        made.on(f"GET /projects/demo/jobs/{JOB}", job)
        made.on(f"GET /projects/demo/jobs/{JOB}/logs", answer_log)
        made.on("GET /projects", {"items": [a_project()], "next": None})
        made.on("GET /me", {**a_me(), "projects": [a_project()]})
        yield made


def answer_log(seen: object) -> Reply:
    if ("follow", "true") in seen.query:  # type: ignore[attr-defined]
        events = [("log", a_chunk(0, *LINES)), ("end", {"attempt": 1, "phase": "succeeded"})]
        return Reply(stream=iter([sse(*events)]))
    return Reply(json={"items": [a_chunk(0, *LINES)], "next": None})


def a_project() -> dict[str, object]:
    return {
        "id": "prj_1", "name": "demo", "description": "Проект – ✓", "team": "default", "role": "owner",
        "limits": {}, "created_at": "2026-11-30T12:00:00Z", "live_jobs": 3, "mlflow_url": "http://x", "etag": "1",
    }  # fmt: skip


def a_me() -> dict[str, object]:
    return {
        "kind": "user", "id": "usr_1", "username": "ada", "display_name": "Åda", "is_admin": False, "token": None,
        "server_version": "0.1.0",
    }  # fmt: skip


COMMANDS = [
    ["job", "list"], ["job", "list", "--json"], ["job", "show", JOB], ["logs", JOB], ["logs", JOB, "-f"],
    ["project", "list"], ["whoami"], ["whoami", "-o", "yaml"], ["job", "show", "missing"], ["--help"],
]  # fmt: skip


def environ(platform: FakePlatform, tmp_path: Path, encoding: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MLP_", "LC_", "LANG"))}
    return kept | {
        "MLP_URL": platform.url, "MLP_TOKEN": "t", "MLP_PROJECT": "demo", "MLP_CONFIG": str(tmp_path / "none"),
        "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "PYTHONIOENCODING": encoding,
    }  # fmt: skip


def mlp(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from mlp.cli.start import main; sys.exit(main())", *arguments]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_console_makes_a_command_fail(platform: FakePlatform, tmp_path: Path, encoding: str) -> None:
    for command in COMMANDS:
        done = subprocess.run(
            mlp(*command), env=environ(platform, tmp_path, encoding), capture_output=True, check=False, timeout=60
        )
        assert done.returncode == (4 if "missing" in command else 0), (command, done.stderr)
        assert b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
        text = done.stdout.decode(encoding)
        if "--json" in command:
            assert json.loads(text)[0]["name"] == "训练 🚀"
            assert encoding == "utf-8" or text.isascii()


def on_terminal(command: list[str], env: dict[str, str], columns: int = 80) -> tuple[int, bytes]:
    """Run with a terminal on all three streams: exit code and everything that was shown."""
    main, side = pty.openpty()
    os.set_inheritable(side, True)
    import fcntl
    import struct
    import termios

    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(command, env=env, stdin=side, stdout=side, stderr=side, close_fds=True) as process:
        os.close(side)
        shown = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # the other side has closed
                break
            if not piece:
                break
            shown += piece
    os.close(main)
    return process.returncode, shown


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_terminal_of_twenty_columns_is_wide_enough(platform: FakePlatform, tmp_path: Path, encoding: str) -> None:
    env = environ(platform, tmp_path, encoding) | {"TERM": "dumb"}
    for command in (["job", "list"], ["job", "show", JOB], ["logs", JOB, "-f"], ["--help"]):
        code, shown = on_terminal(mlp(*command), env, columns=20)
        assert code == 0, shown
        assert b"Traceback" not in shown


def test_a_terminal_gets_colours_but_no_control(platform: FakePlatform, tmp_path: Path) -> None:
    env = environ(platform, tmp_path, "utf-8") | {"TERM": "xterm"}
    _, shown = on_terminal(mlp("logs", JOB), env)
    assert b"\x1b[32mgreen" in shown
    assert b"title" not in shown
    _, plain = on_terminal(mlp("logs", JOB), env | {"NO_COLOR": "1"})
    assert b"\x1b" not in plain


def test_a_reader_that_leaves_ends_it_quietly(platform: FakePlatform, tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(map(repr, mlp('job', 'list')))} | head -1; exit ${{PIPESTATUS[0]}}"],
        env=environ(platform, tmp_path, "utf-8"),
        capture_output=True,
        check=False,
        timeout=60,
    )
    # All rows may be in the pipe before its reader leaves; then the list says that it is cut, as it always does.
    footer = b"The first 100 jobs. --all shows every one.\n"
    assert (done.returncode, done.stderr.replace(footer, b"")) == (0, b"")
    assert done.stdout.startswith(b"ID")


def test_an_interrupt_is_exit_130_without_a_traceback(platform: FakePlatform, tmp_path: Path) -> None:
    code = "import os,signal,sys\nfrom mlp.cli import main as m\n"
    code += "m._run = lambda _: signal.raise_signal(signal.SIGINT)\nsys.exit(m.main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "job", "list"],
        env=environ(platform, tmp_path, "utf-8"),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (130, b"\nInterrupted.\n")
