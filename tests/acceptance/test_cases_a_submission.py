"""Cases of kind a: submitting and packaging, as they went wrong for people elsewhere."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from support.product import Product, wait_until

SHOW = "import json, sys\nprint(json.dumps(sys.argv[1:]))\n"


def test_a1_the_git_folder_never_travels(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "pack.bin").write_bytes(os.urandom(1_000_000) * 30)
    for name, text in (("main.py", 'print("ok")'), ("a.ini", "[x]"), ("b.txt", "hi")):
        (folder / name).write_text(text)
    job = product.submit("--cluster", shared_cluster, "--", "python", "main.py", cwd=folder)
    read = product.wait(job)
    assert read["phase"] == "succeeded"
    shown = product.ok("package", "show", read["package"], "--json").json
    assert [entry["path"] for entry in shown["contents"]] == ["a.ini", "b.txt", "main.py"]
    assert shown["size"] < 1_000_000


def test_a1_large_real_files_travel_whole(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "big.bin").write_bytes(os.urandom(1_000_000) * 40)
    line = "import hashlib; print(hashlib.sha256(open('data/big.bin','rb').read()).hexdigest())"
    job = product.submit("--cluster", shared_cluster, "--", "python", "-c", line, cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    import hashlib

    assert product.log(job).strip() == hashlib.sha256((folder / "data" / "big.bin").read_bytes()).hexdigest()


def test_a3_arguments_arrive_byte_for_byte(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / "show.py").write_text(SHOW)
    arguments = ["--name", "a b", "$HOME", "*.py", '{"lr": 0.1}', ""]
    job = product.submit("--cluster", shared_cluster, "--", "python", "show.py", *arguments, cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    assert json.loads(product.log(job)) == arguments


def test_a3_a_shell_line_runs_in_a_shell(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / "show.py").write_text(SHOW)
    job = product.submit("--cluster", shared_cluster, "--shell", "echo $((1+1)) && ls | wc -l", cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    assert product.log(job).split() == ["2", "1"]


def test_a3_one_quoted_word_is_refused_with_the_line_to_type(product: Product, folder: Path) -> None:
    ran = product.mlp("job", "submit", "--", "python show.py", cwd=folder)
    assert ran.code == 2
    assert "--shell" in ran.err
    assert "Traceback" not in ran.err


def test_a5_links_in_the_code_folder(product: Product, shared_cluster: str, tmp_path: Path) -> None:
    (tmp_path / "s/src/lib").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "s/src/lib/__init__.py").write_text("V=1\n")
    (tmp_path / "outside/cfg.py").write_text("K=2\n")
    for name, target in (("lib", "src/lib"), ("cfg.py", "../outside/cfg.py"), ("loop", "."), ("dead", "nowhere")):
        (tmp_path / "s" / name).symlink_to(target)
    command = ("--cluster", shared_cluster, "--", "python", "-c", "import lib, cfg; print(lib.V, cfg.K)")
    refused = product.mlp("job", "submit", *command, cwd=tmp_path / "s")
    assert refused.code == 2
    assert "cfg.py" in refused.err
    assert "--follow-outside-links" in refused.err
    started = time.monotonic()
    sent = product.ok("job", "submit", "--json", "--follow-outside-links", *command, cwd=tmp_path / "s")
    assert time.monotonic() - started < 20
    assert "loop" in sent.err
    assert "dead" in sent.err
    job = sent.json["id"]
    assert product.wait(job)["phase"] == "succeeded"
    assert product.log(job).strip() == "1 2"


SAVES = """
import os, signal, sys, time
def bye(*_):
    with open(os.environ["MLP_ARTIFACTS"] + "/last.txt", "w") as f:
        for i in range(3):
            print("saving", i, file=f, flush=True); print("saving", i, flush=True); time.sleep(0.5)
    sys.exit(0)
