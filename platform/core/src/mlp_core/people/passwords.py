"""Passwords, by argon2id. A hash takes some 50 ms and 64 MiB on purpose: made off the event loop, few at a time."""

from __future__ import annotations

import asyncio
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

AT_ONCE = 2
"""Hashes computed at the same time per process: a burst of sign-ins costs time, never all memory."""

_hasher = PasswordHasher()
_slots = asyncio.Semaphore(AT_ONCE)


async def hash_password(password: str) -> str:
    async with _slots:
        return await asyncio.to_thread(_hasher.hash, password)


async def verify_password(password_hash: str | None, password: str) -> bool:
    """Whether `password` is the right one. Takes as long where there is no hash: nobody learns which users exist."""
    async with _slots:
        return await asyncio.to_thread(_verify, password_hash, password)


def _verify(password_hash: str | None, password: str) -> bool:
    try:
        _hasher.verify(password_hash or _nobodys_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


@cache
def _nobodys_hash() -> str:
    return _hasher.hash("no user has this password")
