"""Jobs, their attempts, and named clusters."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from mlp.schemas.phases import AttemptOutcome, ClusterPhase, JobKind, JobPhase
from mlp_core.tables.base import Base, Created, Id, Json, Leased, one_of

_JOB_PHASES = [phase.value for phase in JobPhase]
_TERMINAL = "phase IN ('succeeded', 'failed', 'cancelled')"


class JobRow(Leased, Base):
    """What is wanted of a job (`spec`, stop request) and what was last seen of it."""

    __tablename__ = "jobs"

    id: Mapped[Id]
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="RESTRICT"))
    name: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(20))
    spec: Mapped[Json]
    """A normalised `JobCreate`, pools filled in."""
    priority: Mapped[int] = mapped_column(SmallInteger, server_default="1")
    package_digest: Mapped[str | None] = mapped_column(String(71))
    environment_id: Mapped[str | None] = mapped_column(ForeignKey("environments.id", ondelete="RESTRICT"))
    cluster_id: Mapped[str | None] = mapped_column(ForeignKey("clusters.id", ondelete="RESTRICT"))
    generation: Mapped[int] = mapped_column(Integer, server_default="1")
    """Counts changes of intent: a reconcile that decided on an older one writes nothing."""

    stop_requested_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    stop_requested_by: Mapped[str | None] = mapped_column(String(100))
    stop_grace_seconds: Mapped[float | None] = mapped_column(Float)

    phase: Mapped[str] = mapped_column(String(20), server_default=JobPhase.QUEUED.value)
    reason: Mapped[str] = mapped_column(String(100), server_default="Submitted")
    message: Mapped[str] = mapped_column(Text, server_default="Waits to be looked at.")
    phase_since: Mapped[Created]
    observed_generation: Mapped[int] = mapped_column(Integer, server_default="0")
    attempt_number: Mapped[int] = mapped_column(Integer, server_default="0")
    failures_used: Mapped[int] = mapped_column(Integer, server_default="0")
    """Attempts that counted against `retries.max`."""
    not_before: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    """Earliest admission: the back-off between attempts."""
    queue_pool: Mapped[str | None] = mapped_column(String(40))
    """While it waits: in the queue of which pool it is the `queue_position`-th, as the operator last saw."""
    queue_position: Mapped[int | None] = mapped_column(Integer)
    next_memory_factor: Mapped[float] = mapped_column(Float, server_default="1")
    """Scales the memory of the next attempt: grows by `retries.memory_factor` after running out of it."""
    failure: Mapped[Json | None]
    exit_code: Mapped[int | None] = mapped_column(Integer)
    signal: Mapped[int | None] = mapped_column(Integer)
    parent_run_id: Mapped[str | None] = mapped_column(String(40))
    model: Mapped[Json | None]
    result_key: Mapped[str | None] = mapped_column(String(300))

    created_by: Mapped[str] = mapped_column(String(100))
    created_by_id: Mapped[str] = mapped_column(String(40))
    created_at: Mapped[Created]
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    admitted_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    started_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    ended_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))

    __table_args__ = (
        ForeignKeyConstraint(
            ["project_id", "package_digest"], ["packages.project_id", "packages.digest"], ondelete="RESTRICT"
        ),
        CheckConstraint(one_of("phase", _JOB_PHASES), name="phase"),
        CheckConstraint(one_of("kind", [kind.value for kind in JobKind]), name="kind"),
        CheckConstraint(f"({_TERMINAL}) = (ended_at IS NOT NULL)", name="terminal_has_end"),
        CheckConstraint("(phase = 'failed') = (failure IS NOT NULL)", name="failed_has_failure"),
        Index("ix_jobs_page", "project_id", "created_at", "id"),
        Index("ix_jobs_name", "project_id", "name", "id"),
        Index("ix_jobs_phase", "project_id", "phase", "created_at", "id"),
        Index("ix_jobs_ended", "project_id", "ended_at", "id"),
        Index("ix_jobs_started", "project_id", "started_at", "id"),
        Index("ix_jobs_kind", "project_id", "kind", "created_at", "id"),
        Index("ix_jobs_created_by", "project_id", "created_by", "created_at", "id"),
        Index("ix_jobs_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        Index("ix_jobs_live", "phase", postgresql_where=text("ended_at IS NULL")),
        Index("ix_jobs_package", "project_id", "package_digest"),
        Index("ix_jobs_environment", "environment_id"),
        Index("ix_jobs_cluster", "cluster_id", postgresql_where=text("cluster_id IS NOT NULL")),
    )


class AttemptRow(Base):
    """One try at a job. The database itself allows only one that has not ended per job."""

    __tablename__ = "attempts"

    id: Mapped[Id]
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"))
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="RESTRICT"))
    number: Mapped[int] = mapped_column(Integer)
    phase: Mapped[str] = mapped_column(String(20))
    reason: Mapped[str] = mapped_column(String(100), server_default="")
    message: Mapped[str] = mapped_column(Text, server_default="")
    outcome: Mapped[str | None] = mapped_column(String(20))
    """Set when the process ended (sealing begins), final when `ended_at` is set."""
    failure: Mapped[Json | None]
    exit_code: Mapped[int | None] = mapped_column(Integer)
    signal: Mapped[int | None] = mapped_column(Integer)
    memory_factor: Mapped[float] = mapped_column(Float, server_default="1")
    environment_digest: Mapped[str | None] = mapped_column(String(71))
    run_id: Mapped[str | None] = mapped_column(String(40))
    metrics_next_byte: Mapped[int] = mapped_column(BigInteger, server_default="0")
    report: Mapped[Json | None]
    """A `ProcessReport`: what the agent beside the process has told of it, where the engine cannot look itself."""
    created_at: Mapped[Created]
    phase_since: Mapped[Created]
    started_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    ended_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))

    __table_args__ = (
        UniqueConstraint("job_id", "number"),
        CheckConstraint(one_of("phase", _JOB_PHASES), name="phase"),
        CheckConstraint(
            "outcome IS NULL OR " + one_of("outcome", [outcome.value for outcome in AttemptOutcome]),
            name="outcome",
        ),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("ended_at IS NULL OR outcome IS NOT NULL", name="ended_has_outcome"),
        Index("uq_attempts_live", "job_id", unique=True, postgresql_where=text("ended_at IS NULL")),
    )


class ClusterRow(Leased, Base):
    """A named Ray cluster of a project. Clusters of single jobs have no row: their attempt is enough."""

    __tablename__ = "clusters"

    id: Mapped[Id]
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="RESTRICT"))
    name: Mapped[str] = mapped_column(String(40))
    spec: Mapped[Json]
    """Normalised `Resources`, pools filled in."""
    generation: Mapped[int] = mapped_column(Integer, server_default="1")
    stop_requested_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    stop_requested_by: Mapped[str | None] = mapped_column(String(100))
    phase: Mapped[str] = mapped_column(String(20), server_default=ClusterPhase.QUEUED.value)
    reason: Mapped[str] = mapped_column(String(100), server_default="Requested")
    message: Mapped[str] = mapped_column(Text, server_default="Waits to be looked at.")
    phase_since: Mapped[Created]
    observed_generation: Mapped[int] = mapped_column(Integer, server_default="0")
    nodes_ready: Mapped[int] = mapped_column(Integer, server_default="0")
    nodes_wanted: Mapped[int] = mapped_column(Integer, server_default="1")
    queue_pool: Mapped[str | None] = mapped_column(String(40))
    queue_position: Mapped[int | None] = mapped_column(Integer)
    created_by: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[Created]
    admitted_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    ready_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    ended_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))

    __table_args__ = (
        CheckConstraint(one_of("phase", [phase.value for phase in ClusterPhase]), name="phase"),
        CheckConstraint("(phase IN ('stopped', 'failed')) = (ended_at IS NOT NULL)", name="terminal_has_end"),
        Index(
            "uq_clusters_name_live",
            "project_id",
            "name",
            unique=True,
            postgresql_where=text("ended_at IS NULL"),
        ),
        Index("ix_clusters_page", "project_id", "created_at", "id"),
        Index("ix_clusters_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    )
