"""`mlp cluster`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mlp.cli.app import open_app
from mlp.cli.flags import JobFlags
from mlp.cli.job_fields import resources_of
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm, Project
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.client.call import Call, path
from mlp.client.calls import clusters

ClusterArgument = Annotated[str, typer.Argument(metavar="CLUSTER", help="Id or name.")]


def list_clusters(
    ctx: typer.Context,
    project: Project = None,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List clusters.

    \b
    Examples:
      mlp cluster list
    """
    app = open_app(ctx, project=project, json=json, output=output)
    wanted = None if all_ else limit
    call = clusters.list_clusters(app.project, limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("ID", lambda row: row["id"], wide=True),
        Column("NAME", lambda row: row["name"]),
        Column("PHASE", lambda row: row["phase"]),
        Column("NODES", lambda row: f"{row['nodes_ready']}/{row['nodes_wanted']}", right=True),
        Column("JOBS", lambda row: str(row["running_jobs"]), right=True),
        Column("MESSAGE", lambda row: row["message"], elastic=True),
        Column("CREATED", lambda row: row["created_at"], wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="cluster", limit=wanted)


def show(
    ctx: typer.Context, cluster: ClusterArgument, project: Project = None, json: Json = False, output: OutputForm = None
) -> None:
    """Show a cluster.

    \b
    Examples:
      mlp cluster show dev
    """
    app = open_app(ctx, project=project, json=json, output=output)
    document: dict[str, Any] = app.session.send(clusters.get(app.project, cluster).raw())
    app.out.document(document, _facts(document))


def _facts(cluster: dict[str, Any]) -> list[tuple[str, str | None]]:
    resources = cluster["resources"]
    return [
        ("id", cluster["id"]),
        ("name", cluster["name"]),
        ("phase", f"{cluster['phase']} ({cluster['reason']})"),
        ("message", cluster["message"]),
        ("nodes", f"{cluster['nodes_ready']} of {cluster['nodes_wanted']} ready"),
        ("head", _size(resources["head"])),
        *((f"group {group['name']}", _size(group)) for group in resources["groups"]),
        ("jobs", str(cluster["running_jobs"])),
        ("created", f"{cluster['created_at']} by {cluster['created_by']}"),
        ("url", cluster["url"]),
    ]


def _size(group: dict[str, Any]) -> str:
    parts = [f"cpu {group['cpu']:g}", f"memory {group['memory']}"]
    if group.get("gpu"):
        parts.append(f"gpu {group['gpu']:g}")
    if group.get("pool"):
        parts.append(f"pool {group['pool']}")
    return (f"{group['replicas']} x " if "replicas" in group else "") + ", ".join(parts)


def create(
    ctx: typer.Context,
    name: ClusterArgument,
    gpus: Annotated[float | None, typer.Option("--gpu", "--gpus", help="GPUs of each worker.")] = None,
    cpus: Annotated[str | None, typer.Option("--cpus", help="Cores of each worker, or of the head alone.")] = None,
    memory: Annotated[str | None, typer.Option("--memory", help="Memory of the same.")] = None,
    workers: Annotated[str | None, typer.Option("--workers", help="Number of workers, or a range.")] = None,
    pool: Annotated[str | None, typer.Option("--pool", help="Pool of the same.")] = None,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Create a cluster.

    It starts when there is room; jobs submitted with --cluster run on it.

    \b
    Examples:
      mlp cluster create dev --workers 2 --cpus 2 --memory 4Gi
    """
    app = open_app(ctx, project=project, json=json, output=output)
    flags = JobFlags(gpus=gpus, cpus=cpus, memory=memory, workers=workers, pool=pool)
    body = {"name": name, "resources": resources_of(flags, {})}
    call: Call[Any] = Call("POST", path("projects", app.project, "clusters"), json=body)
    document: dict[str, Any] = app.session.send(call)
    app.out.document(document, _facts(document))


def stop(
    ctx: typer.Context, cluster: ClusterArgument, project: Project = None, json: Json = False, output: OutputForm = None
) -> None:
    """Stop a cluster.

    \b
    Examples:
      mlp cluster stop dev
    """
    app = open_app(ctx, project=project, json=json, output=output)
    document: dict[str, Any] = app.session.send(clusters.stop(app.project, cluster).raw())
    if app.out.is_data:
        app.out.data(document)
        return
    app.out.line(f"{document['name']} {document['phase']}: {document['message']}")
