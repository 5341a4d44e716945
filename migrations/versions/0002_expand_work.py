"""Clusters, jobs, attempts, and what is kept of them: logs and samples."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002_0001"
down_revision = "0001_0001"
branch_labels = None
depends_on = None

TABLES = (
    "clusters",
    "jobs",
    "attempts",
    "log_sources",
    "log_segments",
    "samples",
)
"""In the order of their making: each only refers to those before it."""


def upgrade() -> None:
    _create_clusters()
    _create_jobs()
    _create_attempts()
    _create_log_sources()
    _create_log_segments()
    _create_samples()


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)


def _create_clusters() -> None:
    op.create_table(
        "clusters",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("project_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("spec", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("generation", sa.Integer(), server_default="1", nullable=False),
        sa.Column("stop_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stop_requested_by", sa.String(length=100), nullable=True),
        sa.Column("phase", sa.String(length=20), server_default="queued", nullable=False),
        sa.Column("reason", sa.String(length=100), server_default="Requested", nullable=False),
        sa.Column("message", sa.Text(), server_default="Waits to be looked at.", nullable=False),
        sa.Column("phase_since", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("observed_generation", sa.Integer(), server_default="0", nullable=False),
        sa.Column("nodes_ready", sa.Integer(), server_default="0", nullable=False),
        sa.Column("nodes_wanted", sa.Integer(), server_default="1", nullable=False),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("admitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ready_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_owner", sa.String(length=100), nullable=True),
        sa.Column("lease_token", sa.String(length=40), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint(
            "(phase IN ('stopped', 'failed')) = (ended_at IS NOT NULL)", name=op.f("ck_clusters_terminal_has_end")
        ),
        sa.CheckConstraint(
            "phase IN ('queued', 'provisioning', 'ready', 'stopping', 'stopped', 'failed')",
            name=op.f("ck_clusters_phase"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_clusters_project_id_projects"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clusters")),
    )
    op.create_index("ix_clusters_due", "clusters", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))
    op.create_index("ix_clusters_page", "clusters", ["project_id", "created_at", "id"])
    op.create_index(
        "uq_clusters_name_live",
        "clusters",
        ["project_id", "name"],
        unique=True,
        postgresql_where=sa.text("ended_at IS NULL"),
    )


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("project_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("spec", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("priority", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("package_digest", sa.String(length=71), nullable=True),
        sa.Column("environment_id", sa.String(length=40), nullable=True),
        sa.Column("cluster_id", sa.String(length=40), nullable=True),
        sa.Column("generation", sa.Integer(), server_default="1", nullable=False),
        sa.Column("stop_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stop_requested_by", sa.String(length=100), nullable=True),
        sa.Column("stop_grace_seconds", sa.Float(), nullable=True),
        sa.Column("phase", sa.String(length=20), server_default="queued", nullable=False),
        sa.Column("reason", sa.String(length=100), server_default="Submitted", nullable=False),
        sa.Column("message", sa.Text(), server_default="Waits to be looked at.", nullable=False),
        sa.Column("phase_since", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("observed_generation", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempt_number", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failures_used", sa.Integer(), server_default="0", nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_memory_factor", sa.Float(), server_default="1", nullable=False),
        sa.Column("failure", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("signal", sa.Integer(), nullable=True),
        sa.Column("parent_run_id", sa.String(length=40), nullable=True),
        sa.Column("model", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("result_key", sa.String(length=300), nullable=True),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.Column("created_by_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("admitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_owner", sa.String(length=100), nullable=True),
        sa.Column("lease_token", sa.String(length=40), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint("(phase = 'failed') = (failure IS NOT NULL)", name=op.f("ck_jobs_failed_has_failure")),
        sa.CheckConstraint(
            "(phase IN ('succeeded', 'failed', 'cancelled')) = (ended_at IS NOT NULL)",
            name=op.f("ck_jobs_terminal_has_end"),
        ),
        sa.CheckConstraint("kind IN ('script', 'train')", name=op.f("ck_jobs_kind")),
        sa.CheckConstraint(
            "phase IN ('queued', 'admitted', 'provisioning', 'running', 'sealing', 'succeeded', 'failed', 'cancelled')",
            name=op.f("ck_jobs_phase"),
        ),
        sa.ForeignKeyConstraint(
            ["cluster_id"], ["clusters.id"], name=op.f("fk_jobs_cluster_id_clusters"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["environment_id"],
            ["environments.id"],
            name=op.f("fk_jobs_environment_id_environments"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "package_digest"],
            ["packages.project_id", "packages.digest"],
            name=op.f("fk_jobs_project_id_package_digest_packages"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_jobs_project_id_projects"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index("ix_jobs_cluster", "jobs", ["cluster_id"], postgresql_where=sa.text("cluster_id IS NOT NULL"))
    op.create_index("ix_jobs_due", "jobs", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))
    op.create_index("ix_jobs_environment", "jobs", ["environment_id"])
    op.create_index("ix_jobs_live", "jobs", ["phase"], postgresql_where=sa.text("ended_at IS NULL"))
    op.create_index("ix_jobs_name", "jobs", ["project_id", "name", "id"])
    op.create_index("ix_jobs_package", "jobs", ["project_id", "package_digest"])
    op.create_index("ix_jobs_page", "jobs", ["project_id", "created_at", "id"])
    op.create_index("ix_jobs_phase", "jobs", ["project_id", "phase", "created_at", "id"])


def _create_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("job_id", sa.String(length=40), nullable=False),
        sa.Column("project_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=100), server_default="", nullable=False),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=True),
        sa.Column("failure", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("signal", sa.Integer(), nullable=True),
        sa.Column("memory_factor", sa.Float(), server_default="1", nullable=False),
        sa.Column("environment_digest", sa.String(length=71), nullable=True),
        sa.Column("run_id", sa.String(length=40), nullable=True),
        sa.Column("metrics_next_byte", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("phase_since", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "outcome IS NULL OR outcome IN ('succeeded', 'failed', 'cancelled', 'preempted')",
            name=op.f("ck_attempts_outcome"),
        ),
        sa.CheckConstraint(
            "phase IN ('queued', 'admitted', 'provisioning', 'running', 'sealing', 'succeeded', 'failed', 'cancelled')",
            name=op.f("ck_attempts_phase"),
        ),
        sa.CheckConstraint("ended_at IS NULL OR outcome IS NOT NULL", name=op.f("ck_attempts_ended_has_outcome")),
        sa.CheckConstraint("number >= 1", name=op.f("ck_attempts_number")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_attempts_job_id_jobs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_attempts_project_id_projects"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
        sa.UniqueConstraint("job_id", "number", name=op.f("uq_attempts_job_id_number")),
    )
    op.create_index(
        "uq_attempts_live", "attempts", ["job_id"], unique=True, postgresql_where=sa.text("ended_at IS NULL")
    )


def _create_log_sources() -> None:
    op.create_table(
        "log_sources",
        sa.Column("attempt_id", sa.String(length=40), nullable=False),
        sa.Column("source", sa.String(length=180), nullable=False),
        sa.Column("next_byte", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("next_line", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("segments", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_log_sources_attempt_id_attempts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt_id", "source", name=op.f("pk_log_sources")),
    )


def _create_log_segments() -> None:
    op.create_table(
        "log_segments",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("attempt_id", sa.String(length=40), nullable=False),
        sa.Column("source", sa.String(length=180), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("start_byte", sa.BigInteger(), nullable=False),
        sa.Column("end_byte", sa.BigInteger(), nullable=False),
        sa.Column("start_line", sa.BigInteger(), nullable=False),
        sa.Column("end_line", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("times", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("object_key", sa.String(length=300), nullable=False),
        sa.CheckConstraint("end_byte > start_byte AND end_line >= start_line", name=op.f("ck_log_segments_extent")),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_log_segments_attempt_id_attempts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_segments")),
        sa.UniqueConstraint("attempt_id", "source", "number", name=op.f("uq_log_segments_attempt_id_source_number")),
        sa.UniqueConstraint(
            "attempt_id", "source", "start_byte", name=op.f("uq_log_segments_attempt_id_source_start_byte")
        ),
    )
    op.create_index("ix_log_segments_time", "log_segments", ["attempt_id", "first_at", "id"])


def _create_samples() -> None:
    op.create_table(
        "samples",
        sa.Column("attempt_id", sa.String(length=40), nullable=False),
        sa.Column("node", sa.String(length=64), nullable=False),
        sa.Column("resolution", sa.Integer(), server_default="0", nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cpu_cores", sa.Float(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("memory_limit_bytes", sa.BigInteger(), nullable=True),
        sa.Column("gpu_utilisation", sa.Float(), nullable=True),
        sa.Column("gpu_memory_bytes", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_samples_attempt_id_attempts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt_id", "node", "resolution", "at", name=op.f("pk_samples")),
    )
    op.create_index("ix_samples_rollup", "samples", ["resolution", "at"])
