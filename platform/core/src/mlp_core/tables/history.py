"""Events, log segments, artifacts and resource samples: what is kept of a job when its machines are gone."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Float,
    ForeignKey,
    Identity,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from mlp_core.tables.base import Base, Created, Id, Json


class EventRow(Base):
    """One line of a resource's history.

    `seq` is given out before the commit, so a reader that remembers only it could pass over a slow
    transaction's rows. `txid` lets readers stop at the oldest transaction still open.
    """

    __tablename__ = "events"

    id: Mapped[Id]
    seq: Mapped[int] = mapped_column(BigInteger, Identity(always=True), unique=True)
    txid: Mapped[int] = mapped_column(BigInteger, server_default=text("(pg_current_xact_id()::text)::bigint"))
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    resource: Mapped[str] = mapped_column(String(20))
    resource_id: Mapped[str] = mapped_column(String(80))
    resource_name: Mapped[str] = mapped_column(String(200))
    attempt: Mapped[int | None] = mapped_column(Integer)
    reason: Mapped[str] = mapped_column(String(100))
    message: Mapped[str] = mapped_column(Text)
    actor: Mapped[str] = mapped_column(String(100))
    at: Mapped[Created]
    data: Mapped[Json] = mapped_column(server_default=text("'{}'::jsonb"))

    __table_args__ = (
        Index("ix_events_resource", "resource_id", "seq"),
        Index("ix_events_stream", "project_id", "txid", "seq"),
    )


class LogSourceRow(Base):
    """How far one source of an attempt is stored. Locked while a segment is added, so that none is doubled."""

    __tablename__ = "log_sources"

    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True)
    source: Mapped[str] = mapped_column(String(180), primary_key=True)
    next_byte: Mapped[int] = mapped_column(BigInteger, server_default="0")
    next_line: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """Complete lines stored so far."""
    segments: Mapped[int] = mapped_column(Integer, server_default="0")


class LogSegmentRow(Base):
    """Bytes `[start_byte, end_byte)` of a source, gzip-compressed in the object store under `object_key`."""

    __tablename__ = "log_segments"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"))
    source: Mapped[str] = mapped_column(String(180))
    number: Mapped[int] = mapped_column(Integer)
    start_byte: Mapped[int] = mapped_column(BigInteger)
    end_byte: Mapped[int] = mapped_column(BigInteger)
    start_line: Mapped[int] = mapped_column(BigInteger)
    end_line: Mapped[int] = mapped_column(BigInteger)
    """Complete lines before the end of the segment; a line belongs to the segment in which it ends."""
    first_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    last_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    times: Mapped[list[int]] = mapped_column(JSONB)
    """Pairs flattened: byte offset in the segment, unix milliseconds at which it was read."""
    object_key: Mapped[str] = mapped_column(String(300))

    __table_args__ = (
        UniqueConstraint("attempt_id", "source", "number"),
        UniqueConstraint("attempt_id", "source", "start_byte"),
        CheckConstraint("end_byte > start_byte AND end_line >= start_line", name="extent"),
        Index("ix_log_segments_time", "attempt_id", "first_at", "id"),
    )


class ArtifactRow(Base):
    """A file of an attempt's output folder. `parts` of it, from the first on, lie in the object store below
    `object_key`, each of 8 MiB but the last."""

    __tablename__ = "artifacts"

    id: Mapped[Id]
    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(Text(collation="C"))
    size: Mapped[int] = mapped_column(BigInteger)
    parts: Mapped[int] = mapped_column(Integer, server_default="0")
    sha256: Mapped[str | None] = mapped_column(String(64))
    object_key: Mapped[str] = mapped_column(String(300))
    created_at: Mapped[Created]
    completed_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))

    __table_args__ = (
        UniqueConstraint("attempt_id", "path"),
        CheckConstraint("octet_length(path) BETWEEN 1 AND 1024", name="path"),
        CheckConstraint("size >= 0 AND parts >= 0 AND (parts - 1) * 8388608::bigint < size", name="extent"),
        CheckConstraint(
            "(completed_at IS NULL) = (sha256 IS NULL) AND (completed_at IS NULL OR parts * 8388608::bigint >= size)",
            name="complete_is_whole",
        ),
    )


class SampleRow(Base):
    """CPU, memory and accelerators of one node at one moment, raw (`resolution` 0) or rolled up (seconds)."""

    __tablename__ = "samples"

    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True)
    node: Mapped[str] = mapped_column(String(64), primary_key=True)
    resolution: Mapped[int] = mapped_column(Integer, primary_key=True, server_default="0")
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), primary_key=True)
    cpu_cores: Mapped[float] = mapped_column(Float)
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
    memory_limit_bytes: Mapped[int | None] = mapped_column(BigInteger)
    gpu_utilisation: Mapped[float | None] = mapped_column(Float)
    gpu_memory_bytes: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (Index("ix_samples_rollup", "resolution", "at"),)
