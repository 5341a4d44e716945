"""Operations of several calls, written once for both faces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlp.client.call import Flow
from mlp.client.calls import jobs, packages

if TYPE_CHECKING:
    from mlp.packaging import Packed


@dataclass(frozen=True, slots=True)
class Sent:
    """How far an upload is. `reused` counts bytes the platform had before."""

    size: int
    total: int
    reused: int


def _ignore(_: Sent) -> None:
    return


def upload(project: str, packed: Packed, tell: Callable[[Sent], None] | None = None) -> Flow[str]:
    """Bring an archive to the platform and return its digest.

    What the platform has already is not sent again: the whole archive, or parts of an upload that broke off.
    """
    tell = tell or _ignore
    begun: dict[str, Any] = yield packages.create(
        project, digest=packed.digest, size=packed.size, name=packed.name
    ).raw()
    if begun["package"]["complete"]:
        tell(Sent(packed.size, packed.size, packed.size))
        return packed.digest
    part_size: int = begun["part_size"]
    received = set[int](begun["received"])
    reused = sum(_length(packed.size, part_size, number) for number in received)
    sent = reused
    tell(Sent(sent, packed.size, reused))
    for number, content in _parts(packed.path, part_size):
        if number in received:
            continue
        yield packages.put_part(project, packed.digest, number, content)
        sent += len(content)
        tell(Sent(sent, packed.size, reused))
    yield packages.complete(project, packed.digest).raw()
    return packed.digest


def _length(size: int, part_size: int, number: int) -> int:
    return min(part_size, size - number * part_size)


def _parts(path: Path, part_size: int) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        number = 0
        while content := file.read(part_size):
            yield number, content
            number += 1


def submit(
    project: str,
    spec: dict[str, Any],
    packed: Packed | None,
    *,
    idempotency_key: str | None = None,
    tell: Callable[[Sent], None] | None = None,
) -> Flow[dict[str, Any]]:
    """Upload the package if there is one, then create the job; the job as plain values."""
    if packed is not None:
        digest = yield from upload(project, packed, tell)
        spec = spec | {"package": digest}
    created: dict[str, Any] = yield jobs.create(project, spec, idempotency_key=idempotency_key).raw()
    return created
