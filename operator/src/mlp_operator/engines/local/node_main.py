"""One Ray node as one process tree: `ray start --block`, without what a managed node does not need.

Run with the platform's Python: `python -m mlp_operator.engines.local.node_main NODE.json`. It drives Ray's own start
command and changes four things, each worth seconds and memory on a small machine:

* The command line of Ray imports Serve and the job and state clients, which only its other subcommands use.
* The Ray client server and the autoscaler's monitor are not started: nobody connects from outside, and the engine,
  not Ray, decides on nodes.
* The raylet does not wait for its agents. Ray makes it wait for a file in which the dashboard agent tells its port, and
  has it crash after 15 seconds, which that agent's imports alone may take on a busy machine. The port is known here,
  so the file is there from the start.
* On the head the dashboard starts beside the raylet instead of before it, so the node is ready without waiting for it.

When the node is registered, `ready` is written with what the engine needs to watch it.

NODE.json: {arguments, ready, head_ready}. A worker waits for the file `head_ready` and learns the address from it;
it has imported Ray by then, so nodes start side by side. `head_ready` is null for the head.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

HOOK = "RAY_START_HOOK"
UNUSED_COMMANDS = ("ray.serve.scripts", "ray.dashboard.modules.job.cli", "ray.util.state.state_cli")
WAIT_SECONDS = 3600.0
"""Longer than any start is waited for: who gives up on the cluster ends this process too."""
POLL_SECONDS = 0.05
DASHBOARD_NICENESS = 10


def main(path: str) -> int:
    spec = json.loads(Path(path).read_text(encoding="utf-8"))
    for name in UNUSED_COMMANDS:
        sys.modules[name] = None  # type: ignore[assignment]  # Ray skips a subcommand that it cannot import
    scripts = importlib.import_module("ray.scripts.scripts")
    node = importlib.import_module("ray._private.node")
    node.Node = _managed(node, Path(spec["ready"]))  # type: ignore[attr-defined]
    os.environ[HOOK] = f"{__name__}.{trim.__name__}"
    sys.argv = ["ray", *spec["arguments"]]
    if spec["head_ready"] is not None:
        sys.argv.append(f"--address={_address_of_head(Path(spec['head_ready']))}")
    scripts.main()
    return 0


def trim(parameters: Any, is_head: bool) -> None:
    """Ray's start hook: leave out the client server and the monitor, and let the kernel choose workers' ports.

    By default each raylet draws from one and the same range, which clashes where several share a machine.
    """
    del is_head
    # Whoever types `ray start` inside a job must not meet this hook.
    os.environ.pop(HOOK, None)
    parameters.ray_client_server_port = None
    parameters.no_monitor = True
    parameters.min_worker_port, parameters.max_worker_port = 0, None


def _managed(module: ModuleType, ready: Path) -> type[Any]:
    plain: Any = module.Node
    raylet: Any = importlib.import_module("ray._raylet")

    class ManagedNode(plain):  # pyright: ignore[reportUntypedBaseClass]  # Ray's internals have no types
        """Ray's node, which tells when it is registered and does not wait for its dashboard."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            plain.__init__(self, *arguments, **options)
            _write(
                ready,
                {
                    "node_id": self._node_id,
                    "address": self.gcs_address,
                    "logs": self.get_logs_dir_path(),
                    "raylet_pid": self.all_processes["raylet"][0].process.pid,
                },
            )

        def start_raylet(self, *arguments: Any, **options: Any) -> None:
            port = self._ray_params.dashboard_agent_listen_port
            raylet.persist_port(self._session_dir, self._node_id, raylet.DASHBOARD_AGENT_LISTEN_PORT_NAME, port)
            plain.start_raylet(self, *arguments, **options)

        def start_api_server(self, *, include_dashboard: bool | None, raise_on_failure: bool) -> None:
            del raise_on_failure

            def run() -> None:
                # On Linux this is the thread's own priority, and the dashboard inherits it: whatever starts
                # meanwhile, another node or the user's program, goes before a page that nobody has opened yet.
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), DASHBOARD_NICENESS)
                plain.start_api_server(self, include_dashboard=include_dashboard, raise_on_failure=False)
                # The kernel ends a child with the thread that forked it, so this thread stays for life.
                threading.Event().wait()

            threading.Thread(target=run, name="dashboard", daemon=True).start()

    return ManagedNode


def _address_of_head(path: Path) -> str:
    """The address, once the head is registered."""
    until = time.monotonic() + WAIT_SECONDS
    while not path.exists():
        if time.monotonic() > until:
            sys.exit(f"The head of the cluster was not ready within {WAIT_SECONDS:.0f} s.")
        time.sleep(POLL_SECONDS)
    return str(json.loads(path.read_text(encoding="utf-8"))["address"])


def _write(path: Path, content: dict[str, object]) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(content), encoding="utf-8")
    draft.rename(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
