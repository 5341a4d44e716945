"""Units people type: Kubernetes quantities for memory and CPU, Go-like durations. Pure."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

_MEMORY = re.compile(r"^(\d+(?:\.\d+)?)([kMGTPE]|[KMGTPE]i)?$")
_FACTORS = {"": 1, "k": 10**3} | {
    unit: power
    for i, letter in enumerate("MGTPE", start=2)
    for unit, power in ((letter, 1000**i), (f"{letter}i", 1024**i))
}
_FACTORS["Ki"] = 1024
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = timedelta(days=366)


def parse_memory(value: Any) -> Any:
    """`"2Gi"`, `"500M"` or a number of bytes → bytes. Decimal and binary suffixes as in Kubernetes."""
    if isinstance(value, str):
        match = _MEMORY.match(value.strip())
        if match is None:
            raise ValueError("memory must be a quantity such as '2Gi' or '500Mi'")
        return int(Decimal(match[1]) * _FACTORS[match[2] or ""])
    if isinstance(value, float) and math.isfinite(value):
        return int(value)
    return value


def format_memory(value: int) -> str:
    """Bytes → the shortest exact quantity, binary units first."""
    for unit in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
        if value and value % _FACTORS[unit] == 0:
            return f"{value // _FACTORS[unit]}{unit}"
    return str(value)


def parse_cpu(value: Any) -> Any:
    """`2`, `"0.5"` or `"500m"` → cores."""
    if isinstance(value, bool):
        raise ValueError("cpu must be a number of cores such as 2, 0.5 or '500m'")
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"\d+m", text):
            return int(text[:-1]) / 1000
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return float(text)
        raise ValueError("cpu must be a number of cores such as 2, 0.5 or '500m'")
    return value


def parse_duration(value: Any) -> Any:
    """`"1h30m"`, `"90s"` or a number of seconds → timedelta, at most 366 days."""
    if isinstance(value, timedelta):
        return _bounded(value)
    if isinstance(value, bool) or value is None:
        raise ValueError("a duration must look like '90s', '5m' or '1h30m'")
    if isinstance(value, int | float):
        return _bounded(_seconds(float(value)))
    if isinstance(value, str):
        text = value.strip()
        parts = _DURATION.findall(text)
        if not parts or "".join(number + unit for number, unit in parts) != text:
            raise ValueError("a duration must look like '90s', '5m' or '1h30m'")
        return _bounded(_seconds(sum(float(number) * _SECONDS[unit] for number, unit in parts)))
    return value


def _seconds(value: float) -> timedelta:
    if not math.isfinite(value) or abs(value) > _LONGEST.total_seconds() * 10:
        raise ValueError("a duration must be between 0 and 366 days")
    return timedelta(seconds=value)


def _bounded(value: timedelta) -> timedelta:
    if not timedelta(0) <= value <= _LONGEST:
        raise ValueError("a duration must be between 0 and 366 days")
    return value


def format_duration(value: timedelta) -> str:
    """timedelta → `1h30m`, `45s`, `0s`."""
    milliseconds = round(value.total_seconds() * 1000)
    out = ""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, milliseconds = divmod(milliseconds, size)
        if count:
            out += f"{count}{unit}"
    return out or "0s"
