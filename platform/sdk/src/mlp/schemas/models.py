"""Registered models of a project: versions, aliases, and what made them."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from mlp.schemas.base import Instant, ResourceRef, Wire


class ModelRead(Wire):
    name: str
    description: str
    created_at: Instant
    updated_at: Instant
    latest_version: str | None = None
    aliases: dict[str, str] = Field(default_factory=dict, description="Version by alias.")
    tags: dict[str, str] = Field(default_factory=dict)
    url: str = Field(description="Its page in MLflow.")


class ModelVersionRead(Wire):
    """One version, with what the platform knows of its making."""

    model_config = ConfigDict(ser_json_inf_nan="strings")

    name: str
    version: str
    description: str
    status: str
    aliases: list[str]
    created_at: Instant
    run: ResourceRef | None = None
    job: ResourceRef | None = Field(default=None, description="That registered it; null where it is no job of here.")
    attempt_id: str | None = None
    package: str | None = None
    environment_digest: str | None = None
    metrics: dict[str, float] = Field(default_factory=dict, description="Last values of its run.")
    parameters: dict[str, str] = Field(default_factory=dict, description="Of its run.")
    tags: dict[str, str] = Field(default_factory=dict, description="Without the platform's own.")
    url: str = Field(description="Its page in MLflow.")


class JobRun(Wire):
    """What one attempt of a job has logged in MLflow, to be compared with another's."""

    model_config = ConfigDict(ser_json_inf_nan="strings")

    attempt: int
    run: ResourceRef
    status: str
    parameters: dict[str, str]
    metrics: dict[str, float] = Field(description="Last values.")
    tags: dict[str, str] = Field(description="Without MLflow's and the platform's own.")
