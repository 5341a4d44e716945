"""What the Kubernetes engine needs to know about its cluster. Read once, at the edge."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class KubernetesSettings(BaseSettings):
    """Variables start with `MLP_KUBERNETES_`."""

    model_config = SettingsConfigDict(env_prefix="MLP_KUBERNETES_", frozen=True, extra="ignore")

    kubeconfig: Path | None = Field(default=None, description="Absent: the pod's own service account.")
    runtime_image: str = Field(description="Image of every tenant pod: Ray, MLflow and `mlp.runtime`.")
    image_pull_policy: Literal["IfNotPresent", "Always", "Never"] = "IfNotPresent"
    image_pull_secret: str | None = None
    ray_version: str = "2.60.0"
    """Of the image; KubeRay chooses its probes and checks token authentication by it."""
    platform_namespace: str = "mlp-system"
    api_port: int = 8080
    kuberay_namespace: str = "kuberay-system"
    dns_namespace: str = "kube-system"
    egress_cidrs: tuple[str, ...] = ()
    """Where jobs may connect to besides the platform, such as an object store or a package index."""
    environment: dict[str, str] = Field(default_factory=dict[str, str])
    """Of every container of Ray pods: proxies, certificate files, a package index, as a network wants them."""
    checkpoint_claim: str | None = None
    """A volume claim that each project's namespace has, writable from all nodes at once: checkpoints are kept there
    from one attempt to the next. Absent: they stay in the pod that writes them, and go with it."""
    request_seconds: float = 15.0
    """Deadline of one request, its repetitions included."""
    resync_seconds: float = 300.0
    """How often everything watched is listed anew, whatever the watches say."""
    stale_seconds: float = 30.0
    """How long what was watched is believed after the API server was last heard."""
    tenancy_seconds: float = 5.0
    """How often the objects of projects and pools are compared with what they should be."""
