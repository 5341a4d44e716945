"""Sign-ins: which tokens were made by signing in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004_0001"
down_revision = "0003_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tokens", sa.Column("is_sign_in", sa.Boolean(), server_default="false", nullable=False))


def downgrade() -> None:
    op.drop_column("tokens", "is_sign_in")
