"""Why things failed: class, sentence, evidence, what to do next. Made where the facts are, once."""

from __future__ import annotations

import re
import signal as signals
from datetime import datetime, timedelta

from mlp.schemas.jobs import Failure, JobCreate
from mlp.schemas.phases import ClusterPhase, FailureClass
from mlp.schemas.units import format_duration, format_memory
from mlp_core.domain.execution import ClusterObserved, Trouble, WorkObserved

_REASONS = {
    FailureClass.USER_ERROR: "UserError",
    FailureClass.OOM: "OutOfMemory",
    FailureClass.PREEMPTED: "Preempted",
    FailureClass.NODE_LOST: "NodeLost",
    FailureClass.IMAGE: "ImageUnusable",
    FailureClass.ENVIRONMENT: "EnvironmentFailed",
    FailureClass.QUOTA: "QuotaExceeded",
    FailureClass.TIMEOUT: "TimedOut",
    FailureClass.INFRA: "PlatformFailed",
}

_MEMORY_ERROR = re.compile(
    r"^(MemoryError\b|numpy\.[\w.]*MemoryError\b|.*ray\.exceptions\.OutOfMemoryError\b|"
    r".*OutOfMemoryError: Task was killed due to the node running low on memory)"
)
_TRACKING_AWAY = re.compile(
    r"^(mlflow\.|requests\.|urllib3\.)[\w.]+(Exception|Error): .*"
    r"(Max retries exceeded with url: |\b50[0234] Server Error: .* for url: https?://[^/\s]+)/mlflow/"
)
"""How MLflow's client ends once it has given up on the platform's own MLflow, or on the store behind it."""
_KEPT_FILES = (
    "`mlp job retry` starts another attempt. What the job wrote into $MLP_OUTPUT is kept: `mlp job artifacts`, "
    "`mlp job log-artifact`."
)
_MORE_MEMORY = "Ask for more memory (`--memory`), or retry with `--retry-on oom --memory-factor 2`."


def reason_of(failure: Failure) -> str:
    """The stable CamelCase reason of a class."""
    return _REASONS[failure.failure_class]


def of_trouble(trouble: Trouble) -> Failure:
    return Failure(
        failure_class=trouble.failure_class,
        message=trouble.message,
        hint=trouble.hint,
        node=trouble.node,
        memory_used_bytes=trouble.memory_used_bytes,
        memory_limit_bytes=trouble.memory_limit_bytes,
        last_lines=list(trouble.last_lines),
        decided_by="engine",
    )


def of_process(spec: JobCreate, work: WorkObserved, cluster: ClusterObserved | None, now: datetime) -> Failure:
    """A process that ended other than with exit code 0, judged by evidence, strongest first."""
    if work.timed_out and spec.timeout is not None:
        return _timeout(spec.timeout, work)
    if work.stopped and spec.deadline is not None and now >= spec.deadline:
        return deadline(spec, now)
    if work.trouble is not None and work.trouble.failure_class is FailureClass.OOM:
        return _with_exit(of_trouble(work.trouble), work)
    if work.oom_kills:
        return _oom(work)
    if cluster is not None and cluster.lost_nodes:
        return _node_lost(cluster, work)
    if work.trouble is not None:
        return _with_exit(of_trouble(work.trouble), work)
    if work.signal is not None:
        return _signalled(work.signal)
    if work.exit_code is None:
        return Failure(
            failure_class=FailureClass.INFRA,
            message="The job's process vanished without an exit code.",
            hint="Something outside the job ended it; `mlp job retry` starts another attempt.",
            decided_by="engine",
        )
    return Failure(
        failure_class=FailureClass.USER_ERROR,
        message=f"The job's process ended with exit code {work.exit_code}.",
        hint=_exit_hint(work.exit_code),
        exit_code=work.exit_code,
        decided_by="the process",
    )


def refine(failure: Failure, last_lines: list[str]) -> Failure:
    """Add the last lines of the log and what they prove: a Python MemoryError is `oom`, an MLflow away is `infra`."""
    with_lines = failure.model_copy(update={"last_lines": last_lines or failure.last_lines})
    if failure.failure_class is not FailureClass.USER_ERROR:
        return with_lines
    for line in reversed([line.strip() for line in last_lines]):
        if _MEMORY_ERROR.match(line):
            return _proven(with_lines, FailureClass.OOM, f"It ran out of memory: {line[:300]}", _MORE_MEMORY)
        if _TRACKING_AWAY.match(line):
            text = f"MLflow was away for longer than its client tries: {line[:300]}"
            return _proven(with_lines, FailureClass.INFRA, text, _KEPT_FILES)
    return with_lines


def _proven(failure: Failure, failure_class: FailureClass, message: str, hint: str) -> Failure:
    return failure.model_copy(update={"failure_class": failure_class, "message": message, "hint": hint})


def deadline(spec: JobCreate, now: datetime) -> Failure:
    at = spec.deadline or now
    return Failure(
        failure_class=FailureClass.TIMEOUT,
        message=f"Its deadline {at:%Y-%m-%d %H:%M:%S %Z} has passed.",
        hint="Submit it again with a later `deadline`.",
        decided_by="platform",
    )


