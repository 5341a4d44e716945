"""Which clients this api understands: those of its own generation (major.minor; any patch)."""

from __future__ import annotations

import re
from importlib.metadata import version

from mlp_core.domain.errors import ClientTooNew, ClientTooOld, DomainError

DISTRIBUTION = "mlplatform"
SERVER_VERSION = version("mlplatform-api")
CLIENT_VERSION = version(DISTRIBUTION)
"""Of the client that `/client/` serves."""

_NUMBERS = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.\d{1,6})?([a-zA-Z0-9.+-]*)")


def wheel_name() -> str:
    return f"{DISTRIBUTION}-{CLIENT_VERSION}-py3-none-any.whl"


def install_line(public_url: str) -> str:
    """What a person types to get the client that matches this platform."""
    return f"pip install {public_url.rstrip('/')}/client/{wheel_name()}"


def refuse_client(given: str, public_url: str) -> DomainError | None:
    """Why a client of version `given` cannot be served, with the line to type; None where it can."""
    theirs, ours = _generation(given), _generation(CLIENT_VERSION)
    if theirs is None or ours is None or theirs == ours:
        return None
    if theirs < ours:
        sentence = f"This client is version {given}; the platform is {CLIENT_VERSION} and no longer speaks with it."
        return ClientTooOld(sentence, hint=install_line(public_url))
    sentence = f"This client is version {given}; the platform is still {CLIENT_VERSION} and does not know it yet."
    return ClientTooNew(sentence, hint=install_line(public_url))


def _generation(text: str) -> tuple[int, int] | None:
    """(major, minor); None for what is no version, which is let through: it may be a tool of somebody's own."""
    match = _NUMBERS.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else None
