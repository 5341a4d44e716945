"""Base of all tables: naming convention, column shorthands, the lease mixin."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from sqlalchemy import DateTime, Integer, MetaData, String, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Id = Annotated[str, mapped_column(String(40), primary_key=True)]
Ref = Annotated[str, mapped_column(String(40))]
Instant = Annotated[datetime, mapped_column(DateTime(timezone=True))]
Created = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=func.now())]
Json = dict[str, Any]


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    # Values that SQL gives (`now()`) come back with the statement: reading them later must not need a connection.
    __mapper_args__: ClassVar[dict[str, Any]] = {"eager_defaults": True}  # pyright: ignore[reportIncompatibleVariableOverride]
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        # None is the absence of a value to every CHECK and IS NULL, not the JSON word `null`.
        dict[str, Any]: JSONB(none_as_null=True),
        list[str]: JSONB,
        list[Any]: JSONB,
    }


class Leased:
    """What a reconciler needs on a row: who works on it until when, and when to look again.

    All instants are of the database's clock, so that operators with skewed clocks agree.
    """

    lease_owner: Mapped[str | None] = mapped_column(String(100))
    lease_token: Mapped[str | None] = mapped_column(String(40))
    lease_until: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    due_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True), server_default=func.now())
    """When to reconcile next; null once nothing is left to do."""
    failures: Mapped[int] = mapped_column(Integer, server_default="0")
    """Unexpected errors in a row: the exponent of the back-off."""


def one_of(column: str, values: list[str]) -> str:
    """A CHECK that pins a text column to a closed vocabulary."""
    return f"{column} IN ({', '.join(repr(value) for value in values)})"