signal.signal(signal.SIGTERM, bye)
print("ready", flush=True)
while True: time.sleep(0.1)
"""


def test_a7_cancel_reaches_the_real_process_and_lets_it_save(
    product: Product, shared_cluster: str, folder: Path
) -> None:
    (folder / "a.py").write_text(SAVES)
    job = product.submit("--cluster", shared_cluster, "--shell", "python a.py", cwd=folder)
    wait_until(lambda: "ready" in product.log(job), what="the first line")
    product.ok("job", "cancel", job, "--grace", "20s")
    read = product.wait(job)
    assert (read["phase"], read["exit_code"]) == ("cancelled", 0)
    assert product.log(job).split("\n")[1:4] == ["saving 0", "saving 1", "saving 2"]
    (left,) = product.ok("job", "artifacts", job, "--json").json
    assert (left["path"], left["complete"]) == ("last.txt", True)
    product.ok("job", "download", job, "-o", "results", cwd=folder)
    assert (folder / "results" / "last.txt").read_text() == "saving 0\nsaving 1\nsaving 2\n"
    reasons = [event["reason"] for event in product.ok("job", "events", job, "--json").json]
    assert reasons[-2:] == ["ArtifactsStored", "Cancelled"]


def test_a9_the_platforms_own_ray_cannot_be_replaced(product: Product, folder: Path) -> None:
    job = product.submit("-r", "ray==2.9.0", "-r", "requests==2.32.3", "--", "python", "-V", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["failure"]["class"]) == ("failed", "user_error")
    assert "2.9.0" in read["failure"]["message"]
    assert "2.60.0" in read["failure"]["message"]
    assert read["started_at"] is None
    assert product.ok("job", "attempts", job, "--json").json == []


def test_a9_a_conflict_shows_the_resolvers_words(product: Product, folder: Path) -> None:
    job = product.submit("-r", "numpy==1.26.4", "-r", "pandas==3.1.1", "--", "python", "-V", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["failure"]["class"]) == ("failed", "user_error")
    assert any("numpy" in line for line in read["failure"]["last_lines"])


def test_a9_the_same_list_twice_is_resolved_and_built_once(product: Product, shared_cluster: str, folder: Path) -> None:
    line = ("--cluster", shared_cluster, "-r", "tomli-w==1.2.0", "--", "python", "-c", "import tomli_w; print('in')")
    first, second = product.submit(*line, cwd=folder), ""
    one = product.wait(first)
    assert one["phase"] == "succeeded", one["failure"]
    second = product.submit(*line, cwd=folder)
    two = product.wait(second)
    assert one["environment_digest"] == two["environment_digest"]
    reasons = [event["reason"] for event in product.ok("job", "events", second, "--json").json]
    assert "ResolvingEnvironment" not in reasons


def test_a11_a_failure_before_a_pipe_is_a_failure(product: Product, shared_cluster: str, folder: Path) -> None:
    line = "python -c 'raise SystemExit(3)' 2>&1 | tee run.log"
    job = product.submit("--cluster", shared_cluster, "--shell", line, cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["exit_code"]) == ("failed", 3)
    assert read["spec"]["entrypoint"] == line


def test_a11_two_lines_of_which_the_first_fails(product: Product, shared_cluster: str, folder: Path) -> None:
    job = product.submit("--cluster", shared_cluster, "--shell", "false\necho second", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["exit_code"]) == ("failed", 1)
    assert product.log(job) == ""


def test_a11_the_last_command_decides_where_one_says_so(product: Product, shared_cluster: str, folder: Path) -> None:
    job = product.submit("--cluster", shared_cluster, "--shell", "set +e\nfalse\necho done", cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    assert "set +e" in product.ok("job", "submit", "--help").out


def test_a11_dry_run_shows_what_would_run(product: Product, folder: Path) -> None:
    ran = product.ok(
        "job", "submit", "--dry-run", "--json", "--env", "A=1", "--", "python", "-c", "print(1)", cwd=folder
    )
    assert ran.json["command"] == "python -c 'print(1)'"
    assert product.mlp("job", "submit", "--", cwd=folder).code == 2
