"""A succeeded job's model becomes a version in the registry, linked to what made it."""

from __future__ import annotations

from dataclasses import dataclass

from mlp.schemas.jobs import RegisteredModel
from mlp_core.gateways.mlflow import Mlflow


@dataclass(frozen=True, slots=True)
class ModelRegistration:
    """Which artifact of which run to register, and where it came from."""

    project_id: str
    slug: str
    name: str
    artifact: str
    """Name of a logged model, or a path below the run's artifacts."""
    run_id: str
    job_id: str
    job_name: str
    job_url: str
    attempt_id: str
    package_digest: str | None
    environment_digest: str | None


async def register_job_model(mlflow: Mlflow, wanted: ModelRegistration) -> RegisteredModel:
    """Register once per run and name; a repetition answers with the same version.

    Raises:
        NotFound: the run holds no model of that name.
        Invalid: MLflow does not take the name.
        Unavailable: MLflow does not answer.
    """
    tags = {
        "mlp.job": wanted.job_id,
        "mlp.job_name": wanted.job_name,
        "mlp.attempt": wanted.attempt_id,
        "mlp.url": wanted.job_url,
        "mlp.package": wanted.package_digest,
        "mlp.environment_digest": wanted.environment_digest,
    }
    made = await mlflow.models.register(
        wanted.project_id,
        name=wanted.name,
        run_id=wanted.run_id,
        artifact=wanted.artifact,
        tags={key: value for key, value in tags.items() if value},
        description=f"Registered by job {wanted.job_name}: {wanted.job_url}",
    )
    url = mlflow.links.model_version(wanted.slug, made.name, made.version)
    return RegisteredModel(name=made.name, version=made.version, url=url)
