"""The compute engine of a Kubernetes cluster: KubeRay keeps Ray clusters alive, Kueue decides which may start."""
