"""Admission: which waiting gangs may start, and why the others wait. A pure function of a snapshot.

The rules, those of Kueue's BestEffortFIFO for one cohort:

* a gang (all nodes of one job or cluster) is admitted whole or not at all;
* order is priority, then age; a gang that does not fit does not hold back later ones that do;
* a project's limits bound the sum of what its live gangs hold;
* who waits for no more than the own guaranteed share of a pool goes first (`guarantees`);
* what could not fit even on empty pools is refused at submit (`require_fit`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from mlp.schemas.resources import Head, Resources, WorkerGroup
from mlp.schemas.units import format_memory
from mlp_core.domain.errors import CanNeverFit, Invalid
from mlp_core.domain.guarantees import Kept, Shares
from mlp_core.domain.packing import Machines, NodeDemand, PoolShape, Shape, largest_fraction


@dataclass(frozen=True, slots=True)
class Limits:
    """What the live gangs of one project may hold together; None = unbounded."""

    cpu: float | None = None
    memory_bytes: int | None = None
    gpu: float | None = None


@dataclass(frozen=True, slots=True)
class Gang:
    """One job or named cluster that holds or wants machines."""

    id: str
    name: str
    project_id: str
    demands: tuple[NodeDemand, ...]
    priority: int
    queued_at: datetime
    admitted_at: datetime | None = None

    @property
    def total(self) -> Shape:
        return Shape(
            cpu=sum(d.node.cpu * d.count for d in self.demands),
            memory_bytes=sum(d.node.memory_bytes * d.count for d in self.demands),
            gpu=sum(d.node.gpu * d.count for d in self.demands),
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything admission looks at: pools, who holds what, who waits, project limits."""

    pools: tuple[PoolShape, ...]
    holding: tuple[Gang, ...]
    waiting: tuple[Gang, ...]
    limits: dict[str, Limits] = field(default_factory=dict[str, Limits])
    guarantees: Shares = field(default_factory=dict[str, dict[str, Shape]])


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one waiting gang."""

    admitted: bool
    reason: str
    message: str
    position: int
    """1 = first in the order of the queue."""
    blockers: tuple[Gang, ...] = ()
    """Gangs that hold what this one lacks, the largest holders first."""
    would_start_now: tuple[str, ...] = ()
    pool: str | None = None
    """The pool that it lacks room in."""


def verdicts(snapshot: Snapshot) -> dict[str, Verdict]:
    """The verdict of every waiting gang, by id."""
    machines, kept = Machines(snapshot.pools), Kept(snapshot.guarantees)
    for gang in sorted(snapshot.holding, key=_held_order):
        machines.take(gang.demands)
        kept.claim(gang.project_id, gang.demands)
    held = _held_by_project(snapshot.holding)
    out: dict[str, Verdict] = {}
    for position, (gang, is_within) in enumerate(in_turn(snapshot.waiting, kept), start=1):
        over = _over_limit(gang, held.get(gang.project_id, _NOTHING), snapshot.limits.get(gang.project_id, Limits()))
        if over is not None:
            out[gang.id] = Verdict(False, "ProjectLimit", over, position, _holders_in_project(gang, snapshot.holding))
            continue
        cut = None if is_within else kept.cut_by(gang.demands, machines)
        if cut is not None:
            out[gang.id] = Verdict(False, "KeptForOthers", _kept_message(cut), position, pool=cut)
            continue
        short = machines.take(gang.demands)
        if short is not None:
            if is_within:
                kept.wait(gang.project_id, gang.demands)
            out[gang.id] = _waiting(gang, short, machines, snapshot, position)
            continue
        held[gang.project_id] = _plus(held.get(gang.project_id, _NOTHING), gang.total)
        out[gang.id] = Verdict(True, "Admitted", _admitted_message(gang), position)
    return out


def in_turn(waiting: tuple[Gang, ...], kept: Kept) -> list[tuple[Gang, bool]]:
    """Who is looked at first, and whether it asks for no more than its project's own: those go before all others."""
    own: list[tuple[Gang, bool]] = []
    rest: list[tuple[Gang, bool]] = []
    for gang in sorted(waiting, key=queue_order):
        if kept.is_within(gang.project_id, gang.demands):
            kept.claim(gang.project_id, gang.demands)
            own.append((gang, True))
        else:
            rest.append((gang, False))
    return [*own, *rest]


