"""A real Kubernetes control plane with KubeRay and Kueue, built from Go modules; no Docker, no registry."""
