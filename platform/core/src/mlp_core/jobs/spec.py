"""From what a person asked for to the normalised spec that is stored. Pure."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath

from mlp.schemas.jobs import JobCreate
from mlp.schemas.resources import Resources
from mlp_core.domain.admission import with_pools
from mlp_core.domain.errors import Invalid
from mlp_core.domain.packing import PoolShape

_SCRIPT = re.compile(r"[^\s;&|<>()'\"`$]+\.(?:py|sh|ipynb|R|jl)\b")
_NAME_LENGTH = 60


def normalise(wanted: JobCreate, pools: tuple[PoolShape, ...], cluster_id: str | None) -> JobCreate:
    """The spec with its name, default pools and the cluster's id filled in.

    Raises:
        CanNeverFit: a pool does not exist, or there is no default one for what is asked.
        Invalid: fields that exclude each other.
    """
    if wanted.cluster is not None and wanted.resources != Resources():
        raise Invalid(
            "A job on a cluster that is already there uses that cluster's nodes, so it takes no resources of its own.",
            hint="Leave out `resources`, or leave out `cluster`.",
            fields={"resources": "excludes `cluster`"},
        )
    environment = wanted.environment
    if environment.name is not None and environment.requirements:
        raise Invalid(
            f"The environment '{environment.name}' has its own requirements.",
            hint="Name an environment or list requirements, not both.",
            fields={"environment.requirements": "excludes `environment.name`"},
        )
    return wanted.model_copy(
        update={
            "name": wanted.name or name_from(wanted.entrypoint),
            "resources": wanted.resources if cluster_id else with_pools(wanted.resources, pools),
            "cluster": cluster_id,
        }
    )


def name_from(entrypoint: str | list[str]) -> str:
    """A name for people: the first script's stem, else the program: `python -u jobs/train.py --lr 1` → `train`."""
    words = entrypoint if isinstance(entrypoint, list) else entrypoint.split()
    for word in words:
        script = _SCRIPT.fullmatch(word) if isinstance(entrypoint, list) else _SCRIPT.search(word)
        if script:
            return _short(PurePosixPath(script[0]).stem)
    module = _module_of(words)
    return _short(module or PurePosixPath(words[0]).name)


def command_text(entrypoint: str | list[str]) -> str:
    """Exactly what will run: the script as it is, or the argument vector quoted for a shell."""
    return entrypoint if isinstance(entrypoint, str) else shlex.join(entrypoint)


def _module_of(words: list[str]) -> str | None:
    """`python -m package.module` is named after the module."""
    if len(words) > 2 and words[1] == "-m" and PurePosixPath(words[0]).name.startswith("python"):
        return words[2].rpartition(".")[2]
    return None


def _short(name: str) -> str:
    return "".join(char for char in name if char.isprintable())[:_NAME_LENGTH].strip() or "job"
