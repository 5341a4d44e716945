"""Everything of the platform in the cluster, held in memory by list and watch.

A reflector lists its kind, then follows a watch from that version on: through bookmarks, through ended and broken
connections, with a new list where the version is too old (410) and one now and then anyway. Watches only make things
come sooner: what is read here is believed for as long as the API server is being heard, and no longer.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import structlog

from mlp_operator.engines.kubernetes.client import ExpiredError, Kind, KubeClient, WatchEvent
from mlp_operator.engines.port import EngineError

Manifest = dict[str, Any]
Keys = Callable[[Manifest], Iterable[str]]
"""What an object is found by."""
Changed = Callable[[Manifest], None]

_AGAIN_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 10.0

log = structlog.get_logger(__name__)


class Store:
    """Objects of one kind, by uid and by the keys that `keys` gives them."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._objects: dict[str, Manifest] = {}
        self._found: dict[str, dict[str, None]] = defaultdict(dict)

    def put(self, manifest: Manifest) -> bool:
        """Whether it says something new."""
        uid = str(manifest["metadata"]["uid"])
        known = self._objects.get(uid)
        if known is not None and _version(known) == _version(manifest):
            return False
        self.drop(uid)
        self._objects[uid] = manifest
        for key in self._keys(manifest):
            self._found[key][uid] = None
        return True

    def put_made(self, manifest: Manifest) -> None:
        """Take what we have just made, before the watch brings it: it must not be missed by a look right after."""
        if str(manifest["metadata"]["uid"]) in self._objects:
            self.put_newer(manifest)
        else:
            self.put(manifest)

    def put_newer(self, manifest: Manifest) -> None:
        """Take the answer to a write of ours, unless the watch has brought something newer already."""
        known = self._objects.get(str(manifest["metadata"]["uid"]))
        if known is not None and int(_version(manifest)) > int(_version(known)):
            self.put(manifest)

    def drop(self, uid: str) -> Manifest | None:
        manifest = self._objects.pop(uid, None)
        if manifest is not None:
            for key in self._keys(manifest):
                self._found[key].pop(uid, None)
                if not self._found[key]:
                    del self._found[key]
        return manifest

    def replace(self, manifests: list[Manifest]) -> list[Manifest]:
        """Hold exactly these; answers what changed, and what is gone."""
        kept = {str(manifest["metadata"]["uid"]) for manifest in manifests}
        gone = [self.drop(uid) for uid in list(self._objects) if uid not in kept]
        changed = [manifest for manifest in manifests if self.put(manifest)]
        return [*changed, *(manifest for manifest in gone if manifest is not None)]

    def by(self, key: str) -> list[Manifest]:
        return [self._objects[uid] for uid in self._found.get(key, {})]

    def all(self) -> list[Manifest]:
        return list(self._objects.values())

    def keys(self) -> frozenset[str]:
        return frozenset(self._found)

    def __len__(self) -> int:
        return len(self._objects)


class Reflector:
    """Keeps a store like the cluster."""

    def __init__(
        self, client: KubeClient, kind: Kind, store: Store, *, selector: str | None, resync_seconds: float,
        changed: Changed,
    ) -> None:  # fmt: skip
        self.store = store
        self._client = client
        self._kind = kind
        self._query = {"labelSelector": selector} if selector else {}
        self._resync = resync_seconds
        self._changed = changed
        self._broken_at: float | None = None
        self._listed_at = float("-inf")
        self._version = ""
        self._error: EngineError | None = None
        self.listed = asyncio.Event()
        """Set once the store has been filled for the first time."""
        self.tried = asyncio.Event()
        """Set once that was done, or failed for the first time."""

    @property
    def broken_seconds(self) -> float:
        """Since it is known that nothing is heard any more; 0 while all is well."""
        return 0.0 if self._broken_at is None else time.monotonic() - self._broken_at

    @property
    def error(self) -> EngineError | None:
        """Why it is silent, where that is known."""
        return self._error

    async def run(self) -> None:
        """Until cancelled."""
        pause = _AGAIN_SECONDS
        while True:
            try:
                await self._follow()
                pause = _AGAIN_SECONDS
            except ExpiredError:
                log.info("watch_expired", kind=self._kind.plural)
                self._version = ""
            except EngineError as error:
                log.warning("watch_broken", kind=self._kind.plural, error=str(error))
                await self._rest(error, pause)
                pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)
            except Exception as error:
                # Nobody would miss a watch that a defect has ended, and nothing would ever be seen again.
                log.exception("watch_failed", kind=self._kind.plural)
                await self._rest(EngineError(f"The watch of {self._kind.plural} failed: {error!r}"), pause)
                pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)

    async def _rest(self, error: EngineError, seconds: float) -> None:
        self._error = error
        self._broken_at = time.monotonic() if self._broken_at is None else self._broken_at
        self.tried.set()
        await asyncio.sleep(seconds)

    async def _follow(self) -> None:
        """One list where one is due, and one watch."""
        if not self._version or time.monotonic() - self._listed_at > self._resync:
            await self._list()
        until = self._listed_at + self._resync
        try:
            async with asyncio.timeout(max(1.0, until - time.monotonic())):
                async for event in self._client.watch(self._kind, self._version, **self._query):
                    self._take(event)
        except TimeoutError:
            # Time for a new list; the watch itself was well.
            return
        self._heard()

    async def _list(self) -> None:
        found, version = await self._client.list(self._kind, **self._query)
        changed = self.store.replace(found)
        self._version, self._listed_at = version, time.monotonic()
        self.listed.set()
        self.tried.set()
        self._heard()
        for manifest in changed:
            self._changed(manifest)

    def _take(self, event: WatchEvent) -> None:
        self._heard()
        if event.type == "OPENED":
            return
        self._version = _version(event.object)
        if event.type == "BOOKMARK":
            return
        if event.type == "DELETED":
            self.store.drop(str(event.object["metadata"]["uid"]))
            self._changed(event.object)
        elif self.store.put(event.object):
            self._changed(event.object)

    def _heard(self) -> None:
        self._broken_at = None
        self._error = None


def _version(manifest: Manifest) -> str:
    return str(manifest["metadata"]["resourceVersion"])