def queue_order(gang: Gang) -> tuple[int, datetime, str]:
    """Higher priority first, then older, then id: a total order, the same for everyone."""
    return (-gang.priority, gang.queued_at, gang.id)


def over_limits(project: str, holding: Iterable[Gang], limits: Limits) -> str | None:
    """By what a project's live gangs are beyond its limits, as a phrase; None where they are not."""
    held = _held_by_project(tuple(gang for gang in holding if gang.project_id == project)).get(project, _NOTHING)
    return _over_limit_message(_NOTHING, held, limits)


def require_fit(gang: tuple[NodeDemand, ...], pools: tuple[PoolShape, ...], limits: Limits) -> None:
    """Refuse what can never run.

    Raises:
        CanNeverFit: empty pools or the project's own limits could not hold it; says what would fit.
    """
    by_name = {pool.name: pool for pool in pools}
    for demand in gang:
        _require_node_fit(demand, by_name[demand.pool])
    total = Gang("", "", "", gang, 0, datetime.min).total  # noqa: DTZ901 - only the sum is used
    over = _over_limit_message(total, _NOTHING, limits)
    if over is not None:
        raise CanNeverFit(
            f"The project's own limit can never hold it: {over}.",
            hint="Ask for less, or ask a platform admin to raise the project's limits.",
        )
    machines = Machines(pools)
    short = machines.take(gang)
    if short is not None:
        raise _too_many(short, by_name[short.pool], machines, gang)


def demands_of(
    resources: Resources, pools: tuple[PoolShape, ...], memory_factor: float = 1.0
) -> tuple[NodeDemand, ...]:
    """Head and groups as node demands. Pools must have been filled in (`with_pools`).

    `memory_factor` scales the memory of every node: a retry after running out of it.
    """
    known = {pool.name for pool in pools}
    demands = [_demand("head", resources.head.pool, 1, _shape(resources.head, memory_factor))]
    for group in resources.groups:
        if group.replicas.min > 0:
            shape = _shape(group, memory_factor)
            demands.append(_demand(group.name, group.pool, group.replicas.min, shape))
    for demand in demands:
        if demand.pool not in known:
            raise _unknown_pool(demand.group, demand.pool, pools)
    return tuple(demands)


def with_pools(resources: Resources, pools: tuple[PoolShape, ...]) -> Resources:
    """Fill in the default pools.

    Raises:
        CanNeverFit: a named pool does not exist, or there is no default for what is asked.
    """
    head = resources.head.model_copy(update={"pool": _pool_name("head", resources.head.pool, 0.0, pools)})
    groups = [
        group.model_copy(update={"pool": _pool_name(group.name, group.pool, group.gpu, pools)})
        for group in resources.groups
    ]
    return resources.model_copy(update={"head": head, "groups": groups})


def price_per_hour(gang: tuple[NodeDemand, ...], pools: tuple[PoolShape, ...]) -> float:
    """Sum over nodes of the largest share of a machine that the node takes, times the machine's price."""
    by_name = {pool.name: pool for pool in pools}
    return round(
        sum(d.count * _share(d.node, by_name[d.pool].machine) * by_name[d.pool].price_per_hour for d in gang), 6
    )


# -- one gang's wait, in words ------------------------------------------------------------------------------------


def _waiting(gang: Gang, short: NodeDemand, machines: Machines, snapshot: Snapshot, position: int) -> Verdict:
    free = machines.free(short.pool)
    room = machines.room_for(short)
    blockers = tuple(sorted(_holders_of(short.pool, snapshot.holding), key=lambda g: _held_size(g, short.pool)))
    return Verdict(
        admitted=False,
        reason="NoRoom",
        message=f"Needs {_wants(short, gang)} of pool '{short.pool}'; {_has(free, short)} free.",
        position=position,
        blockers=blockers,
        would_start_now=_what_would_start(short, room),
        pool=short.pool,
    )


def _wants(short: NodeDemand, gang: Gang) -> str:
    """All that the gang wants of the pool: a gang starts whole, so the part that fell short is not the whole truth."""
    same_pool = [demand for demand in gang.demands if demand.pool == short.pool]
    if len(same_pool) > 1:
        nodes = sum(demand.count for demand in same_pool)
        total = Gang("", "", "", tuple(same_pool), 0, gang.queued_at).total
        gpu = f"{total.gpu:g} GPU, " if total.gpu else ""
        return f"{nodes} nodes at once ({gpu}{total.cpu:g} CPU, {_gib(total.memory_bytes)})"
    if short.node.gpu > 0:
        total_gpu = short.node.gpu * short.count
        return f"{total_gpu:g} GPU" if short.count == 1 else f"{short.count} x {short.node.gpu:g} GPU"
    return f"{short.count} x ({short.node.cpu:g} CPU, {format_memory(short.node.memory_bytes)})"


