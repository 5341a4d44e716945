"""A short-lived operator for tests: asks a local engine for one work until it is started, and may be killed any time.

`python operator_run.py SETTINGS.json SPEC.json`
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pydantic import TypeAdapter

from mlp_operator.engines.local.engine import LocalEngine
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.port import EngineError, WorkSpec


class Folder:
    """Packages in a folder, by digest."""

    async def fetch(self, digest: str, into: Path) -> None:
        raise EngineError(f"No package was expected, yet {digest} is asked for.")


async def main(engine: LocalEngine, work: WorkSpec) -> None:
    print("ready", flush=True)
    while True:
        await engine.ensure_work(work)
        observed = await engine.observe_work(work.name, work.cluster)
        if observed is not None and observed.started_at is not None:
            return
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    given = TypeAdapter(LocalSettings).validate_json(Path(sys.argv[1]).read_bytes())
    wanted = TypeAdapter(WorkSpec).validate_json(Path(sys.argv[2]).read_bytes())
    asyncio.run(main(LocalEngine(given, Folder()), wanted))
