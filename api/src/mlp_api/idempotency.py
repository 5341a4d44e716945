"""A POST with an `Idempotency-Key` happens once; its repetition gets the first one's answer.

The key's row is inserted first, inside the request's own transaction. Twins that come at the same time wait on its
unique key until the first one commits, and then replay; if it fails instead, nothing is kept and one of them goes on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from fastapi.routing import APIRoute
from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_api.deps import PlatformDep, SessionDep, SubjectDep
from mlp_core.domain.errors import IdempotencyMismatch, Invalid
from mlp_core.kit.sealing import Sealer
from mlp_core.tables import IdempotencyRow

REPLAYED = "Idempotent-Replayed"
_KEPT_HEADERS = ("etag", "location")


class Replay(Exception):
    """Not an error: carries the first answer out of the dependency, past the route."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


@dataclass(frozen=True, slots=True)
class _Begun:
    session: AsyncSession
    subject: str
    key: str
    sealer: Sealer


async def begin(
    request: Request,
    session: SessionDep,
    subject: SubjectDep,
    platform: PlatformDep,
    key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            min_length=1,
            max_length=255,
            description="Repeat a request with the same key and body and it is done once; kept for a day.",
        ),
    ] = None,
) -> None:
    """Claim the key, or leave with the answer that was given to it before."""
    if key is None:
        return
    if "\x00" in key:
        raise Invalid("An Idempotency-Key must not contain NUL.", fields={"Idempotency-Key": "contains NUL"})
    fingerprint = await _fingerprint(request)
    claim = insert(IdempotencyRow).values(subject=subject.id, key=key, fingerprint=fingerprint)
    claimed = await session.execute(claim.on_conflict_do_nothing().returning(IdempotencyRow.key))
    if claimed.first() is None:
        raise Replay(await _first_answer(session, subject.id, key, fingerprint, platform.answers))
    request.scope["mlp_idempotency"] = _Begun(session, subject.id, key, platform.answers)


Once = Annotated[None, Depends(begin, scope="function")]
"""Last parameter of a route that creates: after it let the caller in, and before it does anything."""


class PlatformRoute(APIRoute):
    """A route that keeps its answer under the idempotency key, in the transaction that made it true."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        original = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                response = await original(request)
            except Replay as replay:
                return replay.response
            begun: _Begun | None = request.scope.get("mlp_idempotency")
            if begun is not None:
                await _keep(begun, response)
            return response

        return handle


async def _fingerprint(request: Request) -> bytes:
    digest = hashlib.sha256(f"{request.method} {request.url.path}?{request.url.query}\n".encode())
    digest.update(await request.body())
    return digest.digest()


async def _first_answer(session: AsyncSession, subject: str, key: str, fingerprint: bytes, sealer: Sealer) -> Response:
    statement = select(IdempotencyRow).where(IdempotencyRow.subject == subject, IdempotencyRow.key == key)
    row = (await session.scalars(statement)).one()
    if row.fingerprint != fingerprint:
        raise IdempotencyMismatch(
            "This Idempotency-Key was used for another request.", hint="Use a new key for a new request."
        )
    kept = json.loads(sealer.open((row.answer or {})["sealed"]) or b"{}")
    headers = {**kept.get("headers", {}), REPLAYED: "true"}
    return Response(kept.get("body", ""), row.status or 200, headers, media_type="application/json")


async def _keep(begun: _Begun, response: Response) -> None:
    """Answers are sealed: one of them may hold a token that nobody else may ever read."""
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    kept = {"headers": headers, "body": bytes(response.body).decode()}
    await begun.session.execute(
        update(IdempotencyRow)
        .where(IdempotencyRow.subject == begun.subject, IdempotencyRow.key == begun.key)
        .values(status=response.status_code, answer={"sealed": begun.sealer.seal(json.dumps(kept).encode())})
    )
