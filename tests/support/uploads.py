"""Packages as a client packs and sends them."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from collections.abc import Callable

import httpx

from mlp.schemas.packages import PART_BYTES


def zipped(files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda _: None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            change(info)
            archive.writestr(info, data)
    return buffer.getvalue()


def digest_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Uploader:
    """What a client does, step by step."""

    def __init__(self, http: httpx.AsyncClient, project: str) -> None:
        self.http = http
        self.base = f"/api/v1/projects/{project}/packages"

    async def begin(self, data: bytes, **more: object) -> httpx.Response:
        body = {"digest": digest_of(data), "size": len(data), "name": "code"} | more
        return await self.http.post(self.base, json=body)

    async def part(self, data: bytes, number: int) -> httpx.Response:
        piece = data[number * PART_BYTES : (number + 1) * PART_BYTES]
        return await self.http.put(f"{self.base}/{digest_of(data)}/parts/{number}", content=piece)

    async def complete(self, data: bytes) -> httpx.Response:
        return await self.http.post(f"{self.base}/{digest_of(data)}:complete")

    async def all(self, data: bytes) -> httpx.Response:
        begun = (await self.begin(data)).json()
        for number in range(begun["parts"]):
            if number not in begun["received"]:
                assert (await self.part(data, number)).status_code == 200
        return await self.complete(data)
