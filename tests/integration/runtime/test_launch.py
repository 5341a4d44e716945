"""The launcher, on real processes: exact commands, true exits, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlp.runtime.records import ExitRecord, LaunchSpec, Started, StopRequest, launch_command
from support.processes import Job, eventually

SAVES_ON_SIGTERM = """
import signal, sys, time
def bye(*_):
    with open("last.txt", "w") as stream:
        for i in range(4):
            print("saving", i, file=stream, flush=True); print("saving", i, flush=True); time.sleep(0.25)
    sys.exit(0)
signal.signal(signal.SIGTERM, bye)
print("ready", flush=True)
while True: time.sleep(0.05)
"""


def test_argv_reaches_the_process_byte_for_byte(job: Job) -> None:
    words = ["--name", "a b", "$HOME", "*.py", '{"lr": 0.1}', "", "zwei\nZeilen", "größer", "\udcff"]
    show = "import os,sys,json;print(json.dumps([list(os.fsencode(w)) for w in sys.argv[1:]]))"
    record = job.run(argv=(sys.executable, "-c", show, *words))
    assert record.exit_code == 0
    assert json.loads(job.log.read_text()) == [list(os.fsencode(word)) for word in words]


def test_shell_line_runs_in_bash_with_errexit_and_pipefail(job: Job) -> None:
    record = job.run(shell=f"echo $((1+1)) && {sys.executable} -c 'raise SystemExit(3)' 2>&1 | tee run.log")
    assert (record.exit_code, record.signal) == (3, None)
    assert job.log.read_bytes() == b"2\n"


@pytest.mark.parametrize(
    ("line", "status"),
    [("set +e\nfalse\necho done", 0), ("false\ntrue", 1), ("false | true", 1), ("set +o pipefail; false | true", 0)],
)
def test_a_shell_line_ends_with_its_last_command(job: Job, line: str, status: int) -> None:
    assert job.run(shell=line).exit_code == status


def test_environment_is_the_given_one_and_output_is_unbuffered(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLP_SECRET_KEY", "never seen by a job")
    job.run(argv=("env",), env={"ODD": 'quotes " and $x\nand lines'})
    text = job.log.read_text()
    assert 'ODD=quotes " and $x\nand lines\n' in text
    assert "PYTHONUNBUFFERED=1\n" in text
    assert "MLP_SECRET_KEY" not in text


def test_exit_code_is_the_commands(job: Job) -> None:
    record = job.run(argv=("bash", "-c", "exit 3"))
    assert (record.exit_code, record.signal, record.stopped, record.timed_out) == (3, None, False, False)
    assert record.max_rss_bytes > 0
    assert record.started_at <= record.ended_at


def test_death_by_signal_is_told_as_that_signal(job: Job) -> None:
    record = job.run(argv=("bash", "-c", "kill -SEGV $$"))
    assert (record.exit_code, record.signal) == (None, signal.SIGSEGV)


@pytest.mark.parametrize(
    ("argv", "status", "sentence"),
    [
        (("no-such-program", "x"), 127, "no-such-program: command not found."),
        (("python show.py",), 127, "--shell 'python show.py'"),
        (("/no/such/file",), 127, "/no/such/file: no such file."),
        (("./plain.txt",), 126, "Permission denied"),
        (("./headless",), 126, "#!/usr/bin/env bash"),
        (("./lost",), 127, "interpreter"),
    ],
)
def test_a_command_that_cannot_run_says_why(job: Job, argv: tuple[str, ...], status: int, sentence: str) -> None:
    code = job.folder / "code"
    code.mkdir()
    (code / "plain.txt").write_text("x")
    (code / "headless").write_text("echo x")
    (code / "lost").write_text("#!/no/such/interpreter\n")
    (code / "headless").chmod(0o755)
    (code / "lost").chmod(0o755)
    record = job.run(argv=argv)
    assert record.exit_code == status
    assert sentence in (record.error or "")
    assert sentence in job.log.read_text()


def test_missing_working_folder_is_not_the_commands_fault(job: Job) -> None:
    LaunchSpec(cwd="/no/such/folder", log=str(job.log), env={}, argv=("true",)).write(job.folder)
    status = subprocess.run(launch_command(sys.executable, job.folder), check=False).returncode
    record = ExitRecord.read(job.folder)
    assert record is not None
    assert (status, record.exit_code, record.signal) == (125, None, None)
    assert "/no/such/folder" in (record.error or "")


def test_sigterm_lets_the_real_process_finish_saving(job: Job) -> None:
    job.start(shell=f"{sys.executable} -c '{SAVES_ON_SIGTERM}'").says("ready")
    record = job.stop().wait()
    assert (record.exit_code, record.signal, record.stopped, record.killed) == (0, None, True, False)
    saved = "".join(f"saving {i}\n" for i in range(4))
    assert (job.folder / "code" / "last.txt").read_text() == saved
    assert job.log.read_text() == "ready\n" + saved


def test_sigterm_does_not_break_the_pipe_of_a_process_that_is_saving(job: Job) -> None:
    (job.folder / "code").mkdir()
    (job.folder / "code" / "a.py").write_text(SAVES_ON_SIGTERM)
    job.start(shell=f"echo first; {sys.executable} a.py 2>&1 | tee run.log; echo never").says("ready")
    record = job.stop().wait()
    assert record.stopped
    assert not record.killed
    assert (job.folder / "code" / "last.txt").read_text().endswith("saving 3\n")
    assert (job.folder / "code" / "run.log").read_text().endswith("saving 3\n")
    assert "never" not in job.log.read_text()


def test_a_second_sigterm_changes_nothing(job: Job) -> None:
    job.start(argv=(sys.executable, "-c", SAVES_ON_SIGTERM)).says("ready")
    job.stop().says("saving 0")
    record = job.stop(grace_seconds=0).wait()
    assert (record.exit_code, record.killed) == (0, False)
    assert job.log.read_text().count("saving") == 4


def test_what_ignores_sigterm_is_killed_after_the_grace_of_the_stop_file(job: Job) -> None:
    job.start(shell="trap '' TERM; echo ready; while :; do sleep 0.1; done", grace_seconds=600).says("ready")
    asked_at = time.monotonic()
    record = job.stop(grace_seconds=0.5).wait()
    assert (record.signal, record.stopped, record.killed) == (signal.SIGKILL, True, True)
    assert 0.5 <= time.monotonic() - asked_at < 2.5


STUBBORN_FAMILY = """
import os, signal, subprocess, sys, time
ignore = "trap '' TERM; "
subprocess.Popen(["bash", "-c", ignore + f'setsid bash -c "{ignore} while :; do sleep 1; done" & wait'])
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
print("ready", flush=True)
if sys.argv[1] == "leave": time.sleep(0.3); sys.exit(7)
time.sleep(3600)
"""


def test_stop_ends_double_forked_children_in_sessions_of_their_own(job: Job) -> None:
    job.start(argv=(sys.executable, "-c", STUBBORN_FAMILY, "stay"), grace_seconds=0.3).says("ready")
    assert eventually(lambda: len(job.pids()) >= 6)
    record = job.stop().wait()
    assert record.stopped
    assert record.killed
    assert record.left_pids == ()


def test_children_that_outlive_the_command_are_ended_and_its_exit_code_kept(job: Job) -> None:
    record = job.run(argv=(sys.executable, "-c", STUBBORN_FAMILY, "leave"))
    assert (record.exit_code, record.stopped, record.killed) == (7, False, True)


def test_timeout_ends_it_like_a_stop(job: Job) -> None:
    record = job.run(shell="trap 'echo bye; exit 4' TERM; while :; do sleep 0.05; done", timeout_seconds=0.5)
    assert (record.exit_code, record.timed_out, record.stopped, record.killed) == (4, True, False, False)
    assert job.log.read_text().endswith("bye\n")


def test_stop_before_the_start_runs_nothing(job: Job) -> None:
    StopRequest(1.0, "too late").write(job.folder)
    record = job.run(argv=("touch", "ran"))
    assert (record.stopped, record.pid, record.exit_code) == (True, None, None)
    assert not (job.folder / "code" / "ran").exists()


def test_a_folder_is_launched_once(job: Job) -> None:
    job.run(shell="echo once")
    before = (job.folder / "exit.json").read_bytes()
    assert subprocess.run(launch_command(sys.executable, job.folder), check=False).returncode == 125
    assert (job.folder / "exit.json").read_bytes() == before
    assert job.log.read_text() == "once\n"


def test_second_launcher_on_a_running_folder_steps_back(job: Job) -> None:
    (job.folder / "code").mkdir()
    os.mkfifo(job.folder / "code" / "fifo")
    job.start(shell="echo once; read -r < fifo").says("once")
    assert subprocess.run(launch_command(sys.executable, job.folder), check=False).returncode == 125
    (job.folder / "code" / "fifo").write_text("go\n")
    assert job.wait().exit_code == 0
    assert job.log.read_text() == "once\n"


def test_a_launcher_killed_outright_takes_the_command_with_it(job: Job) -> None:
    job.start(argv=(sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(3600)")).says("ready")
    assert job.process is not None
    pid = Started.read(job.folder).pid
    job.process.kill()
    job.process.wait()
    eventually(lambda: not job.pids())
    assert not Path(f"/proc/{pid}/exe").exists()
    assert ExitRecord.read(job.folder) is None


def test_the_launchers_parent_may_die(job: Job) -> None:
    os.mkfifo(job.folder / "fifo")
    line = "echo ready; read -r < fifo"
    LaunchSpec(cwd=str(job.folder), log=str(job.log), env={}, shell=line).write(job.folder)
    command = launch_command(sys.executable, job.folder)
    parent = f"import subprocess; subprocess.Popen({command!r}, start_new_session=True)"
    subprocess.run([sys.executable, "-c", parent], check=True)
    job.says("ready")
    (job.folder / "fifo").write_text("go\n")
    assert eventually(lambda: ExitRecord.read(job.folder)).exit_code == 0


def test_a_10_mb_line_and_bytes_that_are_no_text_reach_the_log_untouched(job: Job) -> None:
    write = "import sys; w=sys.stdout.buffer.write; w(b'x'*10_000_000); w(b'\\n\\xff\\xfe\\0\\r50%\\r\\x1b[32mend')"
    assert job.run(argv=(sys.executable, "-c", write)).exit_code == 0
    assert job.log.read_bytes() == b"x" * 10_000_000 + b"\n\xff\xfe\0\r50%\r\x1b[32mend"


def test_200_000_lines_of_both_streams_are_all_there(job: Job) -> None:
    assert job.run(shell="seq 1 100000; seq 100001 200000 >&2").exit_code == 0
    assert job.log.read_bytes() == b"".join(b"%d\n" % i for i in range(1, 200_001))


def test_a_launch_file_that_cannot_be_used_is_told_in_the_exit_file(tmp_path: Path) -> None:
    (tmp_path / "launch.json").write_text('{"argv": ["true"], "shell": "true", "cwd": "/", "log": "/dev/null"}')
    assert subprocess.run(launch_command(sys.executable, tmp_path), check=False).returncode == 125
    record = ExitRecord.read(tmp_path)
    assert record is not None
    assert "exactly one of argv and shell" in (record.error or "")
