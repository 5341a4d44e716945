from __future__ import annotations

import json
from typing import Any

import yaml

from support.fake_platform import FakePlatform, Reply, a_job, problem

JOBS = "GET /projects/demo/jobs"


def pages(total: int, most: int = 500) -> Any:
    """A list of `total` jobs that gives at most `most` at once."""

    def answer(seen: Any) -> Reply:
        query = dict(seen.query)
        start, limit = int(query.get("cursor", 0)), min(most, int(query.get("limit", 100)))
        end = min(total, start + limit)
        items = [a_job(id=f"job_{n}", name=f"n{n}") for n in range(start, end)]
        return Reply(json={"items": items, "next": str(end) if end < total else None, "total": total})

    return answer


def test_a_list_is_a_table(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on(JOBS, {"items": [a_job(name="训练 🚀"), a_job(name="two\nlines\x1b[31m")], "next": None})
    result = run("job", "list")
    assert result.code == 0
    titles, one, other = result.out.splitlines()
    assert titles.split() == ["ID", "NAME", "PHASE", "REASON", "CREATED"]
    assert one.index("queued") + 3 == other.index("queued")  # three wide characters take two cells each
    assert "two lines" in other
    assert "\x1b" not in result.out
    assert result.err == ""


def test_filters_go_to_the_platform(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on(JOBS, {"items": [], "next": None})
    result = run("job", "list", "--phase", "running", "--phase", "queued", "--user", "ada", "--limit", "7")
    assert result.code == 0
    assert result.err == "No jobs. Submit one: mlp run train.py\n"
    query = signed_in.seen[0].query
    assert [value for name, value in query if name == "phase"] == ["running", "queued"]
    assert dict(query)["created_by"] == "ada"
    assert dict(query)["limit"] == "7"


def test_a_cut_list_says_so(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on(JOBS, pages(2550))
    result = run("job", "list")
    assert len(result.out.splitlines()) == 101
    assert result.err == "The first 100 jobs of 2,550. --all shows every one.\n"


def test_all_and_json_give_every_row_once(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on(JOBS, pages(1201))
    everything = run("job", "list", "--all")
    assert len(everything.out.splitlines()) == 1202
    assert everything.err == ""
    found = json.loads(run("job", "list", "--json").out)
    assert [job["id"] for job in found] == [f"job_{n}" for n in range(1201)]


def test_yaml_is_the_same_document(signed_in: FakePlatform, run: Any) -> None:
    job = a_job(name="тест: - x")
    signed_in.on(JOBS, {"items": [job], "next": None})
    assert yaml.safe_load(run("job", "list", "-o", "yaml").out) == [job]


def test_wide_shows_more(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on(JOBS, {"items": [a_job()], "next": None})
    out = run("job", "list", "-o", "wide").out
    assert "Waits for 1 GPU in pool gpu." in out
    assert "USER" in out


def test_the_project_may_be_named_anywhere(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on("GET /projects/other/jobs", {"items": [], "next": None})
    assert run("job", "list", "-p", "other").code == 0
    assert run("-p", "other", "job", "list").code == 0


def test_errors_say_what_why_and_what_next(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on("GET /projects/demo/jobs/nope", problem(404, "not_found", "There is no job 'nope' here."))
    assert run("job", "show", "nope") == (
        4,
        "",
        "Error: There is no job 'nope' here.\n  Next: mlp job list, mlp project list\n",
    )
    signed_in.on("GET /me", problem(401, "not_signed_in", "The token has expired.", hint="Sign in: mlp login"))
    assert run("whoami") == (3, "", "Error: The token has expired.\n  Sign in: mlp login\n")
    signed_in.on(
        "GET /pools",
        problem(
            422, "invalid", "limit: too high (and 1 more)",
            errors=[{"field": "limit", "message": "too high"}, {"field": "cursor", "message": "is of another list"}],
        ),
    )  # fmt: skip
    assert run("pool", "list") == (
        2,
        "",
        "Error: limit: too high (and 1 more)\n  limit: too high\n  cursor: is of another list\n",
    )
    signed_in.on("GET /pools", problem(409, "wrong_phase", "It has ended."))
    assert run("pool", "list").code == 5
    signed_in.on("GET /pools", problem(500, "internal", "The platform failed.", request_id="req_7"))
    failed = run("pool", "list")
    assert failed.code == 6
    assert "req_7" in failed.err


def test_a_client_that_does_not_fit_gets_the_line_to_type(signed_in: FakePlatform, run: Any) -> None:
    line = "pip install http://mlp.test/client/mlplatform-0.2.0-py3-none-any.whl"
    signed_in.on("GET /me", problem(426, "client_too_old", "This client is version 0.1.0; too old.", hint=line))
    result = run("whoami")
    assert result.code == 2
    assert line in result.err


def test_a_platform_that_is_away_is_exit_6(run: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("MLP_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("MLP_PROJECT", "demo")
    result = run("job", "list")
    assert result.code == 6
    assert "Nothing listens at http://127.0.0.1:9" in result.err
    assert "mlp doctor" in result.err


def test_without_a_platform_or_a_project_the_next_command_is_named(run: Any, monkeypatch: Any) -> None:
    result = run("job", "list")
    assert result.code == 2
    assert "mlp login URL" in result.err
    monkeypatch.setenv("MLP_URL", "http://127.0.0.1:9")
    assert "mlp use PROJECT" in run("job", "list").err


def test_usage_errors_are_exit_2_with_a_suggestion(run: Any) -> None:
    result = run("jbo", "list")
    assert result.code == 2
    assert "Did you mean 'job'?" in result.err
    assert run("job", "list", "--limit", "0").code == 2
    assert run("job", "list", "--nonsense").code == 2


def test_a_fault_of_ours_is_a_sentence(signed_in: FakePlatform, run: Any, monkeypatch: Any) -> None:
    signed_in.on(JOBS, {"items": [{}], "next": None})
    result = run("job", "list")
    assert result.code == 70
    assert "Traceback" not in result.err
    assert "MLP_DEBUG=1" in result.err
    monkeypatch.setenv("MLP_DEBUG", "1")
    assert "Traceback" in run("job", "list").err
