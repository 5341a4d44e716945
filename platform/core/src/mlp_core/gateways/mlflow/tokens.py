"""Names of tenants on the MLflow server, and the short-lived tokens with which the platform speaks to it.

A project's workspace and users are named after its id, never its slug: a slug may be given to another project once
its first one is deleted, and MLflow reserves some words that are fine as slugs.
"""

from __future__ import annotations

from dataclasses import dataclass

from joserfc import jwt
from joserfc.jwk import OctKey

from mlp_core.kit.clock import Clock

PLATFORM_USER = "platform"
ANY_WORKSPACE = "*"
DEFAULT_WORKSPACE = "default"
"""Belongs to no project; MLflow wants one also for what concerns the whole server."""
WORKSPACE_HEADER = "X-MLFLOW-WORKSPACE"
LIFETIME_SECONDS = 300
_RENEW_BEFORE_SECONDS = 120


def workspace_of(project_id: str) -> str:
    """`prj_01J...` → `project-01j...`: what MLflow calls the project's workspace."""
    return f"project-{project_id.removeprefix('prj_').lower()}"


def writer_of(project_id: str) -> str:
    """The MLflow user that may change everything in the project's workspace and nothing elsewhere."""
    return workspace_of(project_id)


def reader_of(project_id: str) -> str:
    """The MLflow user that may only read the project's workspace."""
    return workspace_of(project_id).replace("project-", "viewer-", 1)


@dataclass(frozen=True, slots=True)
class _Minted:
    token: str
    renew_at: float


class Minter:
    """Signs tokens of type `mlflow`, and gives the same one out again while it is fresh."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._key = OctKey.import_key(secret)
        self._clock = clock
        self._fresh: dict[tuple[str, str], _Minted] = {}

    def headers(self, user: str, workspace: str, *, any_workspace: bool = False) -> dict[str, str]:
        """What a request as `user` in `workspace` has to carry."""
        claim = ANY_WORKSPACE if any_workspace else workspace
        return {"Authorization": f"Bearer {self._token(user, claim)}", WORKSPACE_HEADER: workspace}

    def _token(self, user: str, workspace: str) -> str:
        now = self._clock.now().timestamp()
        known = self._fresh.get((user, workspace))
        if known is not None and now < known.renew_at:
            return known.token
        claims = {
            "iss": "mlp",
            "typ": "mlflow",
            "sub": user,
            "workspace": workspace,
            "iat": int(now),
            "exp": int(now) + LIFETIME_SECONDS,
        }
        token = jwt.encode({"alg": "HS256"}, claims, self._key)
        self._forget_stale(now)
        self._fresh[user, workspace] = _Minted(token, now + LIFETIME_SECONDS - _RENEW_BEFORE_SECONDS)
        return token

    def _forget_stale(self, now: float) -> None:
        self._fresh = {who: minted for who, minted in self._fresh.items() if now < minted.renew_at}
