"""Dashboards: where the heads of live Ray clusters answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010_0001"
down_revision = "0009_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dashboards",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("attempt_id", sa.String(length=40), nullable=True),
        sa.Column("cluster_id", sa.String(length=40), nullable=True),
        sa.Column("url", sa.String(length=300), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("(attempt_id IS NULL) <> (cluster_id IS NULL)", name=op.f("ck_dashboards_of_one")),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_dashboards_attempt_id_attempts"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["cluster_id"], ["clusters.id"], name=op.f("fk_dashboards_cluster_id_clusters"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dashboards")),
    )
    op.create_index(op.f("ix_dashboards_attempt_id"), "dashboards", ["attempt_id"])
    op.create_index(op.f("ix_dashboards_cluster_id"), "dashboards", ["cluster_id"])


def downgrade() -> None:
    op.drop_table("dashboards")
