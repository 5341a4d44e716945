"""A supervisor over the real Postgres and Valkey of the standalone platform, and nothing else."""

from __future__ import annotations

import sys

from mlp_standalone import plan, supervisor
from mlp_standalone.layout import Layout

WANTED = ("postgres", "valkey", "databases")


def make(layout: Layout) -> plan.Plan:
    whole = plan.make(layout)
    return plan.Plan(
        whole.url,
        [service for service in whole.services if service.name in WANTED],
        [step for step in whole.steps if step.name in WANTED],
    )


if __name__ == "__main__":
    sys.exit(supervisor.main(make_plan=make))
