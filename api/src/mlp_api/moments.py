"""Times as people give them to lists and logs: `10m` ago, or an RFC 3339 instant."""

from __future__ import annotations

from datetime import datetime, timedelta

from mlp.schemas.units import parse_duration
from mlp_core.domain.errors import Invalid

DESCRIPTION = "An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now."


def moment(field: str, text: str | None, now: datetime) -> datetime | None:
    """The instant that `text` means; None for none.

    Raises:
        Invalid: it is neither a duration nor an instant with a zone.
    """
    if text is None:
        return None
    try:
        back = parse_duration(text)
    except ValueError:
        return _instant(field, text)
    return now - back if isinstance(back, timedelta) else _instant(field, text)


def _instant(field: str, text: str) -> datetime:
    try:
        # In a query string an unescaped `+01:00` arrives with a space.
        found = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    except ValueError as error:
        raise _bad(field, text) from error
    if found.tzinfo is None or not 1970 <= found.year < 2200:
        raise _bad(field, text)
    return found


def _bad(field: str, text: str) -> Invalid:
    return Invalid(
        f"'{text[:100]}' is no time.",
        hint="Give a duration such as 10m, or a time with its zone such as 2026-12-01T08:00:00Z.",
        fields={field: "is neither a duration nor a time with a zone"},
    )
