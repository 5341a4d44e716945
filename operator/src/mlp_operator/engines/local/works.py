"""Work on a cluster: its code and environment made ready, its process started once, and how it stands."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mlp.runtime import records
from mlp.runtime.agent_config import AgentConfig, NodeConfig
from mlp.runtime.overlays import BadEnvironmentError
from mlp.runtime.unpacking import BadPackageError
from mlp.runtime.workers import wrapper_script
from mlp.schemas.phases import FailureClass
from mlp_operator.engines.local import cgroups, evidence, packages, processes, spawn
from mlp_operator.engines.local.clusters import Clusters
from mlp_operator.engines.local.environment import Place, job_environment
from mlp_operator.engines.local.nodes import node_mark
from mlp_operator.engines.local.overlay import Overlays
from mlp_operator.engines.local.settings import LocalSettings, PackageMissingError, PackageSource
from mlp_operator.engines.local.state import (
    ClusterPaths,
    ClusterRecord,
    Layout,
    NodeReady,
    NodeRecord,
    PidRecord,
    Setup,
    WorkBaseline,
    WorkPaths,
    WorkRecord,
    read_record,
    write_bytes,
    write_record,
)
from mlp_operator.engines.port import EngineError, WorkSpec

SUBMIT_AGAIN = "Submit the job again from its folder."
AGENT_REST = timedelta(seconds=10)
"""An agent that ended by itself is started again after this long, not at once."""


class Works:
    """Prepares and starts. Each step may be repeated, by this engine or by one that comes after it."""

    def __init__(
        self, settings: LocalSettings, layout: Layout, clusters: Clusters, packages: PackageSource, overlays: Overlays
    ) -> None:
        self._settings = settings
        self._layout = layout
        self._clusters = clusters
        self._packages = packages
        self._overlays = overlays

    def paths(self, name: str, cluster: str) -> WorkPaths:
        return self._layout.cluster(cluster).work(name)

    def record(self, spec: WorkSpec) -> WorkPaths:
        """Write down what is wanted, so that a restarted engine can go on.

        Raises:
            EngineError: the cluster is not there, or is being removed.
        """
        cluster = self._layout.cluster(spec.cluster)
        if not cluster.record.exists() or cluster.deleting.exists():
            raise EngineError(f"Cluster {spec.cluster} is not there to run {spec.name}.")
        where = self.paths(spec.name, spec.cluster)
        where.engine.mkdir(parents=True, exist_ok=True)
        if not where.record.exists():
            write_record(_recorded(spec), where.record, secret=True)
        return where

    async def prepare_and_start(self, where: WorkPaths) -> None:
        """All steps from nothing to a running process; what is done already is passed over.

        Raises:
            EngineError: trying again later may help. What does not mend itself is written to `setup.json` instead.
        """
        work = read_record(WorkRecord, where.record)
        if work is None or is_started(where) or where.stop.exists():
            return
        try:
            await self._prepare_and_start(work, where)
        except PackageMissingError:
            missing = f"The code package {work.package_digest} is not in the store any more."
            _give_up(where, FailureClass.USER_ERROR, missing, hint=SUBMIT_AGAIN)
        except BadPackageError as error:
            _give_up(where, FailureClass.USER_ERROR, str(error), hint=SUBMIT_AGAIN)
        except BadEnvironmentError as error:
            _give_up(where, FailureClass.ENVIRONMENT, str(error), hint=error.hint, last_lines=error.last_lines)

    async def _prepare_and_start(self, work: WorkRecord, where: WorkPaths) -> None:
        found = self._clusters.find(work.cluster)
        ready = read_record(NodeReady, self._layout.cluster(work.cluster).node("head").ready)
        if found is None or ready is None:
            raise EngineError(f"The head of cluster {work.cluster} is not ready.")
        cluster, cluster_paths = found
        checkpoints = self._layout.checkpoint(work.checkpoint_key)
        for folder in (where.logs, where.output, where.marks, checkpoints):
            folder.mkdir(parents=True, exist_ok=True)
        await self._place_code(work, where)
        python = await self._python(work, where)
        _say(where, "The process is being started.")
        script = wrapper_script(str(python), str(where.code), str(where.marks))
        write_bytes(script.encode(), where.python, mode=0o755)
        pythons = tuple(dict.fromkeys((python, self._settings.python)))
        place = Place(cluster, ready, where, cluster_paths.token, checkpoints, pythons)
        environment = job_environment(work, place, os.environ)
        self._write_launch(work, cluster, where, environment)
        self._write_agent(work, cluster, where)
        if not where.baseline.exists():
            write_record(self._baseline(cluster, cluster_paths), where.baseline)
        await asyncio.gather(self._start_launcher(cluster, cluster_paths, where), self.start_agent(work.cluster, where))

    async def _place_code(self, work: WorkRecord, where: WorkPaths) -> None:
        if work.package_digest is None:
            where.code.mkdir(exist_ok=True)
            return
        _say(where, "The code package is being fetched.")
        await packages.place(self._packages, work.package_digest, where.code)

    async def _python(self, work: WorkRecord, where: WorkPaths) -> Path:
        if work.environment is None:
            return self._settings.python
        _say(where, "The environment is being made ready.")
        return await self._overlays.ensure(work.environment, lambda sentence: _say(where, sentence))

    def _write_launch(
        self, work: WorkRecord, cluster: ClusterRecord, where: WorkPaths, environment: dict[str, str]
    ) -> None:
        groups = self._clusters.groups(cluster, cluster.head)
        records.LaunchSpec(
            cwd=str(where.code),
            log=str(where.driver_log),
            env=environment,
            argv=work.argv,
            shell=work.shell,
            grace_seconds=work.grace_seconds,
            timeout_seconds=work.timeout_seconds,
            cgroup_memory=str(groups.memory) if groups is not None else None,
        ).write(where.root)

    def _write_agent(self, work: WorkRecord, cluster: ClusterRecord, where: WorkPaths) -> None:
        where.agent.root.mkdir(parents=True, exist_ok=True)
        is_shared = cluster.name != work.name
        AgentConfig(
            api_url=work.api_url or self._settings.api_url,
            attempt_id=work.name,
            state_dir=str(where.agent_state),
            token=work.token,
            nodes=tuple(self._node_config(work, cluster, node, where, is_shared=is_shared) for node in cluster.nodes),
            driver_log=str(where.driver_log),
            metrics_file=str(where.metrics),
            poll_seconds=self._settings.poll_seconds,
            sample_seconds=self._settings.sample_seconds,
            drain_seconds=self._settings.drain_seconds,
            output_dir=str(where.output),
            artifact_seconds=self._settings.artifact_seconds,
            artifact_max_files=self._settings.artifact_max_files,
            artifact_max_bytes=self._settings.artifact_max_bytes,
        ).write(where.agent.config)

    def _node_config(
        self, work: WorkRecord, cluster: ClusterRecord, node: NodeRecord, where: WorkPaths, *, is_shared: bool
    ) -> NodeConfig:
        groups = self._clusters.groups(cluster, node)
        return NodeConfig(
            name=node.name,
            log_globs=(f"{node.temp_dir}/session_2*/logs/worker-*",),
            worker_env={processes.WORK_MARK: work.name} if is_shared else None,
            worker_marks=str(where.marks),
            cgroup_memory=str(groups.memory) if groups is not None else None,
            cgroup_cpu=str(groups.usage) if groups is not None else None,
            pids_marker=f"{processes.NODE_MARK}={node_mark(cluster.name, node.name)}",
            memory_limit_bytes=node.memory_bytes,
            gpus=node.gpu_devices or (),
        )

    def _baseline(self, cluster: ClusterRecord, paths: ClusterPaths) -> WorkBaseline:
        kills: dict[str, int] = {}
        logs: dict[str, int] = {}
        for node in cluster.nodes:
            groups = self._clusters.groups(cluster, node)
            facts = cgroups.memory_facts(groups) if groups is not None else None
            kills[node.name] = facts.oom_kills if facts is not None else 0
            ready = read_record(NodeReady, paths.node(node.name).ready)
            logs[node.name] = evidence.size(raylet_log(ready)) if ready is not None else 0
        return WorkBaseline(kills, logs)

    async def _start_launcher(self, cluster: ClusterRecord, paths: ClusterPaths, where: WorkPaths) -> None:
        groups = self._clusters.groups(cluster, cluster.head)
        await spawn.start(
            self._settings.python,
            spawn.Detached(
                argv=tuple(records.launch_command(str(self._settings.python), where.root)),
                environment=_helper_environment(cluster.name) | {processes.WORK_MARK: where.root.name},
                cwd=where.root,
                paths=where.launcher,
                once=True,
                forbidden=(paths.deleting, where.stop, where.root / records.EXIT_FILE),
                cgroups=cgroups.procs_files(groups) if groups is not None else (),
                hold_sigterm=True,
            ),
        )

    async def start_agent(self, cluster: str, where: WorkPaths) -> None:
        """Start the attempt's agent unless it runs. It stands outside the nodes' control groups: it is ours."""
        await spawn.start(
            self._settings.python,
            spawn.Detached(
                argv=tuple(records.agent_command(str(self._settings.python), where.agent.config)),
                environment=_helper_environment(cluster),
                cwd=where.agent.root,
                paths=where.agent,
                once=False,
                forbidden=(self._layout.cluster(cluster).deleting, where.sealed),
                hold_sigterm=True,
            ),
        )

    async def keep_agent(self, cluster: str, where: WorkPaths, now: datetime) -> None:
        """Bring back an agent that was killed. One that ended because the attempt is over ends again at once."""
        if not where.agent.config.exists() or processes.is_alive(read_record(PidRecord, where.agent.pid)):
            return
        started_at = modified_at(where.agent.pid)
        if started_at is None or now - started_at > AGENT_REST:
            await self.start_agent(cluster, where)


def is_started(where: WorkPaths) -> bool:
    """Whether the launcher was ever started: its pid file stands from before its first instruction."""
    return where.launcher.pid.exists() or (where.root / records.EXIT_FILE).exists()


def raylet_log(ready: NodeReady) -> Path:
    return ready.logs / "raylet.out"


def modified_at(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def _helper_environment(cluster: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TZ", "SSL_CERT_FILE") if name in os.environ}
    return {**kept, processes.CLUSTER_MARK: cluster}


def _say(where: WorkPaths, sentence: str) -> None:
    write_record(Setup(sentence), where.setup)


def say_waiting(where: WorkPaths, error: Exception) -> None:
    """A step failed and will be tried again."""
    write_record(Setup(str(error), failure_class=FailureClass.INFRA), where.setup)


def _give_up(
    where: WorkPaths, failure_class: FailureClass, sentence: str, *, hint: str | None = None,
    last_lines: tuple[str, ...] = (),
) -> None:  # fmt: skip
    write_record(Setup(sentence, failure_class, is_final=True, hint=hint, last_lines=last_lines), where.setup)


def _recorded(spec: WorkSpec) -> WorkRecord:
    return WorkRecord(
        name=spec.name,
        cluster=spec.cluster,
        argv=spec.argv,
        shell=spec.shell,
        variables=spec.variables,
        grace_seconds=spec.grace_seconds,
        timeout_seconds=spec.timeout_seconds,
        checkpoint_key=spec.checkpoint_key,
        api_url=spec.api_url,
        token=spec.token,
        package_digest=spec.package_digest,
        environment=spec.environment,
    )
