"""Alembic's way in. `mlp_core.migrate` opens the connection, takes the lock and calls it; nothing else does."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from mlp_core.tables import Base


def run(connection: Connection) -> None:
    """Each revision in a transaction of its own: locks of one step are gone before the next one asks for more."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        transaction_per_migration=True,
        compare_type=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def print_sql() -> None:
    """The statements of the pending steps, without a database."""
    context.configure(
        dialect_name="postgresql",
        target_metadata=Base.metadata,
        transaction_per_migration=True,
        literal_binds=True,
        dialect_opts={"paramstyle": "named"},
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    print_sql()
else:
    run(context.config.attributes["connection"])
