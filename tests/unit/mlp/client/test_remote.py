from __future__ import annotations

import pickle
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import mlp
from mlp import errors, remote_entry
from mlp.client.remote import function_source
from support.fake_platform import FakePlatform, Reply, a_job, fake_platform, problem

JOB = a_job()["id"]


class Worker:
    """A platform that runs the function as a job would: unpack, run the entry, keep what it puts."""

    def __init__(self, platform: FakePlatform, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.platform = platform
        self.folder = folder
        self.result: bytes | None = None
        self.spec: dict[str, Any] = {}
        monkeypatch.setenv("MLP_URL", platform.url)
        monkeypatch.setenv("MLP_TOKEN", "t")
        platform.on("POST /projects/demo/packages", self.begin)
        platform.on("POST /projects/demo/jobs", self.run)
        platform.on(f"GET /projects/demo/jobs/{JOB}", a_job(phase="succeeded", attempt=1))
        platform.on("PUT /agent/result", self.keep)
        platform.on(f"GET /projects/demo/jobs/{JOB}/result", self.give)

    def begin(self, seen: Any) -> Reply:
        digest = seen.json["digest"]
        self.platform.on(f"PUT /projects/demo/packages/{digest}/parts/0", self.unpack)
        self.platform.on(f"POST /projects/demo/packages/{digest}:complete", {})
        return Reply(201, {"package": {"complete": False}, "part_size": 8 << 20, "parts": 1, "received": []})

    def unpack(self, seen: Any) -> Reply:
        zipfile.ZipFile(BytesIO(seen.body)).extractall(self.folder)
        return Reply(204)

    def run(self, seen: Any) -> Reply:
        self.spec = seen.json
        remote_entry.send(remote_entry.bounded(remote_entry.call(self.folder)))
        return Reply(201, a_job())

    def keep(self, seen: Any) -> Reply:
        self.result = seen.body
        return Reply(204)

    def give(self, _: Any) -> Reply:
        if self.result is None:
            return problem(404, "not_found", "No result.")
        return Reply(body=self.result, headers={"Content-Type": "application/octet-stream"})


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    with fake_platform() as platform:
        yield Worker(platform, tmp_path, monkeypatch)


@pytest.fixture
def client(worker: Worker) -> mlp.Client:
    return mlp.Client(worker.platform.url, "t", project="demo")


def test_source_and_arguments_travel_and_the_result_comes_back(client: mlp.Client, worker: Worker) -> None:
    @client.remote(gpu=1, environment=mlp.Environment(requirements=["xgboost-cpu"]), timeout="1h")
    def fit(depth: int, *, rate: float = 0.1) -> dict[str, float]:
        """Fit."""
        import math

        return {"score": math.sqrt(depth) * rate}

    assert fit.submit(16, rate=0.5).result() == {"score": 2.0}
    assert fit(4) == {"score": 0.2}
    assert worker.spec["entrypoint"] == ["python", "-m", "mlp.remote_entry", "."]
    assert worker.spec["name"] == "fit"
    assert worker.spec["resources"] == {"groups": [{"name": "workers", "gpu": 1.0}]}
    assert worker.spec["environment"] == {"requirements": ["xgboost-cpu"]}
    assert worker.spec["timeout"] == "1h"


def test_an_exception_comes_back_as_itself(client: mlp.Client) -> None:
    @client.remote()
    def divide(a: int, b: int) -> float:
        return a / b

    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        divide.submit(1, 0).result()
    assert any("in divide" in note and "return a / b" in note for note in caught.value.__notes__)


def test_an_exception_that_cannot_travel_comes_as_its_text(client: mlp.Client) -> None:
    @client.remote()
    def fail() -> None:
        class Odd(Exception):
            pass

        raise Odd("strange")

    with pytest.raises(errors.RemoteCallError, match="strange"):
        fail.submit().result()


def test_a_result_that_cannot_travel_is_an_error(client: mlp.Client) -> None:
    @client.remote()
    def opened() -> Any:
        return open(__file__)

    with pytest.raises(TypeError, match="cannot be pickled"):
        opened.submit().result()


def test_a_result_that_is_too_large_says_what_to_do(client: mlp.Client) -> None:
    @client.remote()
    def big() -> bytes:
        return b"x" * (17 << 20)

    with pytest.raises(ValueError, match="MLP_OUTPUT"):
        big.submit().result()


def test_a_job_that_left_no_result_says_why(client: mlp.Client, worker: Worker) -> None:
    @client.remote()
    def f() -> int:
        return 1

    call = f.submit()
    worker.result = None
    failure = {"class": "oom", "message": "Out of memory."}
    worker.platform.on(f"GET /projects/demo/jobs/{JOB}", a_job(phase="failed", failure=failure))
    with pytest.raises(errors.JobFailed, match="oom"):
        call.result()


def test_an_argument_that_cannot_travel_is_refused_here(client: mlp.Client, worker: Worker) -> None:
    @client.remote()
    def f(x: Any) -> int:
        return 1

    with pytest.raises(errors.RemoteCallError, match="argument of 'f'"):
        f.submit(lambda: 1)
    assert worker.platform.seen == []


def test_a_function_that_needs_what_is_around_it_is_refused() -> None:
    outer = 5

    def f() -> int:
        return outer

    with pytest.raises(errors.RemoteCallError, match="uses outer"):
        function_source(f)
    with pytest.raises(errors.RemoteCallError):
        function_source(lambda: 1)


def test_the_document_is_a_pickle_of_plain_things() -> None:
    outcome = remote_entry.Outcome(True, pickle.dumps(5))
    assert pickle.loads(outcome.dump()) == (True, pickle.dumps(5), "")
