"""Everything that can go wrong, as one tree. The platform's problem `code` picks the class.

Each error has what happened (`message`), what to do next (`hint`), and, where the platform answered, its stable `code`,
the HTTP `status` and the `request_id` under which the platform's own log knows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast


class Error(Exception):
    """Base of every error of this package."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status: int | None = None
        self.request_id: str | None = None

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class LocalError(Error):
    """Something on this side: a file, a setting, an argument. Nothing was sent."""

    code = "local"


class ConfigError(LocalError):
    """The configuration cannot be read, or a setting is missing."""

    code = "config"


class JobFileError(LocalError):
    """`mlp.yaml` says something the platform does not understand."""

    code = "job_file"

    def __init__(self, message: str, *, hint: str | None = None, path: str, line: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.line = line


class PackagingError(LocalError):
    """The folder cannot be packed as it is."""

    code = "packaging"


class PackageTooLarge(PackagingError):
    """More than a package may hold. `largest` names the biggest files with their bytes."""

    code = "package_too_large"

    def __init__(self, message: str, *, hint: str | None = None, largest: Sequence[tuple[str, int]]) -> None:
        super().__init__(message, hint=hint)
        self.largest = tuple(largest)


class NothingToPack(PackagingError):
    """The folder holds no file that would travel."""

    code = "nothing_to_pack"


class OutsideLink(PackagingError):
    """Symbolic links that leave the package's folder."""

    code = "outside_link"

    def __init__(self, message: str, *, hint: str | None = None, links: Sequence[str]) -> None:
        super().__init__(message, hint=hint)
        self.links = tuple(links)


class DownloadFailed(LocalError):
    """A file of a job cannot be had as it is stored."""

    code = "download_failed"


class PlatformUnreachable(Error):
    """No answer from the platform: refused, reset, timed out, or not the platform at all."""

    code = "unreachable"


class DeadlineExceeded(PlatformUnreachable):
    """The platform did not answer in time."""

    code = "deadline_exceeded"


class UntrustedCertificate(PlatformUnreachable):
    """The platform's certificate cannot be trusted. Never retried."""

    code = "untrusted_certificate"


class UnknownAuthority(UntrustedCertificate):
    """The certificate is signed by an authority this machine does not know."""

    code = "unknown_authority"


class CertificateExpired(UntrustedCertificate):
    """The certificate is out of date, or this machine's clock is."""

    code = "certificate_expired"


class WrongHostName(UntrustedCertificate):
    """The certificate belongs to another host name."""

    code = "wrong_host_name"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field that was refused. `field` is its path, such as `resources.groups.0.gpu`."""

    field: str
    message: str


class PlatformError(Error):
    """The platform answered with a problem document."""

    code = "platform_error"

    def __init__(self, problem: Mapping[str, Any], *, retry_after_seconds: float | None = None) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title") or "The platform refused the request."))
        self.code = str(problem.get("code") or type(self).code)
        self.hint = cast("str | None", problem.get("hint"))
        self.status = cast("int | None", problem.get("status"))
        self.request_id = cast("str | None", problem.get("request_id"))
        self.data: Mapping[str, Any] = problem.get("data") or {}
        self.retry_after_seconds = retry_after_seconds
        self.errors = tuple(
            FieldError(str(item.get("field", "")), str(item.get("message", "")))
            for item in cast("list[dict[str, Any]]", problem.get("errors") or [])
        )


class NotSignedIn(PlatformError):
    """No token, or one that is unknown, expired or revoked."""

    code = "not_signed_in"


class NotAllowed(PlatformError):
    """The caller may not do this."""

    code = "not_allowed"


class NotFound(PlatformError):
    """It does not exist, or the caller may not know that it does."""

    code = "not_found"


class Conflict(PlatformError):
    """The state of the resource does not allow this now."""

    code = "conflict"


class NameTaken(Conflict):
    code = "name_taken"


class AmbiguousName(Conflict):
    """Several have this name; use the id."""

    code = "ambiguous_name"


class IdempotencyMismatch(Conflict):
    """The idempotency key was used for another request before."""

    code = "idempotency_mismatch"


class StillInUse(Conflict):
    code = "still_in_use"


class WrongPhase(Conflict):
    """Not possible in the phase that it is in."""

    code = "wrong_phase"


class Stale(Conflict):
    """The resource changed since it was read (If-Match)."""

    code = "version_conflict"


class Invalid(PlatformError):
    """The request is not valid; `errors` names the fields."""

    code = "invalid"


class CanNeverFit(Invalid):
    """No pool could ever hold this; the message names the largest that could."""

    code = "can_never_fit"


class DigestMismatch(Invalid):
    """What arrived is not what was announced."""

    code = "digest_mismatch"


class UnsafePackage(Invalid):
    """The archive holds paths that would leave the folder it is unpacked in."""

    code = "unsafe_package"


class TooLarge(PlatformError):
    """More bytes than the platform takes in one request."""

    code = "too_large"


class LimitReached(PlatformError):
    """A limit of the project, or too many requests: then `retry_after_seconds` says when to come back."""

    code = "limit_reached"


class ClientVersion(PlatformError):
    """The client and the platform do not fit together; the hint is the line to type."""

    code = "client_version"


class ClientTooOld(ClientVersion):
    code = "client_too_old"


class ClientTooNew(ClientVersion):
    code = "client_too_new"


class ServerFault(PlatformError):
    """The platform failed at it (5xx). `request_id` finds it in the platform's log."""

    code = "server_fault"


class Unavailable(ServerFault):
    """A part of the platform does not answer now; trying again later may help."""

    code = "unavailable"


class JobEnded(Error):
    """A job that was waited for did not succeed. `job` is the job as it ended."""

    def __init__(self, message: str, *, hint: str | None = None, job: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.job = job


class JobFailed(JobEnded):
    """The job failed; `job.failure` has the class and the evidence."""

    code = "job_failed"


class JobCancelled(JobEnded):
    """The job was cancelled."""

    code = "job_cancelled"


class WaitTimedOut(Error):
    """The job had not ended when the caller's patience did. The job goes on."""

    code = "wait_timed_out"


class RemoteCallError(Error):
    """A remote function cannot be sent, or its result cannot be read back."""

    code = "remote_call"


_BY_CODE: dict[str, type[PlatformError]] = {
    kind.code: kind
    for kind in (
        NotSignedIn, NotAllowed, NotFound, Conflict, NameTaken, AmbiguousName, IdempotencyMismatch, StillInUse,
        WrongPhase, Stale, Invalid, CanNeverFit, DigestMismatch, UnsafePackage, TooLarge, LimitReached,
        ClientTooOld, ClientTooNew, ServerFault, Unavailable,
    )
}  # fmt: skip
_BY_STATUS: dict[int, type[PlatformError]] = {
    400: Invalid,
    401: NotSignedIn,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    412: Stale,
    413: TooLarge,
    422: Invalid,
    426: ClientTooOld,
    428: Stale,
    429: LimitReached,
}


def from_problem(problem: Mapping[str, Any], *, retry_after_seconds: float | None = None) -> PlatformError:
    """The error class for a problem document: by its code where it is known, else by its status."""
    status = problem.get("status")
    kind = _BY_CODE.get(str(problem.get("code")))
    if kind is None and isinstance(status, int):
        kind = _BY_STATUS.get(status) or (ServerFault if status >= 500 else None)
    return (kind or PlatformError)(problem, retry_after_seconds=retry_after_seconds)