def _has(free: Shape, demand: NodeDemand) -> str:
    if demand.node.gpu > 0:
        return f"{free.gpu:g} GPU, {free.cpu:g} CPU and {_gib(free.memory_bytes)} are"
    return f"{free.cpu:g} CPU and {_gib(free.memory_bytes)} are"


def _what_would_start(short: NodeDemand, room: int) -> tuple[str, ...]:
    if room == 0:
        return ()
    return (f"{room} of {short.count} replicas of '{short.group}' would fit now.",)


def _admitted_message(gang: Gang) -> str:
    nodes = sum(demand.count for demand in gang.demands)
    pools = ", ".join(sorted({demand.pool for demand in gang.demands}))
    return f"{nodes} {'node' if nodes == 1 else 'nodes'} reserved in {pools}."


def _kept_message(pool: str) -> str:
    return f"Pool '{pool}' lends nothing now: a project waits for the share of it that it is guaranteed."


def _held_size(gang: Gang, pool: str) -> tuple[float, float, str]:
    mine = [d for d in gang.demands if d.pool == pool]
    return (-sum(d.node.gpu * d.count for d in mine), -sum(d.node.cpu * d.count for d in mine), gang.id)


def _holders_of(pool: str, holding: tuple[Gang, ...]) -> list[Gang]:
    return [gang for gang in holding if any(demand.pool == pool for demand in gang.demands)]


def _holders_in_project(gang: Gang, holding: tuple[Gang, ...]) -> tuple[Gang, ...]:
    return tuple(other for other in holding if other.project_id == gang.project_id)


# -- project limits -----------------------------------------------------------------------------------------------

_NOTHING = Shape(0.0, 0, 0.0)


def _held_by_project(holding: tuple[Gang, ...]) -> dict[str, Shape]:
    held: dict[str, Shape] = {}
    for gang in holding:
        held[gang.project_id] = _plus(held.get(gang.project_id, _NOTHING), gang.total)
    return held


def _plus(one: Shape, other: Shape) -> Shape:
    return Shape(one.cpu + other.cpu, one.memory_bytes + other.memory_bytes, one.gpu + other.gpu)


def _over_limit(gang: Gang, held: Shape, limits: Limits) -> str | None:
    over = _over_limit_message(gang.total, held, limits)
    return None if over is None else f"The project's limit is reached: {over}."


def _over_limit_message(wanted: Shape, held: Shape, limits: Limits) -> str | None:
    more = wanted != _NOTHING
    if limits.gpu is not None and held.gpu + wanted.gpu > limits.gpu + 1e-9:
        return f"{held.gpu:g} of {limits.gpu:g} GPU in use{f', {wanted.gpu:g} more wanted' if more else ''}"
    if limits.cpu is not None and held.cpu + wanted.cpu > limits.cpu + 1e-9:
        return f"{held.cpu:g} of {limits.cpu:g} CPU in use{f', {wanted.cpu:g} more wanted' if more else ''}"
    if limits.memory_bytes is not None and held.memory_bytes + wanted.memory_bytes > limits.memory_bytes:
        beyond = f", {_gib(wanted.memory_bytes)} more wanted" if more else ""
        return f"{_gib(held.memory_bytes)} of {_gib(limits.memory_bytes)} in use{beyond}"
    return None


# -- what can never fit -------------------------------------------------------------------------------------------


def _require_node_fit(demand: NodeDemand, pool: PoolShape) -> None:
    machine, node = pool.machine, demand.node
    problems = [
        f"{node.gpu:g} GPU where a machine has {machine.gpu:g}" if node.gpu > machine.gpu + 1e-9 else "",
        f"{node.cpu:g} CPU where a machine has {machine.cpu:g}" if node.cpu > machine.cpu + 1e-9 else "",
        f"{format_memory(node.memory_bytes)} where a machine has {format_memory(machine.memory_bytes)}"
        if node.memory_bytes > machine.memory_bytes
        else "",
    ]
    found = [problem for problem in problems if problem]
    if found or pool.machines == 0:
        what = "; ".join(found) or "the pool has no machines"
        raise CanNeverFit(
            f"'{demand.group}' can never fit in pool '{pool.name}': {what}.",
            hint=f"The largest node of pool '{pool.name}' is {_machine_text(pool)}.",
            data={"pool": pool.name, "group": demand.group, "largest": _largest(pool)},
        )


