"""The two faces against the same platform: whatever one does, the other does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mlp
from mlp import errors
from mlp.client.async_session import AsyncSession
from mlp.client.calls import jobs as job_calls
from mlp.client.http_async import HttpxTransport
from support.fake_platform import NOW, FakePlatform, Reply, a_chunk, a_job, fake_platform, problem, sse

JOB = a_job()["id"]
ONE = f"/projects/demo/jobs/{JOB}"


class Face:
    """Runs the same lines on either client: results are awaited where they have to be."""

    def __init__(self, client: Any) -> None:
        self.client = client

    @staticmethod
    async def value(given: Any) -> Any:
        return await given if hasattr(given, "__await__") else given

    @staticmethod
    async def items(given: Any) -> list[Any]:
        return [item async for item in given] if hasattr(given, "__aiter__") else list(given)


@pytest.fixture
def platform() -> Iterator[FakePlatform]:
    with fake_platform() as made:
        yield made


@pytest.fixture(params=["sync", "async"])
def open_face(
    request: pytest.FixtureRequest, platform: FakePlatform, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Face]:
    monkeypatch.setenv("MLP_CONFIG", "/nonexistent/config.toml")
    kind = mlp.Client if request.param == "sync" else mlp.AsyncClient
    return lambda: Face(kind(platform.url, "mlp_t", project="demo"))


async def test_a_folder_and_a_command_become_a_job(
    platform: FakePlatform, open_face: Callable[[], Face], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("print(1)")
    stored: list[bytes] = []

    def create(seen: Any) -> Reply:
        digest = seen.json["digest"]
        platform.on(f"PUT /projects/demo/packages/{digest}/parts/0", lambda s: stored.append(s.body) or Reply(204))
        platform.on(f"POST /projects/demo/packages/{digest}:complete", {})
        return Reply(201, {"package": {"complete": False}, "part_size": 8 << 20, "parts": 1, "received": []})

    platform.on("POST /projects/demo/packages", create)
    platform.on("POST /projects/demo/jobs", lambda seen: Reply(201, a_job(spec=seen.json)))
    face = open_face()
    job = await face.value(
        face.client.jobs.submit(
            ["python", "train.py", "a b"],
            package=tmp_path,
            environment=mlp.Environment(requirements=["numpy"], variables={"A": "1"}),
            resources=mlp.Resources(groups=[mlp.Group("train", gpu=1, cpu=4, memory="16Gi", replicas="1..4")]),
            retries={"max": 2},
            idempotency_key="k",
        )
    )
    assert (job.id, job.phase, job.has_ended) == (JOB, "queued", False)
    body = platform.seen[-1]
    assert body.headers["idempotency-key"] == "k"
    assert body.json == {
        "entrypoint": ["python", "train.py", "a b"],
        "kind": "script",
        "environment": {"requirements": ["numpy"], "variables": {"A": "1"}},
        "resources": {"groups": [{"name": "train", "gpu": 1.0, "cpu": 4.0, "memory": "16Gi", "replicas": "1..4"}]},
        "retries": {"max": 2},
        "package": platform.seen[0].json["digest"],
    }
    assert len(stored) == 1


async def test_a_wrong_field_is_named_before_anything_is_sent(
    platform: FakePlatform, open_face: Callable[[], Face]
) -> None:
    face = open_face()
    with pytest.raises(errors.Invalid, match="unknown field 'retreis'") as caught:
        await face.value(face.client.jobs.submit("x", package=None, retreis={"max": 1}))
    assert caught.value.code == "invalid"
    assert platform.seen == []


async def test_a_list_has_no_hidden_cap(platform: FakePlatform, open_face: Callable[[], Face]) -> None:
    def answer(seen: Any) -> Reply:
        start = int(dict(seen.query).get("cursor", 0))
        items = [a_job(id=f"job_{n}") for n in range(start, min(2550, start + 100))]
        return Reply(json={"items": items, "next": str(start + 100) if start + 100 < 2550 else None})

    platform.on("GET /projects/demo/jobs", answer)
    face = open_face()
    found = await face.items(face.client.jobs.list(order_by="name", phase="running"))
    assert [job.id for job in found] == [f"job_{n}" for n in range(2550)]
    assert dict(platform.seen[-1].query)["order_by"] == "name"


async def test_waiting_ends_with_the_job(platform: FakePlatform, open_face: Callable[[], Face]) -> None:
    platform.on(
        f"GET {ONE}", [Reply(json=a_job()), Reply(json=a_job(phase="running")), Reply(json=a_job(phase="succeeded"))]
    )
    face = open_face()
    job = await face.value(face.client.jobs.get(JOB))
    assert (await face.value(job.wait())).phase == "succeeded"


async def test_a_failed_job_raises_with_its_evidence_unless_told_not_to(
    platform: FakePlatform, open_face: Callable[[], Face]
) -> None:
    failure = {"class": "user_error", "message": "Exited with 3.", "hint": "See the log.", "last_lines": ["boom"]}
    platform.on(f"GET {ONE}", a_job(phase="failed", failure=failure, exit_code=3))
    face = open_face()
    job = await face.value(face.client.jobs.get(JOB))
    with pytest.raises(errors.JobFailed, match=r"user_error.*Exited with 3\.\n  boom") as caught:
        await face.value(job.wait())
    assert caught.value.job is job
    assert (await face.value(job.wait(check=False))).exit_code == 3
    platform.on(f"GET {ONE}", a_job(phase="cancelled", message="By ada."))
    with pytest.raises(errors.JobCancelled, match="By ada"):
        await face.value(job.wait())


async def test_patience_ends_and_the_job_goes_on(platform: FakePlatform, open_face: Callable[[], Face]) -> None:
    platform.on(f"GET {ONE}", a_job())
    face = open_face()
    job = await face.value(face.client.jobs.get(JOB))
    with pytest.raises(errors.WaitTimedOut, match="still queued"):
        await face.value(job.wait(timeout=0))


async def test_the_log_is_read_and_followed_once_each_line(
    platform: FakePlatform, open_face: Callable[[], Face]
) -> None:
    platform.on(f"GET {ONE}", a_job(phase="succeeded", attempt=1))
    pages = {None: {"items": [a_chunk(0, "a", "b")], "next": "x"}, "x": {"items": [a_chunk(2, "c")], "next": None}}
    streams = [
        [sse(("log", a_chunk(0, "a", "b"), "1"))],
        [sse(("log", a_chunk(1, "b", "c"), "2"), ("end", {"attempt": 1, "phase": "succeeded"}))],
    ]

    def answer(seen: Any) -> Reply:
        query = dict(seen.query)
        return Reply(stream=iter(streams.pop(0))) if "follow" in query else Reply(json=pages[query.get("cursor")])

    platform.on(f"GET {ONE}/logs", answer)
    face = open_face()
    job = await face.value(face.client.jobs.get(JOB))
    assert await face.items(job.logs()) == ["a", "b", "c"]
    assert await face.items(job.logs(follow=True)) == ["a", "b", "c"]
    followed = [one.headers.get("last-event-id") for one in platform.seen if ("follow", "true") in one.query]
    assert followed == [None, "1"]


async def test_what_a_job_has(platform: FakePlatform, open_face: Callable[[], Face]) -> None:
    series = [
        {"key": "loss", "attempt": 2, "points": [], "total": 9, "last": 0.25},
        {"key": "loss", "attempt": 1, "points": [], "total": 9, "last": 0.5},
    ]
    attempt = {
        "id": "att_1", "number": 1, "phase": "failed", "reason": "x", "message": "m", "created_at": NOW,
    }  # fmt: skip
    platform.on(f"GET {ONE}", a_job())
    platform.on(f"GET {ONE}/metrics", {"series": series})
    platform.on(f"GET {ONE}/attempts", {"items": [attempt], "next": None})
    platform.on(f"GET {ONE}/events", {"items": [], "next": None})
    platform.on(f"POST {ONE}:cancel", Reply(202, a_job(message="Stops.")))
    platform.on(f"POST {ONE}:retry", problem(409, "wrong_phase", "It has not ended."))
    face = open_face()
    job = await face.value(face.client.jobs.get(JOB))
    assert (await face.value(job.metrics))["loss"] == 0.25
    assert [one.number for one in await face.value(job.attempts)] == [1]
    assert await face.value(job.events) == []
    assert (await face.value(job.cancel(grace="20s"))).message == "Stops."
    assert platform.seen[-1].json == {"grace": "20s"}
    with pytest.raises(errors.WrongPhase):
        await face.value(job.retry())


async def test_small_resources(platform: FakePlatform, open_face: Callable[[], Face]) -> None:
    for path in ("projects", "pools", "tokens", "users"):
        platform.on(f"GET /{path}", {"items": [], "next": None})
    for path in ("packages", "environments", "clusters"):
        platform.on(f"GET /projects/demo/{path}", {"items": [], "next": None})
    face = open_face()
    for name in ("projects", "pools", "tokens", "users", "packages", "environments", "clusters"):
        assert await face.items(getattr(face.client, name).list()) == []
    with pytest.raises(errors.NotFound):
        await face.value(face.client.projects.get("nope"))


async def test_a_platform_that_is_away(open_face: Callable[[], Face], monkeypatch: pytest.MonkeyPatch) -> None:
    face = open_face()
    kind = type(face.client)
    away = kind("http://127.0.0.1:9", "t", project="demo")
    with pytest.raises(errors.PlatformUnreachable, match="Nothing listens"):
        await face.value(away.me())


async def test_an_unknown_authority_is_told_by_the_async_client_too(tmp_path: Path) -> None:
    from support.certificates import make_authority

    authority = make_authority(tmp_path)
    with fake_platform(authority.server_context("127.0.0.1")) as platform:
        platform.on("GET /projects/demo/jobs", {"items": [], "next": None})
        call = job_calls.list_jobs("demo").raw()
        from mlp.client.exchange import Origin

        async def ask(ca_file: str | None) -> Any:
            session = AsyncSession(Origin(platform.url), HttpxTransport(platform.url, ca_file))
            try:
                return await session.send(call)
            finally:
                await session.close()

        with pytest.raises(errors.UnknownAuthority, match="--ca-file"):
            await ask(None)
        assert (await ask(str(authority.pem)))["items"] == []
