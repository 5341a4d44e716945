"""Errors for people: what happened, why, and the next command to type. And their exit codes."""

from __future__ import annotations

from mlp import errors
from mlp.cli.app import UsageProblem
from mlp.cli.text import one_line

DONE, JOB_FAILED, USAGE, NOT_ALLOWED, NOT_FOUND, CONFLICT, UNREACHABLE = 0, 1, 2, 3, 4, 5, 6
FAULT, INTERRUPTED = 70, 130

_CODES: tuple[tuple[type[errors.Error], int], ...] = (
    (UsageProblem, USAGE),
    (errors.JobEnded, JOB_FAILED),
    (errors.LocalError, USAGE),
    (errors.NotSignedIn, NOT_ALLOWED),
    (errors.NotAllowed, NOT_ALLOWED),
    (errors.NotFound, NOT_FOUND),
    (errors.Conflict, CONFLICT),
    (errors.PlatformUnreachable, UNREACHABLE),
    (errors.ServerFault, UNREACHABLE),
    (errors.LimitReached, CONFLICT),
    (errors.Invalid, USAGE),
    (errors.TooLarge, USAGE),
    (errors.ClientVersion, USAGE),
)
_NEXT: tuple[tuple[type[errors.Error], str], ...] = (
    (errors.NotSignedIn, "mlp login"),
    (errors.NotAllowed, "mlp whoami"),
    (errors.NotFound, "mlp job list, mlp project list"),
    (errors.Stale, "read it again and repeat the command"),
    (errors.PlatformUnreachable, "mlp doctor"),
    (errors.ServerFault, "mlp doctor"),
)


def exit_code(error: errors.Error) -> int:
    """0 done, 1 the job failed, 2 usage, 3 not signed in or not allowed, 4 not found, 5 conflict, 6 unreachable."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), JOB_FAILED)


def lines(error: errors.Error) -> list[str]:
    """The error as it is printed to standard error."""
    first, *rest = error.message.split("\n")
    shown = [f"Error: {one_line(first)}", *(one_line(line) for line in rest)]
    shown += _fields(error)
    if error.hint:
        shown.append(f"  {one_line(error.hint)}")
    following = next((text for kind, text in _NEXT if isinstance(error, kind)), None)
    if following is not None and (error.hint is None or following.split(",")[0] not in error.hint):
        shown.append(f"  Next: {following}")
    if error.request_id and isinstance(error, errors.ServerFault):
        shown.append(f"  Request {error.request_id} in the platform's log has the cause.")
    return shown


def _fields(error: errors.Error) -> list[str]:
    """The refused fields, where the sentence does not name them all already."""
    if not isinstance(error, errors.PlatformError) or len(error.errors) < 2:
        return []
    return [f"  {one_line(item.field)}: {one_line(item.message)}" for item in error.errors]
