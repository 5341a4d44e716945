"""Every way a job may end: the phase, the class, the evidence and the exit code of the command agree."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from support.product import Product, numbers, wait_until


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_first_ten_minutes(product: Product, folder: Path) -> None:
    """A script on a cluster of its own, followed to the end, and its log read back."""
    write(folder, "hello.py", "import sys\nprint('hello from', sys.argv[1:])\n")
    ran = product.mlp("run", "hello.py", "a b", cwd=folder)
    assert ran.code == 0, ran.err
    assert "hello from ['a b']" in ran.out
    (job,) = product.ok("job", "list", "--json", "--name", "hello").json
    assert job["phase"] == "succeeded"
    assert "hello from ['a b']" in product.log(job["id"])
    assert [event["reason"] for event in product.ok("job", "events", job["id"], "--json").json].count("Succeeded") == 1
    assert product.marked(f"MLP_JOB_ID={job['id']}") == []


def test_exits_with_3(product: Product, shared_cluster: str, folder: Path) -> None:
    job = product.submit("--cluster", shared_cluster, "--shell", "echo before; exit 3", cwd=folder)
    waited = product.mlp("job", "wait", job)
    read = product.show(job)
    assert (waited.code, read["phase"], read["exit_code"]) == (1, "failed", 3)
    assert (read["failure"]["class"], read["failure"]["exit_code"]) == ("user_error", 3)
    assert read["failure"]["last_lines"] == ["before"]


def test_raises(product: Product, shared_cluster: str, folder: Path) -> None:
    write(folder, "bad.py", "def f():\n    raise ValueError('the weights are truncated')\nf()\n")
    job = product.submit("--cluster", shared_cluster, "--", "python", "bad.py", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["failure"]["class"], read["exit_code"]) == ("failed", "user_error", 1)
    assert read["failure"]["last_lines"][-1] == "ValueError: the weights are truncated"


def test_sleeps_past_its_timeout(product: Product, shared_cluster: str, folder: Path) -> None:
    job = product.submit(
        "--cluster", shared_cluster, "--timeout", "2s", "--grace", "1s", "--", "sleep", "600", cwd=folder
    )
    read = product.wait(job)
    assert (read["phase"], read["failure"]["class"]) == ("failed", "timeout")
    assert read["failure"]["message"] == "It ran longer than its timeout of 2s and was ended."
    assert product.mlp("job", "wait", job).code == 1


def test_ignores_sigterm_and_is_killed_after_its_grace(product: Product, shared_cluster: str, folder: Path) -> None:
    line = "trap '' TERM; echo ready; while :; do sleep 0.1; done"
    job = product.submit("--cluster", shared_cluster, "--grace", "2s", "--shell", line, cwd=folder)
    wait_until(lambda: "ready" in product.log(job), what="the first line")
    product.ok("job", "cancel", job)
    read = product.wait(job, within=40)
    assert (read["phase"], read["signal"]) == ("cancelled", 9)
    assert product.mlp("job", "cancel", job).code == 0
    assert product.marked(f"MLP_JOB_ID={job}") == []


def test_forks_children_that_outlive_it(product: Product, shared_cluster: str, folder: Path) -> None:
    write(
        folder,
        "forks.py",
        "import os, signal, subprocess, time\n"
        "subprocess.Popen(['bash', '-c', \"setsid bash -c \\\"trap '' TERM; while :; do sleep 1; done\\\" &\"])\n"
        "if os.fork() == 0:\n"
        "    os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)\n"
        "print('done', flush=True)\n",
    )
    job = product.submit("--cluster", shared_cluster, "--", "python", "forks.py", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["exit_code"]) == ("succeeded", 0)
    assert product.marked(f"MLP_JOB_ID={job}") == []


def test_prints_200_000_lines(product: Product, shared_cluster: str, folder: Path) -> None:
    write(folder, "lines.py", "for i in range(200_000): print('line', i)\n")
    job = product.submit("--cluster", shared_cluster, "--", "python", "lines.py", cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    assert numbers(product.log(job), "line") == list(range(200_000))


def test_prints_bytes_that_are_no_lines(product: Product, shared_cluster: str, folder: Path) -> None:
    write(
        folder,
        "noise.py",
        "import sys\n"
        "out = sys.stdout.buffer\n"
        "out.write(b'x' * 10_000_000 + b'\\n')\n"
        "for i in range(1000): out.write(b'\\rstep %d' % i)\n"
        "out.write(b'\\n\\xff\\xfe broken\\n\\x1b[32mgreen\\x1b[0m\\n\\x1b]0;title\\x07\\x1b[2Jend\\n')\n",
    )
    job = product.submit("--cluster", shared_cluster, "--", "python", "noise.py", cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    lines = product.log(job).splitlines()
    assert lines[0].startswith("xxxx")
    assert "bytes more on this line" in lines[0]
    assert lines[1:] == ["step 999", "�� broken", "green", "end"]
    raw = product.start("logs", job, "--raw").communicate(timeout=60)[0]
    assert raw.startswith(b"x" * 10_000_000 + b"\n\rstep 0\rstep 1")
    assert raw.endswith(b"\xff\xfe broken\n\x1b[32mgreen\x1b[0m\n\x1b]0;title\x07\x1b[2Jend\n")


def test_a_package_of_300_mb(product: Product, shared_cluster: str, folder: Path) -> None:
    with (folder / "big.bin").open("wb") as file:
        for number in range(300):
            file.write(number.to_bytes(4, "big") * 262_144)
    write(folder, "size.py", "import os\nprint('bytes', os.path.getsize('big.bin'))\n")
    job = product.submit("--cluster", shared_cluster, "--", "python", "size.py", cwd=folder)
    assert product.wait(job, within=240)["phase"] == "succeeded"
    assert f"bytes {300 * 4 * 262_144}" in product.log(job)


def test_names_with_spaces_and_any_script(product: Product, shared_cluster: str, folder: Path) -> None:
    write(folder, "мой файл 训练.py", "print(open('данные 数据.txt').read())\n")
    write(folder, "данные 数据.txt", "прочитано 🚀")
    name = "训练 🚀 nº 1"
    job = product.submit("--cluster", shared_cluster, "--name", name, "--", "python", "мой файл 训练.py", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["name"]) == ("succeeded", name)
    assert product.log(job) == "прочитано 🚀\n"


def test_variables_keep_quotes_newlines_and_dollars(product: Product, shared_cluster: str, folder: Path) -> None:
    value = 'it\'s "quoted"\n$HOME `date` \\n 100% é'
    write(folder, "show.py", "import json, os\nprint(json.dumps(os.environ['ODD']))\n")
    arguments = ("--cluster", shared_cluster, "-e", f"ODD={value}", "--", "python", "show.py")
    job = product.submit(*arguments, cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    assert json.loads(product.log(job)) == value


def test_a_requirement_that_does_not_exist(product: Product, folder: Path) -> None:
    job = product.submit("-r", "mlp-no-such-package-for-tests", "--", "python", "-V", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["failure"]["class"]) == ("failed", "user_error")
    assert "mlp-no-such-package-for-tests" in read["failure"]["message"]
    assert product.ok("job", "attempts", job, "--json").json == []


def test_a_pool_that_does_not_exist(product: Product, folder: Path) -> None:
    ran = product.mlp("job", "submit", "--pool", "tpu", "--", "python", "-V", cwd=folder)
    assert ran.code == 2
    assert "asks for pool 'tpu', which does not exist" in ran.err
    assert "The pools are 'cpu', 'gpu'" in ran.err


def test_more_gpus_than_any_pool_has(product: Product, folder: Path) -> None:
    ran = product.mlp("job", "submit", "--gpus", "64", "--", "python", "-V", cwd=folder)
    assert ran.code == 2
    assert "can never fit" in ran.err
    assert "The largest node of pool 'gpu'" in ran.err


@pytest.mark.parametrize("phase", ["queued", "provisioning", "running"])
def test_cancelled_in_each_phase(product: Product, folder: Path, phase: str) -> None:
    """`sealing` and `admitted` last moments and are held to the same rule on the simulated engine."""
    arguments = ["-r", "numpy==2.4.6", "--", "sleep", "600"] if phase == "queued" else ["--", "sleep", "600"]
    job = product.submit(*arguments, cwd=folder)
    if phase != "queued":
        product.until(job, lambda read: read["phase"] == phase)
    product.ok("job", "cancel", job)
    read = product.wait(job, within=90)
    assert read["phase"] == "cancelled"
    assert product.mlp("job", "wait", job).code == 1
    wait_until(lambda: not product.marked(f"MLP_JOB_ID={job}"), within=15, what="the end of every process")


def test_killed_from_outside_is_not_called_out_of_memory(product: Product, shared_cluster: str, folder: Path) -> None:
    job = product.submit("--cluster", shared_cluster, "--shell", "echo pid $$; kill -9 $$", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["signal"]) == ("failed", 9)
    assert read["failure"]["class"] != "oom"
    assert read["failure"]["signal_name"] == "SIGKILL"


def test_segfault_is_named(product: Product, shared_cluster: str, folder: Path) -> None:
    job = product.submit(
        "--cluster", shared_cluster, "--", "python", "-c", "import os; os.kill(os.getpid(), 11)", cwd=folder
    )
    read = product.wait(job)
    assert (read["signal"], read["failure"]["signal_name"]) == (int(signal.SIGSEGV), "SIGSEGV")


def test_detaching_leaves_the_job_running(product: Product, shared_cluster: str, folder: Path) -> None:
    write(folder, "long.py", "import time\nprint('up', flush=True)\ntime.sleep(600)\n")
    running = product.start("run", "--cluster", shared_cluster, "long.py", cwd=folder)
    assert running.stdout is not None
    assert b"up" in running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert b"mlp job cancel" in err
    (job,) = product.ok("job", "list", "--json", "--name", "long").json
    wait_until(lambda: product.show(job["id"])["phase"] == "running", what="the job seen running")
    product.ok("job", "cancel", job["id"])
    product.wait(job["id"])
