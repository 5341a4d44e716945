"""What a job's process and its Ray workers find in their environment, in a pod. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from mlp.runtime import _json
from mlp.runtime._json import MalformedError
from mlp.runtime.pids import WORK_MARK
from mlp.runtime.pods.bringing import python_of, secrets_of
from mlp.runtime.pods.places import RAY_MARK, AttemptPlace, Pod
from mlp.runtime.pods.work import Work

JOB_CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR"
_NOT_INHERITED = frozenset({"OMP_NUM_THREADS", "PYTHONPATH", "PWD", "OLDPWD", "SHLVL", "_", JOB_CONFIG})
"""Set by Ray for the actor that starts the entrypoint, or by its shell."""
_NOT_FOR_WORKERS = frozenset({"PATH", "HOME", "PWD", "CUDA_VISIBLE_DEVICES", "RAY_ADDRESS"})
"""What each Ray worker has of its own node; the driver's would be wrong there."""
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def job_environment(
    work: Work, pod: Pod, place: AttemptPlace, inherited: Mapping[str, str], python: str
) -> dict[str, str]:
    """The driver's whole environment. `inherited` is the Ray container's; `python` the platform's interpreter."""
    given = work.variables
    base = {name: value for name, value in inherited.items() if _is_inherited(name)}
    path = _path(work, place, given.get("PATH") or inherited.get("PATH", _DEFAULT_PATH), python)
    everywhere = {"PYTHONUNBUFFERED": "1", **given, **_ours(work, pod, place), "PATH": path}
    return {
        "LANG": "C.UTF-8",
        **base,
        **everywhere,
        RAY_MARK: "ray",
        # Agents ship the workers' lines; through the driver they would come a second time.
        "RAY_LOG_TO_DRIVER": "0",
        "RAY_DEDUP_LOGS": "0",
        # The user's own runtime_env in ray.init is added to ours instead of being refused for a shared key.
        "RAY_OVERRIDE_JOB_RUNTIME_ENV": "1",
        JOB_CONFIG: json.dumps(
            _job_config(
                inherited.get(JOB_CONFIG), _for_workers(work, everywhere), worker_command(work, pod, place, python)
            )
        ),
    }


def submission_of(inherited: Mapping[str, str]) -> str | None:
    """What Ray calls the job whose entrypoint has this environment; None where it is no job of Ray's."""
    submission = _parsed(inherited.get(JOB_CONFIG)).get("metadata", {}).get("job_submission_id")
    return submission if isinstance(submission, str) else None


def worker_command(work: Work, pod: Pod, place: AttemptPlace, python: str) -> str:
    """What Ray starts in place of Python. On a cluster that many works share each node brings a work in by itself when
    it comes to run something of it; elsewhere that was the pod's first step."""
    return f"{python} -I -m mlp.runtime.pods worker {work.name}" if pod.is_shared else str(place.python)


def _for_workers(work: Work, everywhere: Mapping[str, str]) -> dict[str, str]:
    """What Ray may be told: it writes this on command lines and pages."""
    left_out = _NOT_FOR_WORKERS | secrets_of(work).keys()
    return {name: value for name, value in everywhere.items() if name not in left_out} | {"PATH": everywhere["PATH"]}


def _job_config(given: str | None, variables: Mapping[str, str], command: str) -> dict[str, Any]:
    """Ray's own, so that it knows the driver for the one of its job, with our runtime environment added."""
    config = _parsed(given)
    runtime_env = {**config.get("runtime_env", {}), "py_executable": command, "env_vars": variables}
    return {**config, "runtime_env": runtime_env}


def _parsed(given: str | None) -> dict[str, Any]:
    try:
        return dict(cast("dict[str, Any]", _json.parse_object(given or "{}", JOB_CONFIG)))
    except MalformedError:
        return {}


def _ours(work: Work, pod: Pod, place: AttemptPlace) -> dict[str, str]:
    return {
        WORK_MARK: work.name,
        "MLP_ATTEMPT_DIR": str(place.root),
        "MLP_CODE_DIR": str(place.code),
        "MLP_CHECKPOINT_DIR": str(pod.checkpoints_of(work.checkpoint_key, place)),
        "MLP_OUTPUT": str(place.output),
        "MLP_ARTIFACTS": str(place.output),
    }


def _path(work: Work, place: AttemptPlace, given: str, python: str) -> str:
    """Programs of the job's own interpreter first, then the platform's."""
    folders = dict.fromkeys(str(Path(one).parent) for one in (python_of(work, place), python))
    return ":".join([*folders, given])


def _is_inherited(name: str) -> bool:
    return name not in _NOT_INHERITED and not name.startswith(("MLP_", "KUBERNETES_", "RAY_EXPERIMENTAL_NOSET_"))
