"""What projects are guaranteed of pools, as an admin gives it out. Spans all projects: a machine is given once."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.domain.errors import Invalid
from mlp_core.tables import PoolRow, ProjectRow

_EPSILON = 1e-6


async def require_free(session: AsyncSession, wanted: Mapping[str, float], *, project_id: str | None) -> None:
    """Hold the pools, so that two admins do not give away the same machine at once.

    Raises:
        Invalid: a pool does not exist, or others have been guaranteed too much of it.
    """
    asked = {pool: machines for pool, machines in wanted.items() if machines > 0}
    if not asked:
        return
    rows = await session.scalars(
        select(PoolRow).where(PoolRow.name.in_(asked)).order_by(PoolRow.name).with_for_update()
    )
    pools = {row.name: row.machines for row in rows}
    given = await given_out(session, except_project=project_id)
    problems = {
        f"guarantees.{pool}": problem
        for pool, machines in asked.items()
        if (problem := _problem(pools.get(pool), machines, given.get(pool, 0.0))) is not None
    }
    if problems:
        first = next(iter(problems))
        raise Invalid(
            f"Pool '{first.partition('.')[2]}' cannot guarantee that: it {problems[first]}.",
            hint="See `mlp pool list`, and what other projects are guaranteed in `mlp project show`.",
            fields=problems,
        )


async def given_out(session: AsyncSession, *, except_project: str | None = None) -> dict[str, float]:
    """Machines by pool that projects are guaranteed together."""
    statement = select(ProjectRow.id, ProjectRow.guarantees).where(ProjectRow.deleted_at.is_(None))
    given: dict[str, float] = {}
    for id_, guarantees in await session.execute(statement):
        for pool, machines in guarantees.items() if id_ != except_project else ():
            given[pool] = given.get(pool, 0.0) + float(machines)
    return given


def stored(wanted: Mapping[str, float]) -> dict[str, float]:
    return {pool: machines for pool, machines in wanted.items() if machines > 0}


def _problem(there: int | None, wanted: float, given: float) -> str | None:
    if there is None:
        return "does not exist"
    if wanted > there - given + _EPSILON:
        return f"has {there} machines, of which {max(0.0, there - given):g} are not guaranteed to others"
    return None
