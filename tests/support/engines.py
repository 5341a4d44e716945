"""Work on a real engine, for the contract suite. Nothing here knows which engine it is."""

from __future__ import annotations

import asyncio
import hashlib
import io
import time
import zipfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from mlp_core.domain.execution import ClusterObserved, EnvironmentLock, WorkObserved
from mlp_operator.engines.local.settings import PackageMissingError
from mlp_operator.engines.port import ClusterSpec, ComputeEngine, EngineError, WorkSpec
from support.agent_api import AgentApi

Value = TypeVar("Value")
GIBIBYTE = 2**30
WITHIN = 150.0
"""Seconds: what takes ten on a quiet machine takes a minute on a busy one. Only a failure waits that long."""


async def eventually(look: Callable[[], Awaitable[Value | None]], *, within: float, what: str) -> Value:
    """The first value that `look` gives that is neither None nor False."""
    until = time.monotonic() + within
    while True:
        value = await look()
        if value is not None and value is not False:
            return value
        assert time.monotonic() < until, f"{what} did not come within {within:g} s"
        await asyncio.sleep(0.1)


@dataclass
class Packages:
    """A package store in memory."""

    stored: dict[str, bytes] = field(default_factory=dict[str, bytes])
    fetches: int = 0
    away: bool = False

    def put(self, files: Mapping[str, str]) -> str:
        """Store a zip of `files` and return its digest."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as package:
            for name, content in files.items():
                package.writestr(name, content)
        return self.put_bytes(buffer.getvalue())

    def put_bytes(self, content: bytes) -> str:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self.stored[digest] = content
        return digest

    async def fetch(self, digest: str, into: Path) -> None:
        self.fetches += 1
        if self.away:
            raise EngineError("The store is away.")
        if digest not in self.stored:
            raise PackageMissingError(f"There is no package {digest}.")
        await asyncio.to_thread(into.write_bytes, self.stored[digest])


@dataclass
class Bench:
    """One cluster, and works that tests put on it one after the other."""

    engine: ComputeEngine
    cluster: str
    api: AgentApi
    packages: Packages
    _count: int = 0

    def work(
        self,
        *argv: str,
        shell: str | None = None,
        files: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        environment: EnvironmentLock | None = None,
        grace: float = 5.0,
        timeout: float | None = None,
        cluster: str | None = None,
        name: str | None = None,
    ) -> WorkSpec:
        """A work of a new name."""
        self._count += 1
        return WorkSpec(
            name=name or f"att_contract{self._count:02}",
            cluster=cluster or self.cluster,
            argv=argv or None,
            shell=shell,
            variables=tuple((variables or {}).items()),
            grace_seconds=grace,
            timeout_seconds=timeout,
            checkpoint_key="job_contract",
            api_url=self.api.url,
            token=self.api.token,
            package_digest=self.packages.put(files) if files is not None else None,
            environment=environment,
        )

    def script(self, source: str, **options: object) -> WorkSpec:
        """A work that runs `source` as `main.py` of its package."""
        files = {"main.py": source, **options.pop("files", {})}  # type: ignore[dict-item]
        return self.work("python", "main.py", files=files, **options)  # type: ignore[arg-type]

    async def observe(self, spec: WorkSpec) -> WorkObserved:
        observed = await self.engine.observe_work(spec.name, spec.cluster)
        assert observed is not None, f"{spec.name} is not known"
        return observed

    async def start(self, spec: WorkSpec, within: float = WITHIN) -> WorkObserved:
        """Until its process runs, as a reconciler would: asking again and again."""

        async def started() -> WorkObserved | None:
            await self.engine.ensure_work(spec)
            observed = await self.observe(spec)
            assert observed.trouble is None or not observed.trouble.is_final, observed.trouble
            return observed if observed.started_at is not None else None

        return await eventually(started, within=within, what=f"the start of {spec.name}")

    async def end(self, spec: WorkSpec, within: float = WITHIN) -> WorkObserved:
        async def ended() -> WorkObserved | None:
            observed = await self.observe(spec)
            return observed if observed.has_ended else None

        return await eventually(ended, within=within, what=f"the end of {spec.name}")

    async def seal(self, spec: WorkSpec, within: float = WITHIN) -> WorkObserved:
        async def sealed() -> WorkObserved | None:
            await self.engine.seal_work(spec.name, spec.cluster)
            observed = await self.observe(spec)
            return observed if observed.sealed else None

        return await eventually(sealed, within=within, what=f"the seal of {spec.name}")

    async def says(self, text: str, source: str = "driver", within: float = WITHIN) -> None:
        """Until the log of `source` at the api holds `text`."""

        async def said() -> bool:
            return text.encode() in self.api.logs[source]

        await eventually(said, within=within, what=f"the line {text!r}")

    async def waits_for(self, spec: WorkSpec, sentence: str) -> None:
        async def told() -> bool:
            return (await self.observe(spec)).setting_up == sentence

        await eventually(told, within=WITHIN, what=f"the sentence {sentence!r}")

    async def forget(self, spec: WorkSpec) -> None:
        await self.engine.delete_work(spec.name, spec.cluster)
        assert await self.engine.observe_work(spec.name, spec.cluster) is None

    async def run(self, spec: WorkSpec, within: float = WITHIN) -> tuple[WorkObserved, Logs]:
        """From start to forgotten; how it ended and what it printed."""
        self.api.logs.clear()
        await self.start(spec)
        await self.end(spec, within)
        observed = await self.seal(spec)
        logs = Logs.of(self.api)
        await self.forget(spec)
        return observed, logs

    async def run_quietly(self, spec: WorkSpec) -> WorkObserved:
        """From start to forgotten, keeping what others have logged."""
        await self.start(spec)
        observed = await self.end(spec)
        await self.forget(spec)
        return observed

    async def all_ready(self, spec: ClusterSpec, within: float = WITHIN) -> ClusterObserved:
        """Until every node is ready, as a reconciler would: asking again and again."""

        async def ready() -> ClusterObserved | None:
            await self.engine.ensure_cluster(spec)
            observed = await self.engine.observe_cluster(spec.name)
            assert observed is not None
            assert observed.trouble is None or not observed.trouble.is_final, observed.trouble
            return observed if observed.nodes_ready == observed.nodes_wanted and observed.head_ready else None

        return await eventually(ready, within=within, what="a ready cluster")

    def on(self, engine: ComputeEngine) -> Bench:
        """The same place seen through another engine object."""
        return replace(self, engine=engine)


@dataclass(frozen=True)
class Logs:
    """What arrived at the api, by source."""

    sources: dict[str, str]

    @classmethod
    def of(cls, api: AgentApi) -> Logs:
        return cls({name: bytes(kept).decode() for name, kept in api.logs.items()})

    @property
    def driver(self) -> list[str]:
        return self.sources.get("driver", "").splitlines()

    @property
    def workers(self) -> list[str]:
        return [line for name, text in self.sources.items() if name != "driver" for line in text.splitlines()]
