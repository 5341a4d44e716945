"""From what people pass to `submit` to what is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlp import errors

if TYPE_CHECKING:
    from mlp.schemas.jobs import JobCreate


def job_create(fields: Mapping[str, Any]) -> JobCreate:
    """Check the fields of a job here, before anything is packed or sent.

    Raises:
        Invalid: as the platform would raise it, with the fields named.
    """
    from pydantic import ValidationError

    from mlp.schemas.jobs import JobCreate

    try:
        return JobCreate.model_validate(dict(fields))
    except ValidationError as error:
        raise invalid(error.errors(include_url=False)) from None


def split_package(package: Path | str | None) -> tuple[Path | None, str | None]:
    """What `package` means: a folder to send, or the digest of one that the platform has."""
    if isinstance(package, str) and package.startswith("sha256:"):
        return None, package
    return (None if package is None else Path(package)), None


def invalid(found: Sequence[Any], what: str = "The job") -> errors.Invalid:
    """A validation failure of pydantic's as the error that the platform's answer would be."""
    problems = [
        {
            "field": ".".join(str(part) for part in item["loc"]),
            "message": str(item["msg"]).removeprefix("Value error, "),
        }
        for item in found
    ]
    first = problems[0]
    where = f"{first['field']}: " if first["field"] else ""
    return errors.Invalid(
        {
            "code": "invalid",
            "status": 422,
            "detail": f"{what} is not valid: {where}{first['message']}",
            "errors": problems,
        }
    )
