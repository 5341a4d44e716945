"""Short names for the shapes people write in code: `mlp.Group("train", gpu=1, memory="16Gi")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlp.schemas.jobs import EnvironmentSpec
from mlp.schemas.resources import Head as HeadSpec
from mlp.schemas.resources import Resources as ResourcesSpec
from mlp.schemas.resources import WorkerGroup


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def Group(  # noqa: N802 - reads as the class it makes
    name: str,
    *,
    pool: str | None = None,
    replicas: int | str | None = None,
    cpu: float | str | None = None,
    memory: int | str | None = None,
    gpu: float | None = None,
    labels: Mapping[str, str] | None = None,
) -> WorkerGroup:
    """A worker group: `replicas` equal Ray nodes of one pool. Memory as `"16Gi"` or bytes, cpu in cores."""
    return WorkerGroup.model_validate(
        _given(
            name=name,
            pool=pool,
            replicas=replicas,
            cpu=cpu,
            memory=memory,
            gpu=gpu,
            labels=dict(labels) if labels else None,
        )
    )


def Head(  # noqa: N802
    *, cpu: float | str | None = None, memory: int | str | None = None, pool: str | None = None
) -> HeadSpec:
    """The head node, where the driver runs."""
    return HeadSpec.model_validate(_given(cpu=cpu, memory=memory, pool=pool))


def Resources(  # noqa: N802
    *, head: HeadSpec | None = None, groups: Sequence[WorkerGroup] = ()
) -> ResourcesSpec:
    """A head and worker groups, CPU and GPU mixed as needed."""
    return ResourcesSpec.model_validate(_given(head=head, groups=list(groups) or None))


def Environment(  # noqa: N802
    *,
    name: str | None = None,
    python: str | None = None,
    requirements: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> EnvironmentSpec:
    """What the code needs: packages by requirement, or a named environment of the project, and variables."""
    return EnvironmentSpec.model_validate(
        _given(
            name=name,
            python=python,
            requirements=list(requirements) or None,
            variables=dict(variables) if variables else None,
        )
    )
