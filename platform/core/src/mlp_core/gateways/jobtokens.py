"""Job tokens: what an attempt's processes sign in with. Made again from the attempt at any time, never stored.

A token says which attempt it belongs to; whether that attempt is still alive is asked of Postgres at each use.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from mlp_core.domain.errors import NotSignedIn
from mlp_core.domain.ids import AttemptId, JobId, ProjectId

ISSUER = "mlp"
TOKEN_TYPE = "job"  # noqa: S105 (a kind of token, not a secret)
ALGORITHM = "HS256"
LIFETIME = timedelta(days=30)
LEEWAY_SECONDS = 60
"""How far the clocks of two machines of the platform may differ."""


@dataclass(frozen=True, slots=True)
class JobToken:
    """What a job token says. `issued_at` is the attempt's `created_at`, so the same attempt gives the same token."""

    attempt_id: AttemptId
    job_id: JobId
    project_id: ProjectId
    slug: str
    issued_at: datetime


class JobTokens:
    """Signs and verifies job tokens with the platform's secret."""

    def __init__(self, secret: str) -> None:
        self._key = OctKey.import_key(secret)

    def sign(self, token: JobToken) -> str:
        issued = int(token.issued_at.timestamp())
        claims = {
            "iss": ISSUER,
            "typ": TOKEN_TYPE,
            "sub": token.attempt_id,
            "job": token.job_id,
            "project": token.project_id,
            "slug": token.slug,
            "iat": issued,
            "exp": issued + int(LIFETIME.total_seconds()),
        }
        return jwt.encode({"alg": ALGORITHM, "typ": "JWT"}, claims, self._key)

    def verify(self, text: str, now: datetime) -> JobToken:
        """What `text` says.

        Raises:
            NotSignedIn: it was not signed by this platform as a job token, or has expired.
        """
        try:
            claims = jwt.decode(text, self._key, algorithms=[ALGORITHM]).claims
            _claims_at(now).validate(claims)
        except (JoseError, ValueError) as error:
            raise NotSignedIn("The job token is not valid or has expired.") from error
        return JobToken(
            AttemptId(str(claims["sub"])),
            JobId(str(claims["job"])),
            ProjectId(str(claims["project"])),
            str(claims["slug"]),
            datetime.fromtimestamp(int(claims["iat"]), UTC),
        )


def looks_like_job_token(text: str) -> bool:
    """Tell a JWT from a user token, which never holds a dot."""
    return text.count(".") == 2


def _claims_at(now: datetime) -> jwt.JWTClaimsRegistry:
    return jwt.JWTClaimsRegistry(
        now=int(now.timestamp()),
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": ISSUER},
        typ={"essential": True, "value": TOKEN_TYPE},
        sub={"essential": True},
        job={"essential": True},
        project={"essential": True},
        slug={"essential": True},
        iat={"essential": True},
        exp={"essential": True},
    )
