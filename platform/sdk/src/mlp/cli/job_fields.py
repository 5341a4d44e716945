"""From flags to the fields of `JobCreate`. Pure, but for the files that flags name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from mlp import errors
from mlp.cli.flags import JobFlags

_WORKERS = "workers"


def fields_of(flags: JobFlags, base: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that `flags` change, on top of `base` (what the job file says)."""
    simple = {
        "name": flags.name,
        "kind": flags.kind,
        "timeout": flags.timeout,
        "deadline": flags.deadline,
        "grace": flags.grace,
        "priority": flags.priority,
        "cluster": flags.cluster,
    }
    changed = {name: value for name, value in simple.items() if value is not None}
    nested = {
        "resources": resources_of(flags, _mapping(base, "resources")),
        "environment": _environment(flags, _mapping(base, "environment")),
        "retries": _over(
            _mapping(base, "retries"),
            {"max": flags.retries, "on": flags.retry_on, "memory_factor": flags.memory_factor},
        ),
        "run": _over(
            _mapping(base, "run"),
            {
                "experiment": flags.experiment,
                "tags": _merged(_mapping(base, "run").get("tags"), _pairs("--tag", flags.tag)),
            },
        ),
        "model": _over(_mapping(base, "model"), {"register": flags.register}),
    }
    return changed | {name: value for name, value in nested.items() if value}


def _mapping(base: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = base.get(name)
    return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}


def _over(base: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    return base | {name: value for name, value in given.items() if value not in (None, {}, [])}


def _merged(base: Any, given: dict[str, str]) -> dict[str, Any]:
    return {**cast("dict[str, Any]", base or {}), **given}


def resources_of(flags: JobFlags, base: dict[str, Any]) -> dict[str, Any]:
    """GPUs or a number of workers make one group, `workers`; sizes are of its nodes, else of the head.

    Raises:
        LocalError: the file has several groups, so that a flag could mean any of them.
    """
    size = {"cpu": flags.cpus, "memory": flags.memory, "pool": flags.pool}
    group = {"gpu": flags.gpus, "replicas": flags.workers}
    head = {"cpu": flags.head_cpus, "memory": flags.head_memory}
    groups = cast("list[dict[str, Any]]", list(base.get("groups") or []))
    has_group = bool(groups) or any(value is not None for value in group.values())
    if has_group:
        group |= size
    else:
        head = {"cpu": head["cpu"] or size["cpu"], "memory": head["memory"] or size["memory"], "pool": size["pool"]}
    found = dict(base)
    merged_head = _over(dict(base.get("head") or {}), head)
    if merged_head:
        found["head"] = merged_head
    if any(value is not None for value in group.values()):
        if len(groups) > 1:
            raise errors.LocalError(
                "The job file has several worker groups: --gpu, --workers, --cpus, --memory, --pool could mean any.",
                hint="Change the group in the file.",
            )
        found["groups"] = [_over(groups[0] if groups else {"name": _WORKERS}, group)]
    return found


def _environment(flags: JobFlags, base: dict[str, Any]) -> dict[str, Any]:
    variables = _merged(base.get("variables"), {})
    for file in flags.env_file or ():
        variables |= read_env_file(file)
    variables |= _pairs("--env", flags.env, inherit=True)
    requirements: list[str] = [*(base.get("requirements") or []), *_requirements(flags.requirement)]
    return _over(
        base,
        {
            "name": flags.environment,
            "python": flags.python,
            "variables": variables,
            "requirements": requirements,
        },
    )


def _requirements(given: Iterable[str] | None) -> list[str]:
    """`-r FILE` where there is such a file, else a requirement by itself."""
    found: list[str] = []
    for item in given or ():
        if item.endswith((".txt", ".in")) and Path(item).is_file():
            from mlp.jobfile import read_requirements

            found += read_requirements(Path(item))
        else:
            found.append(item)
    return found


def _pairs(option: str, given: Iterable[str] | None, *, inherit: bool = False) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in given or ():
        name, equals, value = item.partition("=")
        if equals:
            found[name] = value
        elif inherit and name in os.environ:
            found[name] = os.environ[name]
        else:
            raise errors.LocalError(f"{option} {item}: no value.", hint=f"Write {option} {name}=VALUE.")
    return found


def read_env_file(file: Path) -> dict[str, str]:
    """`K=V` lines. `#` begins a comment line; quotes around the whole value are taken off; nothing is expanded.

    Raises:
        LocalError: it cannot be read, or a line has no `=`.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise errors.LocalError(f"The file '{file}' cannot be read: {error}.") from None
    found: dict[str, str] = {}
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip().removeprefix("export ")
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals:
            raise errors.LocalError(f"{file}, line {number}: no '='.", hint="Write NAME=VALUE.")
        found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
