"""Files that a job left come to people whole: over the SDK, over the command line, also after the line broke."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import mlp
from mlp import errors
from mlp.client.call import Request
from mlp.client.http_sync import HttpTransport
from mlp.client.transport import ByteStream
from mlp.schemas.artifacts import PART_BYTES
from support.attempts import TestJob, running_job
from support.platform import Api, Person

go = asyncio.to_thread
BIG = os.urandom(PART_BYTES + 1000)


async def leave(api: Api, job: TestJob, files: dict[str, bytes]) -> None:
    """A new attempt that stores `files`."""
    agent = api.client((await job.attempt()).token)
    for path, content in files.items():
        begun = (await agent.post("/api/v1/agent/artifacts", json={"path": path, "size": len(content)})).json()
        for number in range(begun["parts"]):
            piece = content[number * PART_BYTES : (number + 1) * PART_BYTES]
            await agent.put(f"/api/v1/agent/artifacts/{begun['id']}/parts/{number}", content=piece)
        body = {"sha256": hashlib.sha256(content).hexdigest()}
        await agent.post(f"/api/v1/agent/artifacts/{begun['id']}:complete", json=body)


@pytest.fixture(scope="module")
async def job(api: Api, admin: Person, project: str) -> str:
    scope = await api.project(admin)
    made = await running_job(api.platform, scope)
    await leave(api, made, {"model/big.bin": BIG, "plots/ä.txt": b"a", "plots.txt": b"p", "empty": b""})
    return f"{scope.slug}/{made.id}"


@pytest.fixture
def client(url: str, admin: Person, job: str) -> mlp.Client:
    return mlp.Client(url, admin.token, project=job.partition("/")[0])


async def test_the_sdk_lists_and_downloads(client: mlp.Client, job: str, tmp_path: Path) -> None:
    found = await go(client.jobs.get, job.partition("/")[2])
    rows = await go(found.artifacts)
    assert [(row.path, row.size, row.complete) for row in rows] == [
        ("empty", 0, True),
        ("model/big.bin", len(BIG), True),
        ("plots.txt", 1, True),
        ("plots/ä.txt", 1, True),
    ]
    saved = await go(found.download, "model/big.bin", tmp_path)
    assert saved == tmp_path / "big.bin"
    assert saved.read_bytes() == BIG
    assert (await go(found.download, "empty", tmp_path / "nothing")).read_bytes() == b""
    with pytest.raises(errors.NotFound, match="plots"):
        await go(found.download, "plots", tmp_path)
    async with mlp.AsyncClient(client.url, client.session.origin.token, project=client.project) as other:
        same = await other.jobs.get(found.id)
        assert [row.path for row in await same.artifacts(below="plots/")] == ["plots/ä.txt"]
        assert (await same.download("model/big.bin", tmp_path / "again.bin")).read_bytes() == BIG


class _Cut:
    """An answer that breaks off after its first piece."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.status, self.headers = stream.status, stream.headers

    def __iter__(self) -> Iterator[bytes]:
        yield next(iter(self._stream))
        raise errors.PlatformUnreachable("The line broke.")


class _Breaking(HttpTransport):
    """Remembers which ranges were asked for; the first `breaks` answers break off."""

    def __init__(self, url: str, breaks: int = 0) -> None:
        super().__init__(url)
        self.breaks = breaks
        self.asked: list[str] = []

    @contextmanager
    def stream(self, request: Request, *, connect_seconds: float, idle_seconds: float) -> Generator[ByteStream]:
        self.asked.append(request.headers.get("Range", ""))
        self.breaks -= 1
        with super().stream(request, connect_seconds=connect_seconds, idle_seconds=idle_seconds) as answer:
            yield _Cut(answer) if self.breaks >= 0 else answer


async def test_a_broken_download_goes_on_where_it_stopped(client: mlp.Client, job: str, tmp_path: Path) -> None:
    transport = _Breaking(client.url, breaks=4)
    broken = mlp.Client(client.url, client.session.origin.token, project=client.project, transport=transport)
    found = await go(broken.jobs.get, job.partition("/")[2])
    assert (await go(found.download, "model/big.bin", tmp_path)).read_bytes() == BIG
    assert len(set(transport.asked)) == 5
    digest = hashlib.sha256(BIG).hexdigest()
    for start, end in ((b"", BIG[:5_000_000]), (b"x", BIG[1:5_000_000])):
        transport.asked.clear()
        (tmp_path / f".mlp-{digest[:16]}.part").write_bytes(start + end)
        if start:
            with pytest.raises(errors.DownloadFailed, match="damaged"):
                await go(found.download, "model/big.bin", tmp_path / "other.bin")
        assert (await go(found.download, "model/big.bin", tmp_path / f"other{start}.bin")).read_bytes() == BIG
        assert transport.asked[0] == "bytes=5000000-"


async def test_the_command_line_lists_and_downloads(command: Any, job: str, tmp_path: Path) -> None:
    project, _, id_ = job.partition("/")
    code, out, _ = await command("job", "artifacts", id_, "-p", project)
    assert code == 0
    names = ["empty", "model/big.bin", "plots.txt", "plots/ä.txt"]
    assert [line.split()[0] for line in out.splitlines()] == ["PATH", *names]
    _, out, _ = await command("job", "artifacts", id_, "-p", project, "--json")
    assert [row["path"] for row in json.loads(out)] == names
    code, out, err = await command("job", "download", id_, "-p", project, "-o", "got")
    assert (code, len(out.splitlines())) == (0, 4), err
    assert (tmp_path / "got/model/big.bin").read_bytes() == BIG
    assert (tmp_path / "got/plots/ä.txt").read_bytes() == b"a"
    assert sorted(path.name for path in (tmp_path / "got").iterdir()) == ["empty", "model", "plots", "plots.txt"]
    again = await command("job", "download", id_, "-p", project, "-o", "got")
    assert again[:2] == (0, "")
    (tmp_path / "got/plots.txt").write_bytes(b"mine")
    code, _, err = await command("job", "download", id_, "plots.txt", "-p", project, "-o", "got")
    assert code != 0
    assert "--force" in err
    assert (await command("job", "download", id_, "plots.txt", "-p", project, "-o", "got", "--force"))[0] == 0
    assert (tmp_path / "got/plots.txt").read_bytes() == b"p"
    assert (await command("job", "download", id_, "no-such", "-p", project))[0] == 4
