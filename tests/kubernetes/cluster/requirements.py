"""What a machine must have to run the cluster, said in words where it has not."""

from __future__ import annotations

import os
import shutil
import sys

_PROGRAMS = {
    "go": "Go 1.26 or newer",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "sysctl": "procps",
    "chroot": "coreutils",
    "curl": "curl",
}
_PROGRAMS_OF_TRUE_NODES = {
    "/usr/sbin/runc": "runc",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "nft": "nftables",
    "mmdebstrap": "mmdebstrap",
}


def missing_requirements(true_nodes: bool = False) -> list[str]:
    """One sentence for each thing that is missing; empty where the cluster can run."""
    if not sys.platform.startswith("linux"):
        return ["The test cluster needs Linux: it runs the real kubelet and the real control plane."]
    wanted = _PROGRAMS | (_PROGRAMS_OF_TRUE_NODES if true_nodes else {})
    missing = [
        f"The test cluster needs {package} ({program})."
        for program, package in wanted.items()
        if not shutil.which(program)
    ]
    if os.geteuid() != 0:
        missing.append("The test cluster needs root: it makes a network namespace.")
    return missing
