"""Async engine and sessions. The edge commits once; services flush at most."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine


class Database:
    """One pool of connections to Postgres."""

    def __init__(self, url: str, *, pool_size: int = 10, application_name: str = "mlp") -> None:
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

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        """A session that commits at the end of the block and rolls back on any error."""
        async with self._sessions() as session, session.begin():
            yield session

    async def close(self) -> None:
        await self.engine.dispose()
