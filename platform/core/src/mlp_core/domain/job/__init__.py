"""A job's life. Pure: the clock and the world come in as arguments.

`decide` is total: every (phase, observation) has an answer. The reconciler runs the decision's commands, all
idempotent, and then writes the decision down under its lease.
"""

from __future__ import annotations

from mlp_core.domain.job.deciding import decide
from mlp_core.domain.job.model import (
    Attempt,
    Command,
    Decision,
    Ending,
    EnvironmentSeen,
    Job,
    NextAttempt,
    Seen,
    SharedCluster,
    StopRequest,
)
from mlp_core.domain.job.sealing import SEAL_DEADLINE
from mlp_core.domain.job.starting import PROVISION_DEADLINE

__all__ = [
    "PROVISION_DEADLINE",
    "SEAL_DEADLINE",
    "Attempt",
    "Command",
    "Decision",
    "Ending",
    "EnvironmentSeen",
    "Job",
    "NextAttempt",
    "Seen",
    "SharedCluster",
    "StopRequest",
    "decide",
]
