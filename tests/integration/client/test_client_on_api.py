from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import mlp
from mlp import errors
from mlp.client.calls import account
from mlp.schemas.clusters import ClusterCreate
from mlp.schemas.environments import EnvironmentCreate
from mlp.schemas.pools import PoolPatch
from mlp.schemas.projects import ProjectCreate, ProjectPatch, TokenCreate

go = asyncio.to_thread


async def test_who_is_asking(client: mlp.Client, project: str) -> None:
    me = await go(client.me)
    assert me.kind == "user"
    assert project in [one.name for one in me.projects]


async def test_a_folder_travels_once_and_its_job_is_read_back(client: mlp.Client, tmp_path: Path) -> None:
    (tmp_path / "show.py").write_text("print(1)")
    noise = b"".join(hashlib.sha512(str(n).encode()).digest() for n in range(150_000))  # 9.6 MB: two parts
    (tmp_path / "данные.bin").write_bytes(noise)
    argv = ["python", "show.py", "--name", "a b", "$HOME", '{"lr": 0.1}', ""]
    job = await go(lambda: client.jobs.submit(argv, package=tmp_path, name="тест 🚀"))
    assert (job.phase, job.spec.entrypoint, job.name) == ("queued", argv, "тест 🚀")
    assert job.read.package is not None
    package = await go(client.packages.get, job.read.package)
    assert sorted(file.path for file in package.contents) == ["show.py", "данные.bin"]
    again = await go(client.packages.push, tmp_path)
    assert again == package.digest
    saved = await go(client.packages.download, again, tmp_path / "copy.zip")
    assert f"sha256:{hashlib.sha256(saved.read_bytes()).hexdigest()}" == again
    assert (await go(client.jobs.get, job.id)).id == job.id
    cancelled = await go(job.cancel)
    assert cancelled.read.stop_requested or cancelled.phase == "cancelled"


async def test_what_is_wrong_is_an_error_of_its_own_class(client: mlp.Client) -> None:
    gpus = mlp.Resources(groups=[mlp.Group("train", gpu=64)])
    with pytest.raises(errors.CanNeverFit) as never:
        await go(lambda: client.jobs.submit("true", package=None, resources=gpus))
    assert never.value.hint or "2" in never.value.message
    pool = mlp.Resources(groups=[mlp.Group("train", pool="no-such-pool")])
    with pytest.raises(errors.Error, match="no-such-pool"):
        await go(lambda: client.jobs.submit("true", package=None, resources=pool))
    with pytest.raises(errors.NotFound):
        await go(client.jobs.get, "job_nope")
    with pytest.raises(errors.NotFound):
        await go(lambda: client.jobs.get("x", project="no-such-project"))
    with pytest.raises(errors.NotSignedIn):
        await go(mlp.Client(client.url, "mlp_wrong", project="p").me)
    with pytest.raises(errors.Invalid, match=r"nonsense|order_by"):
        await go(lambda: list(client.jobs.list(order_by="nonsense")))


async def test_one_key_makes_one_job_and_another_body_is_a_conflict(client: mlp.Client) -> None:
    def submit(line: str) -> str:
        return client.jobs.submit(line, package=None, idempotency_key="k-1").id

    assert len(set(await asyncio.gather(*(go(submit, "echo 1") for _ in range(6))))) == 1
    with pytest.raises(errors.IdempotencyMismatch):
        await go(submit, "echo 2")


async def test_every_job_is_listed_once_while_others_come(client: mlp.Client) -> None:
    """Case i5, in small."""
    for _ in range(12):
        await go(lambda: client.jobs.submit("true", package=None, name="same"))
    known = {job.id for job in await go(lambda: list(client.jobs.list(name="same")))}
    assert len(known) == 12
    seen: list[str] = []

    def walk() -> None:
        from mlp.client.calls import jobs
        from mlp.client.calls.jobs import JobFilter

        call = jobs.list_jobs(client.project, JobFilter(name="same", order_by="name"), limit=5)
        for page in client.session.raw_pages(call):
            seen.extend(job["id"] for job in page["items"])
            client.jobs.submit("true", package=None, name="same")

    await go(walk)
    assert len(seen) == len(set(seen))
    assert known <= set(seen)