def environment(message: str, failure_class: FailureClass | None) -> Failure:
    return Failure(
        failure_class=failure_class or FailureClass.ENVIRONMENT,
        message=message.splitlines()[0] if message else "The environment could not be resolved.",
        hint="Mend `environment.requirements` and submit again.",
        last_lines=message.splitlines()[-30:],
        decided_by="resolver",
    )


def cluster_gone(name: str, phase: ClusterPhase) -> Failure:
    return Failure(
        failure_class=FailureClass.USER_ERROR,
        message=f"Cluster '{name}' is {phase}, so nothing can run on it.",
        hint="Start a cluster with `mlp cluster create`, or leave `cluster` out for one of its own.",
        decided_by="platform",
    )


def cluster_lost() -> Failure:
    return Failure(
        failure_class=FailureClass.NODE_LOST,
        message="The Ray cluster went away under the running job.",
        hint="Retry it, or add `--retry-on node_lost --retries 2` so that this happens by itself.",
        decided_by="engine",
    )


def provision_deadline(cluster: ClusterObserved | None, limit: timedelta) -> Failure:
    ready = f"{cluster.nodes_ready} of {cluster.nodes_wanted} nodes came" if cluster else "no node came"
    why = f" {cluster.trouble.message}" if cluster and cluster.trouble else ""
    return Failure(
        failure_class=FailureClass.INFRA,
        message=f"The cluster was not ready within {format_duration(limit)}: {ready}.{why}",
        hint="See `mlp job events` for what was tried.",
        last_lines=list(cluster.trouble.last_lines) if cluster and cluster.trouble else [],
        decided_by="platform",
    )


def model_not_registered(message: str, failure_class: FailureClass) -> Failure:
    return Failure(
        failure_class=failure_class,
        message=f"The work succeeded, but its model could not be registered: {message}",
        hint="Log the model in the run under the name in `model.from`: `mlflow.<flavour>.log_model(.., name='model')`.",
        decided_by="platform",
    )


def artifacts_lost(message: str) -> Failure:
    return Failure(
        failure_class=FailureClass.INFRA,
        message=f"The work succeeded, but {message[0].lower()}{message[1:]}",
        hint="See `mlp job artifacts` for what is stored, and `/readyz` for what is away; then retry the job.",
        exit_code=0,
        decided_by="platform",
    )


def _timeout(limit: timedelta, work: WorkObserved) -> Failure:
    return Failure(
        failure_class=FailureClass.TIMEOUT,
        message=f"It ran longer than its timeout of {format_duration(limit)} and was ended.",
        hint="Submit it again with a longer `timeout`, and resume from its checkpoint.",
        exit_code=work.exit_code,
        signal=work.signal,
        signal_name=_signal_name(work.signal),
        decided_by="platform",
    )


def _oom(work: WorkObserved) -> Failure:
    nodes = ", ".join(work.oom_kills)
    return Failure(
        failure_class=FailureClass.OOM,
        message=f"A process of the job was killed for using too much memory on {nodes}.",
        hint=_MORE_MEMORY,
        node=work.oom_kills[0],
        exit_code=work.exit_code,
        signal=work.signal,
        signal_name=_signal_name(work.signal),
        decided_by="kernel",
    )


def _node_lost(cluster: ClusterObserved, work: WorkObserved) -> Failure:
    return Failure(
        failure_class=FailureClass.NODE_LOST,
        message=f"Node {', '.join(cluster.lost_nodes)} was lost while the job ran.",
        hint="Add `--retry-on node_lost --retries 2`, and resume from a checkpoint.",
        node=cluster.lost_nodes[0],
        exit_code=work.exit_code,
        signal=work.signal,
        signal_name=_signal_name(work.signal),
        decided_by="engine",
    )


def _signalled(number: int) -> Failure:
    name = _signal_name(number)
    outside = number == signals.SIGKILL
    return Failure(
        failure_class=FailureClass.INFRA if outside else FailureClass.USER_ERROR,
        message=f"The job's process was ended by {name} (signal {number})"
        + (", which neither the platform nor a memory limit sent." if outside else "."),
        hint="Somebody or something on the machine killed it; retry it." if outside else None,
        signal=number,
        signal_name=name,
        decided_by="outside the platform" if outside else "the process",
    )


def _with_exit(failure: Failure, work: WorkObserved) -> Failure:
    used, limit = failure.memory_used_bytes, failure.memory_limit_bytes
    detail = (
        f" ({_gib(used)} of {format_memory(limit)})" if used and limit and str(limit) not in failure.message else ""
    )
    return failure.model_copy(
        update={
            "message": failure.message + detail if failure.failure_class is FailureClass.OOM else failure.message,
            "hint": failure.hint or (_MORE_MEMORY if failure.failure_class is FailureClass.OOM else None),
            "exit_code": work.exit_code,
            "signal": work.signal,
            "signal_name": _signal_name(work.signal),
        }
    )


def _exit_hint(exit_code: int) -> str | None:
    if exit_code == 127:
        return "The program was not found in the package or the environment; check the entrypoint."
    if exit_code == 126:
        return "The program exists but is not executable; start it through its interpreter."
    return "Read the log with `mlp logs`."


def _signal_name(number: int | None) -> str | None:
    if number is None:
        return None
    try:
        return signals.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _gib(value: int) -> str:
    return f"{value / 2**30:.2g}Gi"
