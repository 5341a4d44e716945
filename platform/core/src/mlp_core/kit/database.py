"""Async engine and sessions. The edge commits once; services flush at most."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

Wake = Callable[[frozenset[str]], Awaitable[None]]
"""Tells live readers of these channels to look again. Must not raise: liveness is never worth a request."""

DUE_CHANNEL = "mlp_due"
"""Postgres NOTIFY channel on which operators hear that something is due now."""


async def _nobody(_channels: frozenset[str]) -> None:
    return


class Database:
    """One pool of connections to Postgres."""

    def __init__(self, url: str, *, pool_size: int = 10, application_name: str = "mlp", wake: Wake = _nobody) -> None:
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=10,
            pool_pre_ping=True,
            connect_args={
                "application_name": application_name,
                "connect_timeout": 5,
                "options": "-c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000 -c timezone=UTC",
            },
        )
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False, autoflush=False)
        self._wake = wake

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        """A session that commits at the end of the block, rolls back on any error, then wakes live readers."""
        async with self._sessions() as session:
            async with session.begin():
                yield session
            channels: set[str] = session.info.pop("wake", set())
            if channels:
                await self._wake(frozenset(channels))

    async def close(self) -> None:
        await self.engine.dispose()


def wake_after_commit(session: AsyncSession, channel: str) -> None:
    """Have live readers of `channel` look again once this transaction is committed."""
    session.info.setdefault("wake", set()).add(channel)


async def notify_due(session: AsyncSession) -> None:
    """Let operators look for due rows as soon as this transaction commits, not at their next poll."""
    await session.execute(text("SELECT pg_notify(:channel, '')"), {"channel": DUE_CHANNEL})