def _too_many(short: NodeDemand, pool: PoolShape, machines: Machines, gang: tuple[NodeDemand, ...]) -> CanNeverFit:
    room = machines.room_for(short)
    if 0 < short.node.gpu < 1:
        devices = int(pool.machine.gpu) * pool.machines
        needed = -(-short.count // max(1, int(1 / short.node.gpu + 1e-9)))
        fraction = largest_fraction(short.count, devices)
        return CanNeverFit(
            f"{short.count} x {short.node.gpu:g} GPU of '{short.group}' packs on {needed} GPUs; "
            f"pool '{pool.name}' has {devices}.",
            hint=f"{room} replicas, or {fraction:g} GPU each, would fit.",
            data={"pool": pool.name, "group": short.group, "replicas_that_fit": room, "gpu_that_fits": fraction},
        )
    return CanNeverFit(
        f"{short.count} {'node' if short.count == 1 else 'nodes'} of '{short.group}' can never fit at once in pool "
        f"'{pool.name}', which has {pool.machines} machines of {_machine_text(pool)}"
        f"{' and also holds the rest of this request' if len(gang) > 1 else ''}.",
        hint=f"{room} would fit." if room else "Ask for smaller nodes or another pool; see `mlp pool list`.",
        data={"pool": pool.name, "group": short.group, "replicas_that_fit": room},
    )


def _unknown_pool(group: str, pool: str, pools: tuple[PoolShape, ...]) -> CanNeverFit:
    names = ", ".join(f"'{known.name}'" for known in pools) or "none yet"
    return CanNeverFit(
        f"'{group}' asks for pool '{pool}', which does not exist.",
        hint=f"The pools are {names}; see `mlp pool list`.",
        data={"pool": pool, "group": group, "pools": [known.name for known in pools]},
    )


def _pool_name(group: str, named: str | None, gpu: float, pools: tuple[PoolShape, ...]) -> str:
    if named is not None:
        if named not in {pool.name for pool in pools}:
            raise _unknown_pool(group, named, pools)
        return named
    wants_gpu = gpu > 0
    for pool in pools:
        if pool.is_default and (pool.machine.gpu > 0) == wants_gpu:
            return pool.name
    kind = "with GPUs" if wants_gpu else "without GPUs"
    raise CanNeverFit(
        f"'{group}' names no pool and the platform has no default pool {kind}.",
        hint="Name a pool; see `mlp pool list`.",
    )


def _demand(group: str, pool: str | None, count: int, node: Shape) -> NodeDemand:
    if pool is None:
        raise Invalid(f"'{group}' has no pool.")
    return NodeDemand(group, pool, count, node)


def _shape(part: Head | WorkerGroup, memory_factor: float) -> Shape:
    gpu = part.gpu if isinstance(part, WorkerGroup) else 0.0
    return Shape(cpu=part.cpu, memory_bytes=int(part.memory * memory_factor), gpu=gpu)


def _share(node: Shape, machine: Shape) -> float:
    shares = [
        node.cpu / machine.cpu if machine.cpu else 0.0,
        node.memory_bytes / machine.memory_bytes if machine.memory_bytes else 0.0,
        node.gpu / machine.gpu if machine.gpu else 0.0,
    ]
    return max(shares)


def _machine_text(pool: PoolShape) -> str:
    machine = pool.machine
    gpu = f", {machine.gpu:g} GPU" if machine.gpu else ""
    return f"{machine.cpu:g} CPU, {_gib(machine.memory_bytes)}{gpu}"


def _largest(pool: PoolShape) -> dict[str, float | int]:
    return {"cpu": pool.machine.cpu, "memory_bytes": pool.machine.memory_bytes, "gpu": pool.machine.gpu}


def _gib(value: int) -> str:
    return f"{value / 2**30:.3g} GiB"


def _held_order(gang: Gang) -> tuple[datetime, str]:
    return (gang.admitted_at or gang.queued_at, gang.id)
