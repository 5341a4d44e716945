"""Orders of jobs: an index for each column that a list can be sorted by."""

from __future__ import annotations

from alembic import op

revision = "0009_0001"
down_revision = "0008_0001"
branch_labels = None
depends_on = None

INDEXES = {
    "ix_jobs_ended": ["project_id", "ended_at", "id"],
    "ix_jobs_started": ["project_id", "started_at", "id"],
    "ix_jobs_kind": ["project_id", "kind", "created_at", "id"],
    "ix_jobs_created_by": ["project_id", "created_by", "created_at", "id"],
}


def upgrade() -> None:
    for name, columns in INDEXES.items():
        op.create_index(name, "jobs", columns)


def downgrade() -> None:
    for name in reversed(INDEXES):
        op.drop_index(name, "jobs")
