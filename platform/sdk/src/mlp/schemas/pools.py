"""Pools: kinds of machine an admin offers."""

from __future__ import annotations

from pydantic import Field, model_validator

from mlp.schemas.base import Cpu, Instant, Intent, Memory, NodeLabelKey, NodeLabelValue, Slug, Text, Wire


class PoolSpec(Intent):
    """Shape of one machine of the pool and how many there are."""

    description: Text = Field(default="", max_length=500)
    cpu: Cpu = Field(description="Cores of one machine.")
    memory: Memory = Field(description="Memory of one machine.")
    gpu: int = Field(default=0, ge=0, le=64, description="Accelerators of one machine.")
    accelerator: Text | None = Field(
        default=None, max_length=100, description="Such as `nvidia-h100`; `logical` = counted only."
    )
    machines: int = Field(default=1, ge=0, le=100_000)
    spot: bool = False
    price_per_hour: float = Field(
        default=0.0, ge=0, le=1_000_000, description="Of one whole machine, in the platform's currency."
    )
    labels: dict[NodeLabelKey, NodeLabelValue] = Field(
        default_factory=dict, max_length=20, description="Labels of its nodes on Kubernetes."
    )


class PoolCreate(PoolSpec):
    name: Slug
    is_default: bool = Field(
        default=False, description="Used where a job names no pool: one default with GPUs, one without."
    )


class PoolPatch(Intent):
    description: Text | None = Field(default=None, max_length=500)
    cpu: Cpu | None = None
    memory: Memory | None = None
    gpu: int | None = Field(default=None, ge=0, le=64)
    accelerator: Text | None = Field(default=None, max_length=100)
    machines: int | None = Field(default=None, ge=0, le=100_000)
    spot: bool | None = None
    price_per_hour: float | None = Field(default=None, ge=0, le=1_000_000)
    is_default: bool | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> PoolPatch:
        if not self.model_fields_set:
            raise ValueError("give at least one field to change")
        return self


class PoolUse(Wire):
    cpu: float = 0
    memory_bytes: int = 0
    gpu: float = 0


class PoolRead(Wire):
    id: str
    name: str
    description: str
    cpu: Cpu
    memory: Memory
    gpu: int
    accelerator: str | None
    machines: int
    spot: bool
    price_per_hour: float
    labels: dict[str, str]
    is_default: bool
    in_use: PoolUse
    created_at: Instant
    etag: str
