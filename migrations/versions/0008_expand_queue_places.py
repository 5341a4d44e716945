"""Queue places: how many-th a waiting job or cluster is, and in the queue of which pool."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008_0001"
down_revision = "0007_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("jobs", "clusters"):
        op.add_column(table, sa.Column("queue_pool", sa.String(length=40), nullable=True))
        op.add_column(table, sa.Column("queue_position", sa.Integer(), nullable=True))


def downgrade() -> None:
    for table in ("clusters", "jobs"):
        op.drop_column(table, "queue_position")
        op.drop_column(table, "queue_pool")
