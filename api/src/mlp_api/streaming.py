"""What streams need beside their events: whether the caller may still read."""

from __future__ import annotations

from fastapi import Request

from mlp.schemas.phases import Role
from mlp_api.auth import Authenticator
from mlp_api.platform import Platform
from mlp_api.sse import Recheck
from mlp_core.scope import enter_project


def recheck_of(
    request: Request, platform: Platform, authenticator: Authenticator, project_id: str, needs: Role
) -> Recheck:
    """Asks again for the credential and for the role in the project."""

    async def recheck() -> None:
        subject = await authenticator.identify_request(request)
        async with platform.database.transaction() as session:
            await enter_project(session, subject, project_id, needs)

    return recheck
