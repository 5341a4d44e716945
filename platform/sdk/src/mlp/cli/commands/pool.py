"""`mlp pool`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mlp.cli.app import open_app, usage
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm, Yes
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.cli.text import memory as memory_text
from mlp.cli.text import number
from mlp.client.call import Call, path
from mlp.client.calls import pools

PoolArgument = Annotated[str, typer.Argument(metavar="POOL", help="Name of the pool.")]
Description = Annotated[str | None, typer.Option("--description", help="For people.")]
Gpu = Annotated[int | None, typer.Option("--gpu", help="Accelerators of one machine.")]
Accelerator = Annotated[str | None, typer.Option("--accelerator", help="Such as nvidia-h100; logical = counted only.")]
Machines = Annotated[int | None, typer.Option("--machines", help="How many machines there are.")]
Spot = Annotated[bool | None, typer.Option("--spot/--on-demand", help="Whether machines may be taken away.")]
Price = Annotated[float | None, typer.Option("--price", help="Of one machine, per hour.")]
Default = Annotated[bool | None, typer.Option("--default/--no-default", help="Used where a job names no pool.")]


def list_pools(
    ctx: typer.Context, limit: Limit = PAGE, all_: All = False, json: Json = False, output: OutputForm = None
) -> None:
    """List pools and what is in use.

    \b
    Examples:
      mlp pool list
    """
    app = open_app(ctx, json=json, output=output)
    wanted = None if all_ else limit
    call = pools.list_pools(limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("NAME", lambda row: row["name"]),
        Column("MACHINES", lambda row: str(row["machines"]), right=True),
        Column("CPU", lambda row: _of(row, "cpu"), right=True),
        Column("MEMORY", lambda row: row["memory"], right=True),
        Column("GPU", lambda row: _of(row, "gpu"), right=True),
        Column("ACCELERATOR", lambda row: row.get("accelerator") or "", elastic=True),
        Column("PRICE", lambda row: number(row["price_per_hour"]), right=True),
        Column("DEFAULT", lambda row: "yes" if row["is_default"] else ""),
        Column("MEMORY USED", lambda row: memory_text(row["in_use"]["memory_bytes"]), right=True, wide=True),
        Column("SPOT", lambda row: "yes" if row["spot"] else "", wide=True),
        Column("DESCRIPTION", lambda row: row["description"], wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="pool", limit=wanted)


def _of(row: dict[str, Any], what: str) -> str:
    """Used of all there is, over the pool's machines."""
    return f"{row['in_use'][what]:g}/{row[what] * row['machines']:g}"


def show(ctx: typer.Context, pool: PoolArgument, json: Json = False, output: OutputForm = None) -> None:
    """Show a pool.

    \b
    Examples:
      mlp pool show gpu
    """
    app = open_app(ctx, json=json, output=output)
    document: dict[str, Any] = app.session.send(pools.get(pool).raw())
    app.out.document(document, _facts(document))


def _facts(pool: dict[str, Any]) -> list[tuple[str, str | None]]:
    use = pool["in_use"]
    return [
        ("name", pool["name"]),
        ("description", pool["description"]),
        ("machines", f"{pool['machines']} x cpu {pool['cpu']:g}, memory {pool['memory']}, gpu {pool['gpu']}"),
        ("accelerator", pool.get("accelerator")),
        ("spot", "yes" if pool["spot"] else "no"),
        ("price", f"{pool['price_per_hour']:g} per machine and hour"),
        ("default", "yes" if pool["is_default"] else "no"),
        ("in use", f"cpu {use['cpu']:g}, memory {memory_text(use['memory_bytes'])}, gpu {use['gpu']:g}"),
        ("labels", ", ".join(f"{key}={value}" for key, value in pool["labels"].items())),
    ]


def create(
    ctx: typer.Context,
    name: PoolArgument,
    cpu: Annotated[str, typer.Option("--cpu", help="Cores of one machine.")],
    memory: Annotated[str, typer.Option("--memory", help="Memory of one machine, such as 64Gi.")],
    gpu: Gpu = None,
    accelerator: Accelerator = None,
    machines: Machines = None,
    spot: Spot = None,
    price: Price = None,
    default: Default = None,
    description: Description = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Create a pool.

    \b
    Examples:
      mlp pool create gpu --cpu 16 --memory 128Gi --gpu 4 --accelerator nvidia-h100 --machines 8 --price 12
    """
    app = open_app(ctx, json=json, output=output)
    body = {"name": name, "cpu": cpu, "memory": memory}
    given = _given(gpu, accelerator, machines, spot, price, default, description)
    call: Call[Any] = Call("POST", path("pools"), json=body | given)
    document: dict[str, Any] = app.session.send(call)
    app.out.document(document, _facts(document))


def _given(
    gpu: int | None,
    accelerator: str | None,
    machines: int | None,
    spot: bool | None,
    price: float | None,
    default: bool | None,
    description: str | None,
) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "gpu": gpu,
        "accelerator": accelerator,
        "machines": machines,
        "spot": spot,
        "price_per_hour": price,
        "is_default": default,
        "description": description,
    }
    return {name: value for name, value in fields.items() if value is not None}


def update(
    ctx: typer.Context,
    pool: PoolArgument,
    cpu: Annotated[str | None, typer.Option("--cpu", help="Cores of one machine.")] = None,
    memory: Annotated[str | None, typer.Option("--memory", help="Memory of one machine.")] = None,
    gpu: Gpu = None,
    accelerator: Accelerator = None,
    machines: Machines = None,
    spot: Spot = None,
    price: Price = None,
    default: Default = None,
    description: Description = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Change a pool.

    \b
    Examples:
      mlp pool update gpu --machines 12
    """
    app = open_app(ctx, json=json, output=output)
    body = _given(gpu, accelerator, machines, spot, price, default, description)
    body |= {name: value for name, value in (("cpu", cpu), ("memory", memory)) if value is not None}
    if not body:
        usage("Nothing to change.", "Give at least one option; see mlp pool update --help.")
    before: dict[str, Any] = app.session.send(pools.get(pool).raw())
    call: Call[Any] = Call("PATCH", path("pools", pool), json=body, headers={"If-Match": before["etag"]})
    document: dict[str, Any] = app.session.send(call)
    app.out.document(document, _facts(document))


def delete(ctx: typer.Context, pool: PoolArgument, yes: Yes = False) -> None:
    """Delete a pool.

    \b
    Examples:
      mlp pool delete old
    """
    app = open_app(ctx)
    before: dict[str, Any] = app.session.send(pools.get(pool).raw())
    app.confirm(f"Delete pool {pool}?", yes=yes)
    app.session.send(pools.delete(pool, before["etag"]))
    app.out.line(f"Deleted {pool}.")
