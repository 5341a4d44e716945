"""The object store: packages, log segments, results. A local folder or any S3-compatible store, by URL.

Objects are written whole or not at all, never changed in place, and read in ranges of bounded size, so memory stays
flat whatever their size and a broken connection costs at most one range.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, S3Store

from mlp_core.domain.errors import DomainError, Invalid, NotFound, Unavailable

if TYPE_CHECKING:  # they exist in obstore's stubs only
    from obstore.store import ClientConfig, RetryConfig

DEADLINE_SECONDS = 60.0
"""For one small operation or one range, its retries included."""
RANGE_BYTES = 8 * 1024 * 1024
"""How much of an object is in memory at once when it is read."""
PART_BYTES = 8 * 1024 * 1024
"""Size of an upload's parts; S3 takes 10,000 of them, so an object has at most 78 GiB."""
PARTS_IN_FLIGHT = 2

_CLIENT: ClientConfig = {
    "connect_timeout": timedelta(seconds=5),
    "timeout": timedelta(seconds=30),
    "read_timeout": timedelta(seconds=15),
}
_RETRIES: RetryConfig = {"max_retries": 4, "retry_timeout": timedelta(seconds=45)}


class ObjectStore:
    """Objects under keys such as `logs/prj_1/att_2/driver/0.gz`.

    Raises `NotFound` for an absent object, `Unavailable` where the store does not answer in time or has an error
    that may pass, `Invalid` for a key that no store can hold.
    """

    def __init__(self, store: LocalStore | S3Store) -> None:
        self._store = store

    @classmethod
    def from_url(cls, url: str) -> ObjectStore:
        """`file:///folder` (made if absent) or `s3://bucket/prefix`, the latter signed in by the `AWS_*` variables."""
        parts = urlsplit(url)
        if parts.scheme == "file" and not parts.netloc and len(parts.path) > 1:
            folder = Path(unquote(parts.path))
            folder.mkdir(parents=True, exist_ok=True)
            return cls(LocalStore(folder, automatic_cleanup=True))
        if parts.scheme == "s3" and parts.netloc:
            return cls(_s3(parts.netloc, unquote(parts.path).strip("/")))
        raise Invalid(
            f"'{url}' names no object store.", hint="Use file:///FOLDER or s3://BUCKET/PREFIX in MLP_OBJECT_STORE_URL."
        )

    async def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, replacing what is there in one step."""
        async with _deadline(key):
            await obstore.put_async(self._store, key, data, chunk_size=PART_BYTES, max_concurrency=PARTS_IN_FLIGHT)

    async def put_stream(self, key: str, chunks: AsyncIterable[bytes]) -> int:
        """Store what `chunks` yields, and say how many bytes it was. Nothing is stored if it raises.

        The source sets the pace, so there is no deadline for the whole; each part sent has its own.
        """
        source = _Source(chunks)
        try:
            with _mapped(key):
                await obstore.put_async(
                    self._store,
                    key,
                    source,
                    use_multipart=True,
                    chunk_size=PART_BYTES,
                    max_concurrency=PARTS_IN_FLIGHT,
                )
        except DomainError:
            if source.error is not None:
                raise source.error from None
            raise
        return source.total

    async def get(self, key: str) -> bytes:
        """The whole object; for what is known to be small."""
        async with _deadline(key):
            found = await obstore.get_async(self._store, key)
            return bytes(await found.bytes_async())

    async def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Bytes `[start, end)` of the object in pieces of at most `RANGE_BYTES`."""
        size = await self.size(key)
        if size is None:
            raise _absent(key)
        stop = size if end is None else min(end, size)
        while start < stop:
            upper = min(start + RANGE_BYTES, stop)
            async with _deadline(key):
                piece = bytes(await obstore.get_range_async(self._store, key, start=start, end=upper))
            yield piece
            start = upper

    async def size(self, key: str) -> int | None:
        """Bytes of the object; None where there is none."""
        try:
            async with _deadline(key):
                return (await obstore.head_async(self._store, key))["size"]
        except NotFound:
            return None

    async def delete(self, *keys: str) -> None:
        """Remove objects; absent ones are no error."""
        for key in keys:
            try:
                async with _deadline(key):
                    await obstore.delete_async(self._store, key)
            except NotFound:
                continue

    async def delete_prefix(self, prefix: str) -> None:
        """Remove every object below `prefix`, which ends at a `/` boundary."""
        await self.delete(*[key async for key in self.list(prefix)])

    async def list(self, prefix: str) -> AsyncIterator[str]:
        """Keys below `prefix` (a `/` boundary), in no promised order."""
        listing = obstore.list(  # pyright: ignore[reportUnknownMemberType] (its Arrow overloads, not used here)
            self._store, prefix.rstrip("/"), chunk_size=1000
        )
        while True:
            try:
                async with _deadline(prefix):
                    page = await anext(listing)
            except StopAsyncIteration:
                return
            for meta in page:
                yield meta["path"]

    async def check(self) -> None:
        """Whether the store answers at all; for `/readyz`.

        Raises:
            Unavailable: it does not.
        """
        await self.size("healthz")


class _Source:
    """Passes chunks on, counts their bytes, and keeps the error of their maker apart from those of the store."""

    def __init__(self, chunks: AsyncIterable[bytes]) -> None:
        self._chunks = chunks
        self.total = 0
        self.error: Exception | None = None

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        try:
            async for chunk in self._chunks:
                self.total += len(chunk)
                yield chunk
        except Exception as error:
            self.error = error
            raise


def _s3(bucket: str, prefix: str) -> S3Store:
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
    client: ClientConfig = {**_CLIENT, "allow_http": endpoint.startswith("http://")}
    return S3Store(bucket, prefix=prefix or None, client_options=client, retry_config=_RETRIES)


@asynccontextmanager
async def _deadline(key: str) -> AsyncGenerator[None]:
    try:
        with _mapped(key):
            async with asyncio.timeout(DEADLINE_SECONDS):
                yield
    except TimeoutError as error:
        raise Unavailable(f"The object store did not answer for '{key}' in {DEADLINE_SECONDS:.0f} s.") from error


@contextmanager
def _mapped(key: str) -> Generator[None]:
    """The one place that turns obstore's errors into ours."""
    try:
        yield
    except FileNotFoundError as error:
        raise _absent(key) from error
    except ValueError as error:
        raise Invalid(f"'{key}' is no key of an object.") from error
    except BaseError as error:
        raise Unavailable(f"The object store failed for '{key}': {_first_line(error)}") from error


def _absent(key: str) -> NotFound:
    return NotFound(f"The object store holds nothing under '{key}'.")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
