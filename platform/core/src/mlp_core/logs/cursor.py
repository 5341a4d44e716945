"""Where a reader of a log stands, as an opaque text."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from mlp_core.domain.errors import Invalid
from mlp_core.logs.lines import Position

_MOST_BYTES = 4 * 2**20
"""Of a cursor unpacked; some 50,000 sources."""


@dataclass(frozen=True, slots=True)
class LogCursor:
    """The next line of each source of one attempt. Sources not named are read from their start."""

    attempt_id: str
    positions: Mapping[str, Position] = field(default_factory=dict[str, Position])

    def encode(self) -> str:
        sources = {source: [at.byte, at.line] for source, at in self.positions.items()}
        raw = json.dumps({"a": self.attempt_id, "p": sources}, separators=(",", ":"), sort_keys=True).encode()
        return base64.urlsafe_b64encode(zlib.compress(raw, 1)).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> LogCursor:
        """Raises `Invalid` for what no `encode` made."""
        try:
            packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            unpacker = zlib.decompressobj()
            raw = unpacker.decompress(packed, _MOST_BYTES)
            if not unpacker.eof:
                raise ValueError("cut off")
            value = cast("dict[str, Any]", json.loads(raw))
            positions = {str(source): Position(_count(at[0]), _count(at[1])) for source, at in value["p"].items()}
            return cls(str(value["a"]), positions)
        except (binascii.Error, zlib.error, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise not_a_cursor() from error


def not_a_cursor() -> Invalid:
    return Invalid(
        "The cursor does not belong to this log.",
        hint="Use a cursor as it was given, with the same job and attempt; or leave it out to start over.",
        fields={"cursor": "not a cursor of this log"},
    )


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError("a position is a count")
    return value
