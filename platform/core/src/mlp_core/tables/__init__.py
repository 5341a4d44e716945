"""Every table of the platform. Alembic reads `Base.metadata` from here."""

from mlp_core.tables.base import Base
from mlp_core.tables.dashboards import DashboardRow
from mlp_core.tables.delivery import IdempotencyRow, OutboxRow
from mlp_core.tables.history import ArtifactRow, EventRow, LogSegmentRow, LogSourceRow, SampleRow
from mlp_core.tables.jobs import AttemptRow, ClusterRow, JobRow
from mlp_core.tables.packages import EnvironmentRow, PackageRow
from mlp_core.tables.people import MemberRow, ProjectRow, SignInLinkRow, TeamRow, TokenRow, UserRow
from mlp_core.tables.pools import PoolRow

__all__ = [
    "ArtifactRow",
    "AttemptRow",
    "Base",
    "ClusterRow",
    "DashboardRow",
    "EnvironmentRow",
    "EventRow",
    "IdempotencyRow",
    "JobRow",
    "LogSegmentRow",
    "LogSourceRow",
    "MemberRow",
    "OutboxRow",
    "PackageRow",
    "PoolRow",
    "ProjectRow",
    "SampleRow",
    "SignInLinkRow",
    "TeamRow",
    "TokenRow",
    "UserRow",
]
