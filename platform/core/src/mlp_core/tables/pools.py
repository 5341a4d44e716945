"""Pools: kinds of machine an admin offers."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Float, Index, Integer, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from mlp_core.tables.base import Base, Created, Id, Json


class PoolRow(Base):
    __tablename__ = "pools"

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(String(40), unique=True)
    description: Mapped[str] = mapped_column(Text, server_default="")
    cpu: Mapped[float] = mapped_column(Float)
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
    gpu: Mapped[int] = mapped_column(Integer, server_default="0")
    accelerator: Mapped[str | None] = mapped_column(String(100))
    machines: Mapped[int] = mapped_column(Integer, server_default="1")
    spot: Mapped[bool] = mapped_column(server_default=text("false"))
    price_per_hour: Mapped[float] = mapped_column(Float, server_default="0")
    labels: Mapped[Json] = mapped_column(server_default=text("'{}'::jsonb"))
    is_default: Mapped[bool] = mapped_column(server_default=text("false"))
    version: Mapped[int] = mapped_column(Integer, server_default="1")
    created_at: Mapped[Created]

    __table_args__ = (
        CheckConstraint("cpu >= 0 AND memory_bytes >= 0 AND gpu >= 0 AND machines >= 0", name="shape"),
        # One default without accelerators and one with: what a job gets that names no pool.
        Index("uq_pools_default", text("(gpu > 0)"), unique=True, postgresql_where=text("is_default")),
    )
