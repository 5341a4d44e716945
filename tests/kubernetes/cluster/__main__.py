"""The test cluster by hand: `python -m cluster up`, from the folder tests/kubernetes."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import time

from cluster.build import CannotBuild, built
from cluster.cluster import Cluster, running_cluster, sweep
from cluster.components import ALL, TESTED
from cluster.nodes import cpu_nodes, gpu_nodes
from cluster.processes import NotReady
from cluster.real_nodes import default_real_nodes
from cluster.requirements import missing_requirements


def main() -> int:
    parser = argparse.ArgumentParser(prog="cluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="run a cluster until Ctrl-C")
    up.add_argument("--cpu-nodes", type=int, default=4, help="simulated nodes with 16 CPUs")
    up.add_argument("--gpu-nodes", type=int, default=2, help="simulated nodes with 4 GPUs")
    up.add_argument("--real", action="store_true", help="two true nodes in place of simulated ones")
    build = commands.add_parser("build", help="compile what is not in the cache; all that tests need, if not named")
    build.add_argument("groups", nargs="*", choices=[group.name for group in ALL], default=[g.name for g in TESTED])
    commands.add_parser("sweep", help="take down clusters whose owner is gone")
    options = parser.parse_args()
    try:
        match options.command:
            case "up":
                return _up(options.cpu_nodes, options.gpu_nodes, options.real)
            case "build":
                for name, folder in built([group for group in ALL if group.name in options.groups], _say).items():
                    print(f"{name}: {folder}")
            case _:
                sweep()
    except (CannotBuild, NotReady) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _up(cpus: int, gpus: int, real: bool) -> int:
    if missing := missing_requirements(real):
        print("\n".join(missing), file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    simulated = [] if real else [*cpu_nodes(cpus), *gpu_nodes(gpus)]
    with (
        contextlib.suppress(KeyboardInterrupt),
        running_cluster(_say, simulated, default_real_nodes() if real else ()) as cluster,
    ):
        print(_how_to_use(cluster), flush=True)
        signal.pause()
    return 0


def _how_to_use(cluster: Cluster) -> str:
    network = cluster.network
    return f"""
The cluster is up, on this machine alone.

  export KUBECONFIG={cluster.kubeconfig}
  export MLP_TEST_CLUSTER={network.number}        # lets tests use this one
  nsenter --net=/run/netns/{network.namespace} ip address   # a command inside its network

API server  {cluster.plane.url}
this machine, as pods see it: {network.machine}
logs        {cluster.programs.folder}/*.log

Ctrl-C takes it down."""


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