async def test_a_dry_run_keeps_nothing(client: mlp.Client) -> None:
    from mlp.client.submission import job_create

    answer = await go(client.jobs.dry_run, job_create({"entrypoint": ["echo", "a b"], "name": "dry"}))
    assert answer.command == "echo 'a b'"
    assert await go(lambda: list(client.jobs.list(name="dry"))) == []


async def test_a_waiting_job_explains_itself(client: mlp.Client) -> None:
    job = await go(lambda: client.jobs.submit("true", package=None))
    why = await go(lambda: job.why)
    assert (why.phase, why.reason) == (job.phase, job.reason)
    assert [event.resource_id for event in await go(lambda: job.events)] == [job.id]
    assert await go(lambda: list(job.logs())) == []
    assert await go(lambda: job.attempts) == []


async def test_projects_pools_tokens_clusters_environments(client: mlp.Client) -> None:
    made = await go(client.projects.create, ProjectCreate(name="side"))
    changed = await go(client.projects.change, made, ProjectPatch(description="x"))
    assert changed.description == "x"
    with pytest.raises(errors.Stale):
        await go(client.projects.change, made, ProjectPatch(description="y"))
    with pytest.raises(errors.NameTaken):
        await go(client.projects.create, ProjectCreate(name="side"))
    pool = await go(client.pools.get, "cpu")
    assert (await go(client.pools.change, pool, PoolPatch(description="d"))).description == "d"
    token = await go(client.tokens.create, TokenCreate(name="ci"))
    assert (await go(mlp.Client(client.url, token.token).me)).token is not None
    await go(client.tokens.revoke, token.id)
    with pytest.raises(errors.NotSignedIn):
        await go(mlp.Client(client.url, token.token).me)
    cluster = await go(client.clusters.create, ClusterCreate(name="dev"))
    assert (await go(client.clusters.stop, "dev")).id == cluster.id
    environment = await go(client.environments.create, EnvironmentCreate(name="base", requirements=["numpy"]))
    assert (await go(client.environments.get, "base")).id == environment.id
    await go(client.environments.delete, "base")
    with pytest.raises(errors.NotFound):
        await go(client.environments.get, "base")


