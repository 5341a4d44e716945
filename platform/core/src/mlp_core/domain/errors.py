"""The error tree. Codes are stable, `kind` is the sort of mistake; only `mlp_api.problems` knows HTTP."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar


class Kind(StrEnum):
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    PRECONDITION = "precondition"
    GONE = "gone"
    INVALID = "invalid"
    TOO_LARGE = "too_large"
    LIMITED = "limited"
    UPGRADE = "upgrade"
    UNAVAILABLE = "unavailable"


class DomainError(Exception):
    """A rule of the platform said no. `detail` is a sentence, `hint` the next thing to do."""

    code: ClassVar[str] = "error"
    kind: ClassVar[Kind] = Kind.INVALID
    title: ClassVar[str] = "The request cannot be done"

    def __init__(
        self,
        detail: str,
        *,
        hint: str | None = None,
        fields: dict[str, str] | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint
        self.fields = fields or {}
        self.data = data or {}


class NotSignedIn(DomainError):
    code = "not_signed_in"
    kind = Kind.UNAUTHENTICATED
    title = "Not signed in"


class NotAllowed(DomainError):
    code = "not_allowed"
    kind = Kind.FORBIDDEN
    title = "Not allowed"


class NotFound(DomainError):
    """Also the answer for what belongs to somebody else: its existence is not told."""

    code = "not_found"
    kind = Kind.NOT_FOUND
    title = "Not found"

    @classmethod
    def of(cls, kind: str, name: str, hint: str | None = None) -> NotFound:
        return cls(f"There is no {kind} '{name}' here.", hint=hint)


class NameTaken(DomainError):
    code = "name_taken"
    kind = Kind.CONFLICT
    title = "Name taken"


class Ambiguous(DomainError):
    code = "ambiguous_name"
    kind = Kind.CONFLICT
    title = "Ambiguous name"


class IdempotencyMismatch(DomainError):
    code = "idempotency_mismatch"
    kind = Kind.CONFLICT
    title = "Idempotency key reused with another request"


class StillInUse(DomainError):
    code = "still_in_use"
    kind = Kind.CONFLICT
    title = "Still in use"


class WrongPhase(DomainError):
    code = "wrong_phase"
    kind = Kind.CONFLICT
    title = "Not possible in this phase"


class LogGap(DomainError):
    code = "log_gap"
    kind = Kind.CONFLICT
    title = "Bytes before this segment are missing"


class AttemptOver(DomainError):
    """A late write of an attempt that has ended: refused, so that it cannot touch its successor's."""

    code = "attempt_over"
    kind = Kind.GONE
    title = "The attempt has ended"


class VersionConflict(DomainError):
    code = "version_conflict"
    kind = Kind.PRECONDITION
    title = "Changed meanwhile"


class Invalid(DomainError):
    code = "invalid"
    kind = Kind.INVALID
    title = "Invalid request"


class CanNeverFit(DomainError):
    """No pool this project may use can hold it; `data` carries the largest that could."""

    code = "can_never_fit"
    kind = Kind.INVALID
    title = "Can never fit"


class DigestMismatch(DomainError):
    code = "digest_mismatch"
    kind = Kind.INVALID
    title = "Content does not match its digest"


class UnsafePackage(DomainError):
    code = "unsafe_package"
    kind = Kind.INVALID
    title = "Unsafe package"


class TooLarge(DomainError):
    code = "too_large"
    kind = Kind.TOO_LARGE
    title = "Too large"


class LimitReached(DomainError):
    code = "limit_reached"
    kind = Kind.LIMITED
    title = "Limit reached"


class ClientTooOld(DomainError):
    code = "client_too_old"
    kind = Kind.UPGRADE
    title = "Client too old"


class ClientTooNew(DomainError):
    code = "client_too_new"
    kind = Kind.UPGRADE
    title = "Client too new"


class Unavailable(DomainError):
    """A dependency does not answer now; trying again later may help."""

    code = "unavailable"
    kind = Kind.UNAVAILABLE
    title = "Temporarily unavailable"
