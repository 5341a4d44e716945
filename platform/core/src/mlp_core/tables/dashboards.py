"""Where the heads of live Ray clusters answer."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from mlp_core.tables.base import Base, Created, Id


class DashboardRow(Base):
    """Of one cluster: an attempt's own or a named one. Noted by the operator, which made it, and by nobody else."""

    __tablename__ = "dashboards"

    id: Mapped[Id]
    """The engine's name of the cluster: the attempt's or the named cluster's id."""
    attempt_id: Mapped[str | None] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"), index=True)
    cluster_id: Mapped[str | None] = mapped_column(ForeignKey("clusters.id", ondelete="CASCADE"), index=True)
    url: Mapped[str] = mapped_column(String(300))
    token: Mapped[str] = mapped_column(Text)
    """Ray's own, sealed: it is for the platform's proxy alone."""
    created_at: Mapped[Created]

    __table_args__ = (CheckConstraint("(attempt_id IS NULL) <> (cluster_id IS NULL)", name="of_one"),)