async def test_packages_are_deleted_once_no_job_names_them(client: mlp.Client, admin: Any, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("named = 1")
    named = (await go(lambda: client.jobs.submit("python a.py", package=tmp_path))).read.package
    assert named is not None
    with pytest.raises(errors.StillInUse):
        await go(client.packages.delete, named)
    (tmp_path / "a.py").write_text("named = 0")
    free = await go(client.packages.push, tmp_path)
    async with mlp.AsyncClient(client.url, admin.token, project=client.project) as same:
        await same.environments.create(EnvironmentCreate(name="spare", requirements=["numpy"]))
        await same.environments.delete("spare")
        await same.packages.delete(free)
    with pytest.raises(errors.NotFound):
        await go(client.packages.get, free)


async def test_the_asynchronous_client_says_the_same(client: mlp.Client, admin: Any, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    async with mlp.AsyncClient(client.url, admin.token, project=client.project) as same:
        job = await same.jobs.submit(["python", "a.py"], package=tmp_path, name="async")
        assert [one.id async for one in same.jobs.list(name="async")] == [job.id]
        assert (await job.why).phase == job.phase
        assert (await job.cancel()).id == job.id


async def test_the_command_on_the_real_api(command: Any, project: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('hi')")
    code, out, err = await command("job", "submit", "--name", "训练 🚀", "--", "python", "train.py", "a b")
    assert code == 0, err
    job = out.strip()
    assert job.startswith("job_")
    for arguments in (
        ("job", "list"), ("job", "list", "-o", "wide"), ("job", "show", job), ("job", "events", job), ("why", job),
        ("job", "attempts", job), ("logs", job), ("project", "list"), ("project", "show", project), ("pool", "list"),
        ("pool", "show", "gpu"), ("package", "list"), ("environment", "list"), ("cluster", "list"), ("token", "list"),
        ("user", "list"), ("member", "list"), ("whoami",), ("version", "--server"), ("top",), ("config", "show"),
        ("job", "diff", job, job), ("job", "list", "--phase", "queued"),
        ("api", "GET", "/me"), ("job", "submit", "--dry-run", "--", "true"),
    ):  # fmt: skip
        code, out, err = await command(*arguments)
        assert code == 0, (arguments, err)
    code, out, _ = await command("job", "list", "--json", "--name", "训练")
    assert [one["id"] for one in json.loads(out)] == [job]
    code, out, err = await command("job", "cancel", job, "--grace", "20s")
    assert code == 0, err
    assert job in out
    assert (await command("job", "show", "job_none"))[0] == 4
    assert (await command("job", "list", "-p", "nobodys"))[0] == 4
    code, _, err = await command("job", "submit", "--gpu", "64", "--no-package", "--", "true")
    assert code == 2
    assert "64" in err


async def test_the_command_deletes_what_is_named_after_a_yes(command: Any, tmp_path: Path) -> None:
    (tmp_path / "spare.py").write_text("spare = 1")
    code, out, err = await command("package", "push")
    assert code == 0, err
    digest = out.strip()
    code, _, err = await command("package", "delete", digest)
    assert (code, "--yes" in err) == (2, True)
    assert await command("package", "delete", digest, "--yes") == (0, f"Deleted {digest}.\n", "")
    assert (await command("package", "show", digest))[0] == 4
    assert (await command("environment", "create", "spare", "-r", "numpy"))[0] == 0
    assert (await command("environment", "delete", "spare"))[0] == 2
    assert await command("environment", "delete", "spare", "-y") == (0, "Deleted spare.\n", "")
    assert (await command("environment", "delete", "spare", "-y"))[0] == 4


async def test_signing_in_by_password_and_out(command: Any, url: str) -> None:
    password = "correct horse battery"
    code, out, err = await command("user", "create", "ada", "--password-stdin", stdin=password + "\n")
    assert code == 0, err
    code, out, err = await command("login", url, "--username", "ada", stdin=password + "\n")
    assert code == 0, err
    assert "as ada" in out
    code, out, err = await command("logout")
    assert code == 0, err


async def test_changing_the_own_password(command: Any, client: mlp.Client, url: str) -> None:
    first, second, third = (f"correct horse battery {number}" for number in range(3))
    code, _, err = await command("user", "create", "eve", "--password-stdin", stdin=first + "\n")
    assert code == 0, err
    token = (await go(client.session.send, account.login("eve", first, "laptop"))).token
    mine = ("--url", url)
    own = {"MLP_TOKEN": token}
    assert (await command(*mine, "password", environ=own))[0] == 2
    done = await command(*mine, "password", "--stdin", stdin=f"{first}\n{second}\n", environ=own)
    assert done == (0, "Changed the password.\n", "")
    code, _, err = await command(*mine, "password", "--stdin", stdin=f"{first}\n{third}\n", environ=own)
    assert (code, "The old password is wrong." in err) == (3, True)
    await go(mlp.Client(url, token, project="p").change_password, second, third)
    async with mlp.AsyncClient(url, token, project="p") as same:
        with pytest.raises(errors.Invalid):
            await same.change_password(third, "short")
    assert (await go(client.session.send, account.login("eve", third, "laptop"))).token
    assert (await command("login", url, "--username", "ada", stdin="wrong password\n"))[0] == 3
