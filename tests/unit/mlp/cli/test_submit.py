from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.fake_platform import FakePlatform, Reply, a_chunk, a_job, problem, sse

JOBS = "POST /projects/demo/jobs"
JOB = a_job()["id"]


@pytest.fixture
def store(signed_in: FakePlatform) -> dict[str, bytes]:
    """A platform that takes packages, in parts of 1,000 bytes, and jobs."""
    parts: dict[int, bytes] = {}
    stored: dict[str, bytes] = {}

    def create(seen: Any) -> Reply:
        digest, size = seen.json["digest"], seen.json["size"]
        package = {"digest": digest, "size": size, "complete": digest in stored}
        count = -(-size // 1000)
        for number in range(count):
            signed_in.on(f"PUT /projects/demo/packages/{digest}/parts/{number}", put)
        signed_in.on(f"POST /projects/demo/packages/{digest}:complete", lambda _: complete(digest))
        status = 200 if digest in stored else 201
        return Reply(status, {"package": package, "part_size": 1000, "parts": count, "received": sorted(parts)})

    def put(seen: Any) -> Reply:
        parts[int(seen.path.rpartition("/")[2])] = seen.body
        return Reply(204)

    def complete(digest: str) -> Reply:
        body = b"".join(parts[number] for number in sorted(parts))
        assert f"sha256:{hashlib.sha256(body).hexdigest()}" == digest
        stored[digest] = body
        return Reply(200, {"digest": digest, "size": len(body), "complete": True})

    signed_in.on("POST /projects/demo/packages", create)
    signed_in.on(JOBS, lambda seen: Reply(201, a_job(spec=seen.json)))
    return stored


def created(platform: FakePlatform) -> dict[str, Any]:
    return next(one.json for one in platform.seen if one.method == "POST" and one.path.endswith("/jobs"))


def test_arguments_after_the_dashes_travel_byte_for_byte(
    store: dict[str, bytes], signed_in: FakePlatform, run: Any
) -> None:
    """Case a3 (1)."""
    argv = ["python", "show.py", "--name", "a b", "$HOME", "*.py", '{"lr": 0.1}', "", "--json", "é\n"]
    result = run("job", "submit", "--", *argv)
    assert (result.code, result.out) == (0, f"{JOB}\n")
    assert created(signed_in)["entrypoint"] == argv
    assert f"mlp logs {JOB} -f" in result.err


def test_a_shell_line_travels_as_one_string(store: Any, signed_in: FakePlatform, run: Any) -> None:
    """Case a3 (2)."""
    line = "echo $((1+1)) && ls | wc -l"
    assert run("job", "submit", "--shell", line).code == 0
    assert created(signed_in)["entrypoint"] == line


def test_one_quoted_word_is_refused_with_the_line_to_type(signed_in: FakePlatform, run: Any) -> None:
    """Case a3 (3)."""
    result = run("job", "submit", "--", "python show.py")
    assert result.code == 2
    assert "mlp job submit --shell 'python show.py'" in result.err
    assert signed_in.seen == []


def test_nothing_to_run_is_refused(signed_in: FakePlatform, run: Any) -> None:
    result = run("job", "submit", "--")
    assert result.code == 2
    assert "nothing to run" in result.err
    assert run("job", "submit", "--shell", "a", "--", "b").code == 2


def test_the_folder_travels_and_is_described(store: dict[str, bytes], run: Any, home: Path) -> None:
    (home / "main.py").write_text("print('ok')")
    (home / "b.txt").write_text("hi")
    (home / ".git").mkdir()
    (home / ".git" / "pack.bin").write_bytes(b"x" * 100_000)
    (home / "dead").symlink_to("nowhere")
    result = run("job", "submit", "--", "python", "main.py")
    assert result.code == 0
    (body,) = store.values()
    assert zipfile.ZipFile(io.BytesIO(body)).namelist() == ["b.txt", "main.py"]
    assert "Package: 2 files" in result.err
    assert "skipped dead: a dead link to 'nowhere'" in result.err


def test_a_package_goes_in_parts_and_is_not_sent_twice(
    store: dict[str, bytes], signed_in: FakePlatform, run: Any, home: Path
) -> None:
    (home / "data.bin").write_bytes(bytes(range(256)) * 40 + hashlib.sha512(b"x").digest() * 3)
    noise = b"".join(hashlib.sha512(str(n).encode()).digest() for n in range(60))
    (home / "noise.bin").write_bytes(noise)
    assert run("job", "submit", "--", "true").code == 0
    sent = len(signed_in.requests("PUT"))
    assert sent >= 4
    assert run("job", "submit", "--", "true").code == 0
    assert len(signed_in.requests("PUT")) == sent


def test_an_upload_that_broke_off_goes_on_where_it_was(signed_in: FakePlatform, run: Any, home: Path) -> None:
    noise = b"".join(hashlib.sha512(str(n).encode()).digest() for n in range(60))
    (home / "noise.bin").write_bytes(noise)
    begun: dict[str, Any] = {"part_size": 1000, "parts": 4, "received": [0, 2]}

    def create(seen: Any) -> Reply:
        digest = seen.json["digest"]
        for number in range(4):
            signed_in.on(f"PUT /projects/demo/packages/{digest}/parts/{number}", Reply(204))
        signed_in.on(f"POST /projects/demo/packages/{digest}:complete", {})
        return Reply(201, {"package": {"digest": digest, "size": 1, "complete": False}, **begun})

    signed_in.on("POST /projects/demo/packages", create)
    signed_in.on(JOBS, lambda seen: Reply(201, a_job()))
    assert run("job", "submit", "--", "true").code == 0
    assert [one.path[-1] for one in signed_in.requests("PUT")] == ["1", "3"]


def test_flags_are_fields(store: Any, signed_in: FakePlatform, run: Any, home: Path) -> None:
    (home / "vars").write_text("# two\nA=1\nexport B='x y'\n")
    (home / "requirements.txt").write_text("xgboost-cpu==3.2.0  # boost\n\nnumpy\n")
    result = run(
        "job", "submit", "--no-package", "--name", "тест", "--gpu", "1", "--cpus", "4", "--memory", "16Gi",
        "--workers", "1..4", "--pool", "gpu", "--env-file", "vars", "--env", "A=2=3", "--env", "Q=$x \"y\"\nz",
        "-r", "requirements.txt", "-r", "scipy", "--timeout", "2h", "--grace", "20s", "--retries", "3",
        "--retry-on", "oom", "--memory-factor", "1.5", "--priority", "high", "--cluster", "dev", "--tag", "team=vision",
        "--register", "digits", "--idempotency-key", "k1", "--", "true",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert created(signed_in) == {
        "entrypoint": ["true"],
        "name": "тест",
        "resources": {
            "groups": [{"name": "workers", "gpu": 1.0, "replicas": "1..4", "cpu": 4.0, "memory": "16Gi", "pool": "gpu"}]
        },
        "environment": {
            "variables": {"A": "2=3", "B": "x y", "Q": '$x "y"\nz'},
            "requirements": ["xgboost-cpu==3.2.0", "numpy", "scipy"],
        },
        "timeout": "2h",
        "grace": "20s",
        "retries": {"max": 3, "on": ["oom"], "memory_factor": 1.5},
        "priority": "high",
        "cluster": "dev",
        "run": {"tags": {"team": "vision"}},
        "model": {"register": "digits"},
    }
    assert signed_in.seen[-1].headers["idempotency-key"] == "k1"


def test_sizes_without_workers_are_the_heads(store: Any, signed_in: FakePlatform, run: Any) -> None:
    assert run("job", "submit", "--cpus", "500m", "--memory", "1Gi", "--", "true").code == 0
    assert created(signed_in)["resources"] == {"head": {"cpu": 0.5, "memory": "1Gi"}}


def test_a_job_file_with_flags_over_it(store: dict[str, bytes], signed_in: FakePlatform, run: Any, home: Path) -> None:
    (home / "mlp.yaml").write_text(
        "name: digits\nentrypoint: python train.py\npackage: code\n"
        "environment: {variables: {A: 1, B: on}}\nretries: {max: 1, on: [oom]}\n"
    )
    (home / "code").mkdir()
    (home / "code" / "train.py").write_text("")
    result = run("job", "submit", "--env", "A=5", "--retries", "2")
    assert result.code == 0, result.err
    spec = created(signed_in)
    assert spec["entrypoint"] == "python train.py"
    assert spec["environment"]["variables"] == {"A": "5", "B": "on"}
    assert spec["retries"] == {"max": 2, "on": ["oom"]}
    assert spec["package"] in store


def test_what_is_wrong_is_told_before_anything_is_sent(signed_in: FakePlatform, run: Any, home: Path) -> None:
    result = run("job", "submit", "--memory", "lots", "--", "true")
    assert result.code == 2
    assert "resources.head.memory" in result.err
    (home / "mlp.yaml").write_text("entrypoint: x\n\nretreis: {max: 1}\n")
    result = run("job", "submit")
    assert result.code == 2
    assert "mlp.yaml, line 3: unknown field 'retreis'. Did you mean 'retries'?" in result.err
    assert signed_in.seen == []


def test_an_outside_link_is_refused_before_anything_is_sent(signed_in: FakePlatform, run: Any, home: Path) -> None:
    (home / "cfg.py").symlink_to("/etc/hostname")
    result = run("job", "submit", "--", "true")
    assert result.code == 2
    assert "cfg.py -> /etc/hostname" in result.err
    assert "--follow-outside-links" in result.err
    assert signed_in.seen == []


def test_a_home_folder_is_not_sent_by_accident(
    signed_in: FakePlatform, run: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    (home / "a").write_text("")
    result = run("job", "submit", "--", "true")
    assert result.code == 2
    assert "hardly meant" in result.err


def test_what_can_never_fit_is_the_platforms_sentence(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on(
        JOBS, problem(422, "can_never_fit", "No pool has 64 GPUs on one machine; pool gpu has 8.", hint="Ask for 8.")
    )
    result = run("job", "submit", "--gpu", "64", "--", "true")
    assert result.code == 2
    assert result.err == "Error: No pool has 64 GPUs on one machine; pool gpu has 8.\n  Ask for 8.\n"


def test_a_dry_run_shows_what_would_run_and_creates_nothing(signed_in: FakePlatform, run: Any) -> None:
    """Case a11 (4)."""
    answer = {
        "spec": {"entrypoint": ["python", "-c", "print(1)"]},
        "command": "python -c 'print(1)'",
        "price_per_hour": 1.5,
        "fits_now": True,
        "placements": [{"group": "head", "pool": "cpu", "nodes": 1, "price_per_hour": 1.5}],
        "message": "Fits now.",
    }
    signed_in.on(JOBS, answer)
    result = run("job", "submit", "--dry-run", "--env", "A=1", "--", "python", "-c", "print(1)")
    assert result.code == 0
    assert "argv" in result.out
    assert "[2]='print(1)'" in result.out
    assert "1.5 per hour" in result.out
    assert dict(signed_in.seen[0].query) == {"dry_run": "true"}
    assert json.loads(run("job", "submit", "--dry-run", "--json", "--", "true").out) == answer


def test_json_is_the_job(store: Any, run: Any) -> None:
    assert json.loads(run("job", "submit", "--json", "--", "true").out)["id"] == JOB


class TestRun:
    @pytest.fixture(autouse=True)
    def _job(self, store: Any, signed_in: FakePlatform, home: Path) -> None:
        (home / "train.py").write_text("")
        ended = a_job(phase="succeeded", reason="Done", message="Exited with 0.", attempt=1, duration_seconds=4.2)
        signed_in.on(f"GET /projects/demo/jobs/{JOB}", [Reply(json=a_job()), Reply(json=ended)])
        lines = sse(
            ("log", a_chunk(0, "one", "10%\r20%"), "1"),
            ("log", a_chunk(0, "w", source="train-0/7"), "2"),
            ("log", a_chunk(2, "half", partial=True), "3"),
            ("end", {"attempt": 1, "outcome": "succeeded", "phase": "succeeded"}, "4"),
        )
        signed_in.on(f"GET /projects/demo/jobs/{JOB}/logs", lambda _: Reply(stream=iter([lines])))
        signed_in.on("GET /stream", lambda _: Reply(stream=iter([])))

    def test_a_script_is_followed_to_its_end(self, signed_in: FakePlatform, run: Any) -> None:
        result = run("run", "train.py", "--gpu", "1", "--", "--epochs", "5")
        assert result.code == 0
        assert created(signed_in)["entrypoint"] == ["python", "train.py", "--epochs", "5"]
        assert result.out == "one\n20%\n(train-0/7) w\nhalf\n"
        assert "-- queued: Waits for 1 GPU in pool gpu." in result.err
        assert "-- succeeded after 4.2s: Exited with 0." in result.err

    def test_a_failure_is_exit_1_with_the_evidence(self, signed_in: FakePlatform, run: Any) -> None:
        failure = {
            "class": "oom", "message": "The driver used 2 GiB of 2 GiB.", "hint": "Set head memory to 4Gi.",
            "node": "head", "memory_used_bytes": 2**31, "memory_limit_bytes": 2**31, "last_lines": ["a", "Killed"],
        }  # fmt: skip
        failed = a_job(phase="failed", message="Out of memory.", attempt=1, failure=failure)
        signed_in.on(f"GET /projects/demo/jobs/{JOB}", failed)
        result = run("run", "train.py")
        assert result.code == 1
        for part in ("-- failed: Out of memory.", "next: Set head memory to 4Gi.", "memory: 2Gi of 2Gi", "Killed"):
            assert part in result.err

    def test_detached_it_prints_the_id(self, run: Any) -> None:
        result = run("run", "train.py", "--detach")
        assert (result.code, result.out) == (0, f"{JOB}\n")

    def test_the_next_attempt_is_followed_too(self, signed_in: FakePlatform, run: Any) -> None:
        def log(seen: Any) -> Reply:
            attempt = int(dict(seen.query).get("attempt", 1))
            phase = "queued" if attempt == 1 else "succeeded"
            end = ("end", {"attempt": attempt, "phase": phase})
            return Reply(stream=iter([sse(("log", a_chunk(0, f"try {attempt}", attempt=attempt)), end)]))

        signed_in.on(f"GET /projects/demo/jobs/{JOB}/logs", log)
        signed_in.on(
            f"GET /projects/demo/jobs/{JOB}",
            [Reply(json=a_job()), Reply(json=a_job(attempt=1)), Reply(json=a_job(attempt=2, phase="succeeded"))],
        )
        result = run("run", "train.py")
        assert (result.code, result.out) == (0, "try 1\ntry 2\n")
        assert "-- attempt 2" in result.err

    def test_ctrl_c_detaches_and_says_how_to_cancel(
        self, signed_in: FakePlatform, run: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("mlp.cli.follow.follow_log", interrupted)
        result = run("run", "train.py")
        assert result.code == 130
        assert f"mlp job cancel {JOB}" in result.err
        assert not any(one.path.endswith(":cancel") for one in signed_in.seen)

    def test_a_script_that_is_not_there(self, run: Any) -> None:
        result = run("run", "nope.py")
        assert result.code == 2
        assert "no file 'nope.py'" in result.err

    def test_a_program_runs_by_itself(self, signed_in: FakePlatform, run: Any, home: Path) -> None:
        (home / "go").write_text("#!/bin/sh\n")
        assert run("run", "go", "--detach").code == 2
        (home / "go").chmod(0o755)
        assert run("run", "go", "--detach").code == 0
        assert created(signed_in)["entrypoint"] == ["./go"]
