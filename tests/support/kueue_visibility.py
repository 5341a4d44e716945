"""Kueue's server of queue positions behind the API server, as its installation would put it there."""

from __future__ import annotations

from cluster.api import holds, wait_until
from cluster.cluster import Cluster

GROUP, VERSION = "visibility.kueue.x-k8s.io", "v1beta2"
_NAMESPACE, _NAME, _PORT = "kueue-system", "kueue-visibility-server", 8082


def serve_queue_order(cluster: Cluster) -> None:
    """Safe to repeat. Kueue runs outside the cluster, so its address is written by hand."""
    metadata = {"name": _NAME, "namespace": _NAMESPACE}
    ports = [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": _PORT}]
    cluster.api.apply(
        {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": ports}},
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {**metadata, "labels": {"kubernetes.io/service-name": _NAME}},
            "addressType": "IPv4",
            "ports": [{"name": "https", "protocol": "TCP", "port": _PORT}],
            "endpoints": [{"addresses": [cluster.network.node()], "conditions": {"ready": True}}],
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": f"{VERSION}.{GROUP}"},
            "spec": {
                "group": GROUP,
                "version": VERSION,
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
                "insecureSkipTLSVerify": True,
                "service": {"name": _NAME, "namespace": _NAMESPACE, "port": 443},
            },
        },
    )
    where = f"/apis/apiregistration.k8s.io/v1/apiservices/{VERSION}.{GROUP}"
    wait_until(lambda: holds(cluster.api.get_path(where), "Available"), "queue positions are served", 60)
