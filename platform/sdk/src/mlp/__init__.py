"""mlp: train, tune and serve on shared machines.

    import mlp

    job = mlp.submit("python train.py", resources=mlp.Resources(groups=[mlp.Group("train", gpu=1)]))
    for line in job.logs(follow=True):
        print(line)

Everything here is loaded on first use: `import mlp` itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

from mlp.version import __version__

TYPE_CHECKING = False  # from `typing` it would cost more than all the rest of this file
if TYPE_CHECKING:
    from typing import Any

    from mlp import checkpoint, errors, runtime
    from mlp.client.aio import AsyncClient
    from mlp.client.client import Client
    from mlp.client.job import Job
    from mlp.default import jobs, remote, submit
    from mlp.shapes import Environment, Group, Head, Resources

_HOMES = {
    "AsyncClient": "mlp.client.aio",
    "Client": "mlp.client.client",
    "Environment": "mlp.shapes",
    "Group": "mlp.shapes",
    "Head": "mlp.shapes",
    "Job": "mlp.client.job",
    "Resources": "mlp.shapes",
    "jobs": "mlp.default",
    "remote": "mlp.default",
    "submit": "mlp.default",
}
_MODULES = frozenset({"checkpoint", "errors", "runtime"})

__all__ = [
    "AsyncClient",
    "Client",
    "Environment",
    "Group",
    "Head",
    "Job",
    "Resources",
    "__version__",
    "checkpoint",
    "errors",
    "jobs",
    "remote",
    "runtime",
    "submit",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"mlp.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'mlp' has no attribute '{name}'")
    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
