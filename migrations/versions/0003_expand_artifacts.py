"""Artifacts: the files that attempts leave."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003_0001"
down_revision = "0002_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "artifacts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("attempt_id", sa.String(length=40), nullable=False),
        sa.Column("path", sa.Text(collation="C"), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("parts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("object_key", sa.String(length=300), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("octet_length(path) BETWEEN 1 AND 1024", name=op.f("ck_artifacts_path")),
        sa.CheckConstraint(
            "size >= 0 AND parts >= 0 AND (parts - 1) * 8388608::bigint < size", name=op.f("ck_artifacts_extent")
        ),
        sa.CheckConstraint(
            "(completed_at IS NULL) = (sha256 IS NULL) AND (completed_at IS NULL OR parts * 8388608::bigint >= size)",
            name=op.f("ck_artifacts_complete_is_whole"),
        ),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_artifacts_attempt_id_attempts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
        sa.UniqueConstraint("attempt_id", "path", name=op.f("uq_artifacts_attempt_id_path")),
    )


def downgrade() -> None:
    op.drop_table("artifacts")
