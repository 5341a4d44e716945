"""Removes every cluster of a data folder: `python -m mlp_operator.engines.local.sweep --data DIR`.

For those who take the platform down with its clusters, after its operator has ended.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from mlp_operator.engines.local.clusters import Clusters
from mlp_operator.engines.local.removal import remove_cluster
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.local.state import Layout
from mlp_operator.engines.port import EngineError


async def sweep(data_dir: Path) -> list[str]:
    """Remove all clusters; answers a sentence for each that does not go."""
    layout = Layout(data_dir)
    clusters = Clusters(LocalSettings(data_dir=data_dir, api_url=""), layout)
    names = sorted(clusters.names())
    ended = await asyncio.gather(*(remove_cluster(clusters, name) for name in names), return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, BaseException) and not isinstance(outcome, EngineError | OSError):
            raise outcome
    return [str(outcome) for outcome in ended if outcome is not None]


def main() -> int:
    parser = argparse.ArgumentParser(description=sweep.__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the platform's data folder")
    complaints = asyncio.run(sweep(parser.parse_args().data))
    sys.stderr.writelines(f"{complaint}\n" for complaint in complaints)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
