"""People, projects, pools, packages, environments, events, idempotency keys, the outbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001_0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "teams",
    "users",
    "pools",
    "projects",
    "tokens",
    "members",
    "packages",
    "environments",
    "events",
    "idempotency_keys",
    "outbox",
)
"""In the order of their making: each only refers to those before it."""


def upgrade() -> None:
    _create_teams()
    _create_users()
    _create_pools()
    _create_projects()
    _create_tokens()
    _create_members()
    _create_packages()
    _create_environments()
    _create_events()
    _create_idempotency_keys()
    _create_outbox()


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)


def _create_teams() -> None:
    op.create_table(
        "teams",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("name", name=op.f("uq_teams_name")),
    )


def _create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("username", sa.String(length=100), nullable=False),
        sa.Column("issuer", sa.String(length=300), server_default="local", nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("display_name", sa.String(length=200), server_default="", nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=True),
        sa.Column("is_admin", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_users_issuer_subject")),
    )
    op.create_index("uq_users_username_lower", "users", [sa.literal_column("lower(username)")], unique=True)


def _create_pools() -> None:
    op.create_table(
        "pools",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("cpu", sa.Float(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("gpu", sa.Integer(), server_default="0", nullable=False),
        sa.Column("accelerator", sa.String(length=100), nullable=True),
        sa.Column("machines", sa.Integer(), server_default="1", nullable=False),
        sa.Column("spot", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("price_per_hour", sa.Float(), server_default="0", nullable=False),
        sa.Column(
            "labels", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("is_default", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "cpu >= 0 AND memory_bytes >= 0 AND gpu >= 0 AND machines >= 0", name=op.f("ck_pools_shape")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pools")),
        sa.UniqueConstraint("name", name=op.f("uq_pools_name")),
    )
    op.create_index(
        "uq_pools_default",
        "pools",
        [sa.literal_column("(gpu > 0)")],
        unique=True,
        postgresql_where=sa.text("is_default"),
    )


def _create_projects() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("slug", sa.String(length=40), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("team_id", sa.String(length=40), nullable=False),
        sa.Column(
            "limits", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("mlflow_ready_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_projects_team_id_teams"), ondelete="RESTRICT"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
    )
    op.create_index(
        "uq_projects_slug_live", "projects", ["slug"], unique=True, postgresql_where=sa.text("deleted_at IS NULL")
    )


def _create_tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("project_id", sa.String(length=40), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("prefix", sa.String(length=12), nullable=False),
        sa.Column("sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("octet_length(sha256) = 32", name=op.f("ck_tokens_sha256_length")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_tokens_project_id_projects"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("sha256", name=op.f("uq_tokens_sha256")),
    )
    op.create_index(op.f("ix_tokens_user_id"), "tokens", ["user_id"])


def _create_members() -> None:
    op.create_table(
        "members",
        sa.Column("project_id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("role IN ('viewer', 'editor', 'owner')", name=op.f("ck_members_role")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_members_project_id_projects"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_members_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id", "user_id", name=op.f("pk_members")),
    )
    op.create_index(op.f("ix_members_user_id"), "members", ["user_id"])


def _create_packages() -> None:
    op.create_table(
        "packages",
        sa.Column("project_id", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=71), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=True),
        sa.Column("received", postgresql.ARRAY(sa.Integer()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("files", sa.Integer(), nullable=True),
        sa.Column("uncompressed_size", sa.BigInteger(), nullable=True),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("digest ~ '^sha256:[0-9a-f]{64}$'", name=op.f("ck_packages_digest")),
        sa.CheckConstraint("size > 0", name=op.f("ck_packages_size")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_packages_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "digest", name=op.f("pk_packages")),
    )
    op.create_index("ix_packages_page", "packages", ["project_id", "created_at", "digest"])


def _create_environments() -> None:
    op.create_table(
        "environments",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("project_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=True),
        sa.Column("python", sa.String(length=10), nullable=False),
        sa.Column("requirements", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("request_digest", sa.String(length=71), nullable=False),
        sa.Column("phase", sa.String(length=20), server_default="resolving", nullable=False),
        sa.Column("reason", sa.String(length=100), server_default="Requested", nullable=False),
        sa.Column("message", sa.Text(), server_default="Waits to be resolved.", nullable=False),
        sa.Column("failure_class", sa.String(length=20), nullable=True),
        sa.Column("digest", sa.String(length=71), nullable=True),
        sa.Column("lock", sa.Text(), nullable=True),
        sa.Column("generation", sa.Integer(), server_default="1", nullable=False),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("lease_owner", sa.String(length=100), nullable=True),
        sa.Column("lease_token", sa.String(length=40), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint(
            "(phase = 'ready') = (digest IS NOT NULL AND lock IS NOT NULL)", name=op.f("ck_environments_ready_has_lock")
        ),
        sa.CheckConstraint("phase IN ('resolving', 'ready', 'failed')", name=op.f("ck_environments_phase")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_environments_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_environments")),
    )
    op.create_index("ix_environments_due", "environments", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))
    op.create_index("ix_environments_page", "environments", ["project_id", "created_at", "id"])
    op.create_index(
        "uq_environments_name",
        "environments",
        ["project_id", "name"],
        unique=True,
        postgresql_where=sa.text("name IS NOT NULL"),
    )
    op.create_index(
        "uq_environments_request",
        "environments",
        ["project_id", "request_digest"],
        unique=True,
        postgresql_where=sa.text("name IS NULL AND phase <> 'failed'"),
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column(
            "txid", sa.BigInteger(), server_default=sa.text("(pg_current_xact_id()::text)::bigint"), nullable=False
        ),
        sa.Column("project_id", sa.String(length=40), nullable=False),
        sa.Column("resource", sa.String(length=20), nullable=False),
        sa.Column("resource_id", sa.String(length=80), nullable=False),
        sa.Column("resource_name", sa.String(length=200), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=100), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column(
            "data", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_events_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("seq", name=op.f("uq_events_seq")),
    )
    op.create_index("ix_events_resource", "events", ["resource_id", "seq"])
    op.create_index("ix_events_stream", "events", ["project_id", "txid", "seq"])


def _create_idempotency_keys() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("subject", sa.String(length=60), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(length=32), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("subject", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index("ix_idempotency_keys_age", "idempotency_keys", ["created_at"])


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column(
            "payload", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("state", sa.String(length=10), server_default="pending", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("claimed_by", sa.String(length=100), nullable=True),
        sa.Column("claimed_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.CheckConstraint("(state = 'claimed') = (claimed_until IS NOT NULL)", name=op.f("ck_outbox_claim")),
        sa.CheckConstraint("state IN ('pending', 'claimed', 'done', 'dead')", name=op.f("ck_outbox_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index("ix_outbox_due", "outbox", ["due_at"], postgresql_where=sa.text("state IN ('pending', 'claimed')"))
    op.create_index(
        "uq_outbox_effect",
        "outbox",
        ["kind", "key"],
        unique=True,
        postgresql_where=sa.text("state IN ('pending', 'claimed')"),
    )
