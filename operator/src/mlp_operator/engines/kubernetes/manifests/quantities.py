"""Amounts as Kubernetes writes them. Pure."""

from __future__ import annotations

import math
import re

_MEBIBYTE = 2**20
_QUANTITY = re.compile(r"^([0-9.]+)(m|k|Ki|[MGTPE]i?|)$")
_UNITS = {
    "": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip


def cores(value: float) -> str:
    """Whole cores, or thousandths: `2`, `500m`. Rounded up, so that what was asked for is there."""
    thousandths = math.ceil(round(value * 1000, 6))
    return str(thousandths // 1000) if thousandths % 1000 == 0 else f"{thousandths}m"


def memory(value: int) -> str:
    """Mebibytes where it is a whole number of them, else bytes."""
    return f"{value // _MEBIBYTE}Mi" if value % _MEBIBYTE == 0 else str(value)


def amount(text: object) -> float:
    """What a quantity means. Kubernetes answers it in another unit than it was given: `1000m` as `1`.

    Raises:
        ValueError: it is no quantity.
    """
    match = _QUANTITY.match(str(text))
    if match is None:
        raise ValueError(f"{text!r} is no quantity")
    return float(match[1]) * _UNITS[match[2]]
