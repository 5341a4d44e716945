"""Packages and environments: what code a job runs and what that code needs."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, DateTime, ForeignKey, Index, Integer, String, Text, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from mlp.schemas.phases import EnvironmentPhase
from mlp_core.tables.base import Base, Created, Id, Leased, one_of


class PackageRow(Base):
    """A package of one project. Equal content in two projects is two rows: tenants never learn of each other."""

    __tablename__ = "packages"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(71), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str | None] = mapped_column(String(200))
    received: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default=text("'{}'"))
    """Numbers of the parts that the object store holds while the upload is under way."""
    files: Mapped[int | None] = mapped_column(Integer)
    uncompressed_size: Mapped[int | None] = mapped_column(BigInteger)
    created_by: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[Created]
    completed_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    last_used_at: Mapped[Created]

    __table_args__ = (
        CheckConstraint("digest ~ '^sha256:[0-9a-f]{64}$'", name="digest"),
        CheckConstraint("size > 0", name="size"),
        Index("ix_packages_page", "project_id", "created_at", "digest"),
    )


class EnvironmentRow(Leased, Base):
    """Requirements and, once resolved, their lock. Equal requests of a project share one row."""

    __tablename__ = "environments"

    id: Mapped[Id]
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str | None] = mapped_column(String(40))
    python: Mapped[str] = mapped_column(String(10))
    requirements: Mapped[list[str]]
    request_digest: Mapped[str] = mapped_column(String(71))
    phase: Mapped[str] = mapped_column(String(20), server_default=EnvironmentPhase.RESOLVING.value)
    reason: Mapped[str] = mapped_column(String(100), server_default="Requested")
    message: Mapped[str] = mapped_column(Text, server_default="Waits to be resolved.")
    failure_class: Mapped[str | None] = mapped_column(String(20))
    digest: Mapped[str | None] = mapped_column(String(71))
    lock: Mapped[str | None] = mapped_column(Text)
    generation: Mapped[int] = mapped_column(Integer, server_default="1")
    created_by: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[Created]
    last_used_at: Mapped[Created]

    __table_args__ = (
        CheckConstraint(one_of("phase", [phase.value for phase in EnvironmentPhase]), name="phase"),
        CheckConstraint("(phase = 'ready') = (digest IS NOT NULL AND lock IS NOT NULL)", name="ready_has_lock"),
        Index(
            "uq_environments_name",
            "project_id",
            "name",
            unique=True,
            postgresql_where=text("name IS NOT NULL"),
        ),
        Index(
            "uq_environments_request",
            "project_id",
            "request_digest",
            unique=True,
            postgresql_where=text("name IS NULL AND phase <> 'failed'"),
        ),
        Index("ix_environments_page", "project_id", "created_at", "id"),
        Index("ix_environments_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    )
