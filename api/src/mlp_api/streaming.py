"""What streams need beside their events: whether the caller may still read."""

from __future__ import annotations

from fastapi import Request

from mlp.schemas.phases import Role
from mlp_api.auth import Authenticator, bearer_of
from mlp_api.platform import Platform
from mlp_api.sse import Recheck
from mlp_core.domain.errors import NotSignedIn
from mlp_core.scope import Subject, enter_project


async def identify_again(request: Request, authenticator: Authenticator) -> Subject:
    """Raises `NotSignedIn` or `AttemptOver` once the credential is no longer good."""
    credential = bearer_of(request)
    if credential is None:
        raise NotSignedIn("No token was given.")
    return await authenticator.identify(credential)


def recheck_of(
    request: Request, platform: Platform, authenticator: Authenticator, project_id: str, needs: Role
) -> Recheck:
    """Asks again for the credential and for the role in the project."""

    async def recheck() -> None:
        subject = await identify_again(request, authenticator)
        async with platform.database.transaction() as session:
            await enter_project(session, subject, project_id, needs)

    return recheck
