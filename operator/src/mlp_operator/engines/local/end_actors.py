"""Ends detached actors for good. Run with the platform's Python: `... -m end_actors HEAD_READY '[[namespace, name]]'`.

Killing their processes would not do: Ray may be told to start such an actor anew, and no HTTP route ends one.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any


def main(head_ready: str, names: str) -> None:
    ray: Any = importlib.import_module("ray")
    address = json.loads(Path(head_ready).read_text(encoding="utf-8"))["address"]
    ray.init(address=address, log_to_driver=False)
    for namespace, name in json.loads(names):
        try:
            actor = ray.get_actor(name, namespace=namespace)
        except ValueError:
            continue  # it ended meanwhile
        ray.kill(actor, no_restart=True)
    ray.shutdown()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
