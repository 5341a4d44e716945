"""A package on this machine: fetched once, and unpacked."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

from mlp.runtime.unpacking import unpack_checked
from mlp_operator.engines.local.settings import PackageSource


async def place(source: PackageSource, digest: str, code: Path) -> None:
    """Make `code` hold the package, once: whoever comes second finds it there.

    Raises:
        PackageMissingError: the store has no such package.
        BadPackageError: its bytes are not those of the digest, or it wants to write outside.
        EngineError: the store could not be read now.
    """
    if await asyncio.to_thread(code.is_dir):
        return
    draft = code.with_name(f".{code.name}.{os.getpid()}")
    archive = draft.with_suffix(".zip")
    try:
        await asyncio.to_thread(_clear, archive, draft)
        await source.fetch(digest, archive)
        await asyncio.to_thread(unpack_checked, archive, digest, draft)
        await asyncio.to_thread(_publish, draft, code)
    finally:
        await asyncio.to_thread(_clear, archive, draft)


def _publish(draft: Path, code: Path) -> None:
    try:
        draft.rename(code)
    except OSError:
        # Another operator was faster; its folder holds the same bytes.
        if not code.is_dir():
            raise


def _clear(archive: Path, draft: Path) -> None:
    archive.unlink(missing_ok=True)
    shutil.rmtree(draft, ignore_errors=True)
