"""The client against a real HTTP server: what is asked again, for how long, and what every refusal becomes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from mlp_operator.engines.kubernetes.client import (
    NAMESPACE,
    RAY_JOB,
    SECRET,
    ApiError,
    ExpiredError,
    KubeClient,
    NotAllowedError,
    Unavailable,
)
from mlp_operator.engines.kubernetes.watching import Reflector, Store
from support.kube_api import Fault, KubeApi
from support.waiting import eventually

JOBS = "/apis/ray.io/v1/namespaces/mlp-demo/rayjobs"
DEADLINE = 3.0


@pytest.fixture
async def api() -> AsyncIterator[KubeApi]:
    running = await KubeApi().start()
    yield running
    await running.stop()


@pytest.fixture
async def client(api: KubeApi, tmp_path: Path) -> AsyncIterator[KubeClient]:
    config = tmp_path / "kubeconfig"
    config.write_text(api.kubeconfig())
    made = KubeClient(config, DEADLINE)
    yield made
    await made.close()


def a_job(name: str, **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "mlp-demo", "labels": labels}
    return {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": metadata, "spec": {"entrypoint": "x"}}


async def test_apply_is_server_side_under_one_manager(api: KubeApi, client: KubeClient) -> None:
    made = await client.apply(a_job("one"))
    assert made["metadata"]["uid"]
    method, path, query, body = api.requests[-1]
    assert (method, path, query) == ("PATCH", f"{JOBS}/one", {"fieldManager": "mlp", "force": "true"})
    assert body is not None
    assert body["kind"] == "RayJob"
    assert await client.get(RAY_JOB, "mlp-demo", "one") == made
    assert await client.get(RAY_JOB, "mlp-demo", "two") is None


async def test_a_list_is_read_to_its_last_page_and_its_items_know_their_kind(api: KubeApi, client: KubeClient) -> None:
    api.page = 2
    for number in range(5):
        api.put(f"{JOBS}/job-{number}", a_job(f"job-{number}"))
    found, version = await client.list(RAY_JOB)
    assert [one["metadata"]["name"] for one in found] == [f"job-{number}" for number in range(5)]
    assert {one["kind"] for one in found} == {"RayJob"}
    assert version == str(api.version)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(429, reason="TooManyRequests"),
        Fault(500, 'failed calling webhook "mrayjob.kb.io": connection refused', "InternalError"),
        Fault(503),
        Fault(409, "Operation cannot be fulfilled: the object has been modified", "Conflict"),
    ],
    ids=lambda fault: str(fault.status),
)
async def test_what_passes_is_asked_again(api: KubeApi, client: KubeClient, fault: Fault) -> None:
    api.faults.extend([fault, fault])
    await client.apply(a_job("one"))
    assert len(api.requests) == 3


async def test_retry_after_is_honoured(api: KubeApi, client: KubeClient) -> None:
    api.faults.append(Fault(429, headers={"Retry-After": "1"}))
    begun = time.monotonic()
    await client.apply(a_job("one"))
    assert time.monotonic() - begun >= 1


async def test_asking_again_ends_at_the_deadline_with_the_server_s_own_words(api: KubeApi, client: KubeClient) -> None:
    # What making the first connection takes on a busy machine is not what is measured here.
    await client.get(NAMESPACE, None, "mlp-demo")
    api.requests.clear()
    api.faults.extend([Fault(500, 'failed calling webhook "mrayjob.kb.io"', "InternalError")] * 100)
    begun = time.monotonic()
    with pytest.raises(Unavailable, match="failed calling webhook"):
        await client.apply(a_job("one"))
    assert time.monotonic() - begun < DEADLINE + 1
    assert 3 < len(api.requests) < 20


async def test_a_repetition_that_the_deadline_cuts_off_does_not_hide_what_was_said_before(
    api: KubeApi, client: KubeClient
) -> None:
    # As on a busy machine, or with a webhook that is waited for until it times out.
    said = 'failed calling webhook "mrayjob.kb.io"'
    api.faults.extend([Fault(500, said, "InternalError"), Fault(500, said, "InternalError", after_seconds=60)])
    with pytest.raises(Unavailable, match="failed calling webhook"):
        await client.apply(a_job("one"))
    assert len(api.requests) == 2


async def test_a_slow_answer_is_not_waited_for_beyond_the_deadline(api: KubeApi, client: KubeClient) -> None:
    api.slow_seconds = 60
    with pytest.raises(Unavailable, match="did not answer within 3 s"):
        await client.get(NAMESPACE, None, "mlp-demo")


async def test_what_will_not_pass_is_told_at_once(api: KubeApi, client: KubeClient) -> None:
    api.faults.append(Fault(422, "spec.entrypoint: Required value", "Invalid"))
    with pytest.raises(ApiError, match="Required value") as refused:
        await client.apply(a_job("one"))
    assert not isinstance(refused.value, Unavailable)
    api.faults.append(Fault(403, 'rayjobs is forbidden: User "x" cannot patch', "Forbidden"))
    with pytest.raises(NotAllowedError):
        await client.apply(a_job("one"))
    assert len(api.requests) == 2


async def test_expired_credentials_are_a_state_and_renewed_ones_are_taken_up(
    api: KubeApi, client: KubeClient, tmp_path: Path
) -> None:
    api.token = "renewed"
    with pytest.raises(NotAllowedError, match="401"):
        await client.apply(a_job("one"))
    (tmp_path / "kubeconfig").write_text(api.kubeconfig("renewed"))
    await client.apply(a_job("one"))


async def test_a_refusal_does_not_cut_off_what_others_are_told(
    api: KubeApi, client: KubeClient, tmp_path: Path
) -> None:
    await client.get(NAMESPACE, None, "mlp-demo")
    api.put(f"{JOBS}/one", a_job("one"))
    api.faults.append(Fault(404, reason="NotFound", after_seconds=1))
    under_way = asyncio.create_task(client.get(RAY_JOB, "mlp-demo", "two"))

    async def arrived() -> bool:
        return len(api.requests) == 2

    await eventually(arrived)
    api.token = "renewed"
    with pytest.raises(NotAllowedError):
        await client.get(RAY_JOB, "mlp-demo", "one")
    assert await under_way is None, "it was answered"
    (tmp_path / "kubeconfig").write_text(api.kubeconfig("renewed"))
    assert await client.get(RAY_JOB, "mlp-demo", "one") is not None


async def test_without_usable_credentials_nothing_crashes(tmp_path: Path) -> None:
    config = tmp_path / "kubeconfig"
    for content in ("", "{}", "not: [yaml"):
        config.write_text(content)
        with pytest.raises(ApiError, match="cannot be used"):
            await KubeClient(config, DEADLINE).get(NAMESPACE, None, "x")
    with pytest.raises(NotAllowedError, match="cannot be used"):
        await KubeClient(tmp_path / "absent", DEADLINE).get(NAMESPACE, None, "x")


async def test_a_server_that_is_away_is_unavailable(api: KubeApi, client: KubeClient) -> None:
    await api.stop()
    with pytest.raises(Unavailable):
        await client.get(NAMESPACE, None, "x")


async def test_a_delete_of_another_one_s_uid_is_passed_over(api: KubeApi, client: KubeClient) -> None:
    made = await client.apply(a_job("one"))
    await client.delete(RAY_JOB, "mlp-demo", "one", uid="of-an-older-one")
    assert await client.get(RAY_JOB, "mlp-demo", "one") is not None
    await client.delete(RAY_JOB, "mlp-demo", "one", uid=made["metadata"]["uid"])
    assert await client.get(RAY_JOB, "mlp-demo", "one") is None
    await client.delete(SECRET, "mlp-demo", "never-there")


async def test_a_watch_from_too_old_a_version_says_so(api: KubeApi, client: KubeClient) -> None:
    api.compacted = 50
    with pytest.raises(ExpiredError):
        async for _ in client.watch(RAY_JOB, "10"):
            pass


class Watched:
    def __init__(self, client: KubeClient, resync_seconds: float = 300.0) -> None:
        self.store = Store(lambda one: [f"name:{one['metadata']['name']}"])
        self.changed: list[str] = []
        self.reflector = Reflector(
            client, RAY_JOB, self.store, selector=None, resync_seconds=resync_seconds,
            changed=lambda one: self.changed.append(one["metadata"]["name"]),
        )  # fmt: skip
        self._task = asyncio.create_task(self.reflector.run())

    async def until_holds(self, *wanted: str) -> None:
        async def holds() -> bool:
            return set(self.store.keys()) == {f"name:{name}" for name in wanted}

        await eventually(holds)

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_a_reflector_follows_through_ended_watches_bookmarks_and_lost_history(
    api: KubeApi, client: KubeClient
) -> None:
    api.put(f"{JOBS}/one", a_job("one"))
    watched = Watched(client)
    await watched.until_holds("one")
    api.put(f"{JOBS}/two", a_job("two"))
    await watched.until_holds("one", "two")
    api.remove(f"{JOBS}/one")
    await watched.until_holds("two")
    lists = [request for request in api.requests if "watch" not in request[2]]
    api.bookmark()
    api.end_watches()
    api.put(f"{JOBS}/three", a_job("three"))
    await watched.until_holds("two", "three")
    assert [request for request in api.requests if "watch" not in request[2]] == lists, "no list was needed"
    # History is gone: 410, then a new list. What vanished meanwhile is noticed.
    api.compacted = api.version + 1
    api.objects.pop(f"{JOBS}/two")
    api.end_watches()
    await watched.until_holds("three")
    assert watched.changed[-1] == "two"
    await watched.stop()


async def test_a_reflector_outlives_a_server_that_goes_and_comes(api: KubeApi, client: KubeClient) -> None:
    watched = Watched(client)
    await watched.reflector.listed.wait()
    assert watched.reflector.broken_seconds == 0
    stopped = time.monotonic()
    await api.stop()

    async def is_broken() -> bool:
        return watched.reflector.error is not None

    await eventually(is_broken)
    # However long it had been idle before: only from when it is known to be broken is it not believed on.
    assert 0 <= watched.reflector.broken_seconds <= time.monotonic() - stopped
    api.put(f"{JOBS}/one", a_job("one"))
    await api.start()
    await watched.until_holds("one")
    assert watched.reflector.error is None
    assert watched.reflector.broken_seconds == 0
    await watched.stop()


async def test_a_reflector_outlives_a_defect_and_says_so(
    api: KubeApi, client: KubeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = client.list

    async def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a defect")

    monkeypatch.setattr(client, "list", broken)
    watched = Watched(client)
    await watched.reflector.tried.wait()
    assert "a defect" in str(watched.reflector.error)
    monkeypatch.setattr(client, "list", real)
    api.put(f"{JOBS}/one", a_job("one"))
    await watched.until_holds("one")
    assert watched.reflector.error is None
    await watched.stop()


async def test_what_is_watched_is_listed_anew_now_and_then(api: KubeApi, client: KubeClient) -> None:
    watched = Watched(client, resync_seconds=0.5)
    await watched.until_holds()
    # Changed behind the watch's back, as a lost event would be.
    api.objects[f"{JOBS}/one"] = {**a_job("one"), "metadata": {"name": "one", "uid": "u", "resourceVersion": "7"}}
    await watched.until_holds("one")
    await watched.stop()
