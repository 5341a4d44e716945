"""Keyset pages: every row that was there throughout is seen exactly once, whatever comes and goes meanwhile.

A cursor holds the sort keys of the last row seen. It is signed, and bound to the list, its filters, its order and the
subject, so that a cursor of another list or of another user is refused and never silently misread.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Select, and_, literal, or_, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp_core.domain.errors import Invalid

T = TypeVar("T")
U = TypeVar("U")

MAX_LIMIT = 200
DEFAULT_LIMIT = 50
_SIGNATURE_BYTES = 16


@dataclass(frozen=True, slots=True)
class SortKey:
    """One column of an order. The last key of an order must be unique, or rows could be skipped."""

    column: InstrumentedAttribute[Any]
    descending: bool = False
    nullable: bool = False
    """NULLs come last in either direction. Only the first key of an order may be."""


Order = tuple[SortKey, ...]


def newest_first(created_at: InstrumentedAttribute[datetime], unique: InstrumentedAttribute[str]) -> Order:
    return (SortKey(created_at, descending=True), SortKey(unique, descending=True))


class CursorCodec:
    """Makes and reads cursors; every replica holds the same secret."""

    def __init__(self, secret: str) -> None:
        self._key = hmac.digest(secret.encode(), b"mlp cursor v1", hashlib.sha256)

    def encode(self, values: Sequence[Any], binding: str) -> str:
        body = json.dumps([_to_json(value) for value in values], separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._sign(body, binding) + body).decode().rstrip("=")

    def decode(self, cursor: str, binding: str) -> list[Any]:
        """The values in `cursor`.

        Raises:
            Invalid: it was not made by us for this very list, these filters and this subject.
        """
        try:
            raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError) as error:
            raise _bad_cursor() from error
        signature, body = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._sign(body, binding)):
            raise _bad_cursor()
        return [_from_json(value) for value in json.loads(body)]

    def _sign(self, body: bytes, binding: str) -> bytes:
        return hmac.digest(self._key, binding.encode() + b"\0" + body, hashlib.sha256)[:_SIGNATURE_BYTES]


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page of which list, as the edge read it."""

    codec: CursorCodec
    binding: str
    """Names list, filters and subject; a cursor made under another binding is refused."""
    cursor: str | None = None
    limit: int = DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """Rows of one page, and the cursor of the next; None only at the real end."""

    rows: list[T]
    next: str | None = None

    def map(self, convert: Callable[[T], U]) -> Slice[U]:
        return Slice([convert(row) for row in self.rows], self.next)


async def keyset_page(
    session: AsyncSession,
    statement: Select[T],
    order: Order,
    page: PageRequest,
    *,
    among: Sequence[ColumnElement[bool]] = (),
) -> Slice[T]:
    """One page of `statement`, which selects one mapped class that holds all columns of `order`.

    `among` narrows it to rows of which one of several conditions holds, at most one for any row: each is looked up by
    its own index, where one look for all of them would read whatever lies between.

    Raises:
        Invalid: the cursor is not one of this list.
    """
    binding = page.binding + "\0" + ",".join(f"{key.column.key}{'-' if key.descending else '+'}" for key in order)
    values: list[Any] | None = None
    if page.cursor is not None:
        values = page.codec.decode(page.cursor, binding)
        if len(values) != len(order):
            raise _bad_cursor()
    rows: list[T] = []
    for part in _parts(statement, order, values):
        wanted = page.limit + 1 - len(rows)
        if wanted > 0:
            # A row whose first key is emptied between two parts would come in both.
            rows += [row for row in await _first(session, part, among, wanted) if row not in rows]
    if len(rows) <= page.limit:
        return Slice(rows)
    rows = rows[: page.limit]
    last = [getattr(rows[-1], key.column.key) for key in order]
    return Slice(rows, page.codec.encode(last, binding))


@dataclass(frozen=True, slots=True)
class _Part(Generic[T]):
    """Rows behind the cursor that one index holds side by side."""

    statement: Select[T]
    order: Order


def _parts(statement: Select[T], order: Order, values: list[Any] | None) -> list[_Part[T]]:
    """All of them, or first those that have the first key and then those that lack it."""
    first, *others = order
    if not first.nullable:
        return [_Part(statement if values is None else statement.where(_after(order, values)), order)]
    filled, empty = statement.where(first.column.is_not(None)), statement.where(first.column.is_(None))
    # Those without are also put in the order of the key that they lack: so it is its index that is read.
    if values is None:
        return [_Part(filled, order), _Part(empty, order)]
    if values[0] is None:
        return [_Part(empty.where(_after(tuple(others), values[1:])), order)]
    return [_Part(filled.where(_after(order, values)), order), _Part(empty, order)]


async def _first(
    session: AsyncSession, part: _Part[T], among: Sequence[ColumnElement[bool]], limit: int
) -> Sequence[T]:
    if len(among) < 2:
        statement = part.statement.where(*among)
        return (await session.scalars(statement.order_by(*_ordering(part.order)).limit(limit))).all()
    unique = part.order[-1].column
    looks = [
        part.statement.where(one).with_only_columns(unique).order_by(*_ordering(part.order)).limit(limit)
        for one in among
    ]
    found = select(union_all(*(select(look.subquery().c[0]) for look in looks)).subquery().c[0])
    # Each look finds its rows by an index, and few are left to be put in order.
    statement = select(part.statement.column_descriptions[0]["entity"]).where(unique.in_(found))
    return (await session.scalars(statement.order_by(*_ordering(part.order)).limit(limit))).all()


def _ordering(order: Order) -> list[ColumnElement[Any]]:
    return [key.column.desc() if key.descending else key.column.asc() for key in order]


def _after(order: Order, values: list[Any]) -> ColumnElement[bool]:
    """Rows that come after `values`. A row comparison where one index can serve it, else its expansion."""
    if len({key.descending for key in order}) == 1:
        columns = tuple_(*(key.column for key in order))
        bound = tuple_(*(literal(value, key.column.type) for key, value in zip(order, values, strict=True)))
        return columns < bound if order[0].descending else columns > bound
    alternatives: list[ColumnElement[bool]] = []
    equal: list[ColumnElement[bool]] = []
    for key, value in zip(order, values, strict=True):
        alternatives.append(and_(*equal, key.column < value if key.descending else key.column > value))
        equal.append(key.column == value)
    return or_(*alternatives)


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"t": value.astimezone(UTC).isoformat()}
    return value


def _from_json(value: Any) -> Any:
    return datetime.fromisoformat(str(value["t"])) if isinstance(value, dict) else value  # pyright: ignore[reportUnknownArgumentType]


def _bad_cursor() -> Invalid:
    sentence = "is not a cursor of this list; start again without it"
    return Invalid("The cursor cannot be used here.", fields={"cursor": sentence})
