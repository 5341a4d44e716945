"""What a cluster is made of: a head and worker groups, each a number of equal Ray nodes of one pool."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from mlp.schemas.base import Cpu, Intent, Memory, Slug, parse_replicas

GIB = 2**30


class ReplicaRange(Intent):
    """Nodes of a group: `min` are started, and may grow to `max` where the engine autoscales."""

    min: int = Field(default=1, ge=0, le=1000)
    max: int = Field(default=1, ge=1, le=1000)

    @model_validator(mode="after")
    def _ordered(self) -> ReplicaRange:
        if self.min > self.max:
            raise ValueError(f"the lower end {self.min} is above the upper end {self.max}")
        return self


def _replicas_text(value: ReplicaRange) -> str:
    return str(value.min) if value.min == value.max else f"{value.min}..{value.max}"


Replicas = Annotated[
    ReplicaRange,
    BeforeValidator(parse_replicas),
    PlainSerializer(_replicas_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]+(\.\.[0-9]+)?$", "examples": ["2", "1..4"]}),
]
Gpu = Annotated[float, Field(ge=0, le=64, description="Accelerators per node: whole, or one fraction below 1.")]


class Head(Intent):
    """The head node; the driver runs here."""

    cpu: Cpu = 1.0
    memory: Memory = 2 * GIB
    pool: Slug | None = Field(default=None, description="Pool of the head; the platform's default CPU pool if absent.")


class WorkerGroup(Intent):
    """`replicas` equal Ray nodes of one pool."""

    name: Slug
    pool: Slug | None = Field(
        default=None, description="Pool; the default GPU pool if `gpu` is asked for, else the CPU one."
    )
    replicas: Replicas = ReplicaRange(min=1, max=1)
    cpu: Cpu = 1.0
    memory: Memory = 2 * GIB
    gpu: Gpu = 0.0
    labels: dict[Slug, Slug] = Field(default_factory=dict, max_length=20)

    @model_validator(mode="after")
    def _gpu_is_whole_or_a_fraction(self) -> WorkerGroup:
        if self.gpu > 1 and self.gpu != int(self.gpu):
            raise ValueError(
                f"group '{self.name}': gpu {self.gpu:g} is neither whole nor a fraction below 1; "
                f"ask for {int(self.gpu)}, {int(self.gpu) + 1} or a fraction such as 0.5"
            )
        return self


class Resources(Intent):
    """The shape of one Ray cluster."""

    head: Head = Head()
    groups: list[WorkerGroup] = Field(default_factory=list[WorkerGroup], max_length=32)

    @model_validator(mode="after")
    def _names_differ(self) -> Resources:
        names = [group.name for group in self.groups]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"worker group '{twice[0]}' is named twice")
        if "head" in names:
            raise ValueError("a worker group cannot be called 'head'")
        return self
