"""Reading names and dates out of a certificate that did not verify.

The standard library decodes only certificates it trusts, and the one to be named in the error is by definition not
trusted. This reads the four fields wanted from the DER form (X.690) and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_VERSION = 0xA0
_COMMON_NAME, _ORGANISATION = bytes([0x55, 4, 3]), bytes([0x55, 4, 10])
_UTC_TIME = 0x17


@dataclass(frozen=True, slots=True)
class Certificate:
    subject: str
    issuer: str
    not_before: str
    not_after: str


def decode(der: bytes) -> Certificate | None:
    """The names and dates in `der`, or `None` where it is not a certificate of a form known here."""
    try:
        _, whole, _ = _element(der)
        _, body, _ = _element(whole)
        fields = [value for tag, value in _elements(body) if tag != _VERSION]
        _serial, _algorithm, issuer, validity, subject = fields[:5]
        not_before, not_after = (_date(tag, value) for tag, value in _elements(validity))
        return Certificate(_name(subject), _name(issuer), not_before, not_after)
    except (IndexError, ValueError):
        return None


def _element(data: bytes) -> tuple[int, bytes, bytes]:
    """First element: tag, content, and what follows it."""
    tag, length, start = data[0], data[1], 2
    if length & 0x80:
        size = length & 0x7F
        start += size
        length = int.from_bytes(data[2:start], "big")
    if start + length > len(data):
        raise ValueError("cut short")
    return tag, data[start : start + length], data[start + length :]


def _elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        tag, value, data = _element(data)
        yield tag, value


def _name(data: bytes) -> str:
    """The common name, else the organisation, else a placeholder."""
    found: dict[bytes, str] = {}
    for _, relative in _elements(data):
        for _, pair in _elements(relative):
            (_, oid), (_, text) = list(_elements(pair))[:2]
            found[oid] = text.decode("utf-8", errors="replace")
    return found.get(_COMMON_NAME) or found.get(_ORGANISATION) or "an authority without a name"


def _date(tag: int, value: bytes) -> str:
    """`YYMMDD...` or `YYYYMMDD...` → `YYYY-MM-DD`. Two-digit years below 50 are of this century (RFC 5280)."""
    text = value.decode("ascii")
    if tag == _UTC_TIME:
        text = ("20" if text[:2] < "50" else "19") + text
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}"
