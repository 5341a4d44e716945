"""Sessions of browsers: by which token one was begun, and links that begin one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006_0001"
down_revision = "0005_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tokens", sa.Column("parent_id", sa.String(length=40), nullable=True))
    op.create_foreign_key(
        op.f("fk_tokens_parent_id_tokens"), "tokens", "tokens", ["parent_id"], ["id"], ondelete="CASCADE"
    )
    op.create_index(op.f("ix_tokens_parent_id"), "tokens", ["parent_id"])
    op.create_table(
        "sign_in_links",
        sa.Column("sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("token_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("octet_length(sha256) = 32", name=op.f("ck_sign_in_links_sha256_length")),
        sa.ForeignKeyConstraint(
            ["token_id"], ["tokens.id"], name=op.f("fk_sign_in_links_token_id_tokens"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_sign_in_links")),
    )
    op.create_index(op.f("ix_sign_in_links_token_id"), "sign_in_links", ["token_id"])


def downgrade() -> None:
    op.drop_table("sign_in_links")
    op.drop_column("tokens", "parent_id")
