"""Idempotency keys and the outbox: requests and effects that happen once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Identity,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from mlp_core.tables.base import Base, Created, Json, one_of


class IdempotencyRow(Base):
    """The answer given to a request, so that its repetition gets the same one. Kept a day."""

    __tablename__ = "idempotency_keys"

    subject: Mapped[str] = mapped_column(String(60), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary(32))
    """sha256 of method, path and body."""
    status: Mapped[int | None] = mapped_column(Integer)
    answer: Mapped[Json | None]
    created_at: Mapped[Created]

    __table_args__ = (Index("ix_idempotency_keys_age", "created_at"),)


class OutboxRow(Base):
    """An effect to be done after the commit that caused it, exactly once as far as the receiver can tell."""

    __tablename__ = "outbox"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    kind: Mapped[str] = mapped_column(String(60))
    key: Mapped[str] = mapped_column(String(200))
    """With `kind` the identity of the effect: asking twice is asking once."""
    payload: Mapped[Json] = mapped_column(server_default=text("'{}'::jsonb"))
    state: Mapped[str] = mapped_column(String(10), server_default="pending")
    tries: Mapped[int] = mapped_column(Integer, server_default="0")
    created_at: Mapped[Created]
    due_at: Mapped[Created]
    claimed_by: Mapped[str | None] = mapped_column(String(100))
    claimed_until: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    done_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    last_error: Mapped[str | None] = mapped_column(Text)

    __table_args__ = (
        CheckConstraint(one_of("state", ["pending", "claimed", "done", "dead"]), name="state"),
        CheckConstraint("(state = 'claimed') = (claimed_until IS NOT NULL)", name="claim"),
        Index(
            "uq_outbox_effect",
            "kind",
            "key",
            unique=True,
            postgresql_where=text("state IN ('pending', 'claimed')"),
        ),
        Index("ix_outbox_due", "due_at", postgresql_where=text("state IN ('pending', 'claimed')")),
    )
