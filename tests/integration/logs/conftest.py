from __future__ import annotations

import pytest

from support.logged import LoggedJob, logged_job
from support.platform import Api


@pytest.fixture
async def logged(api: Api) -> LoggedJob:
    return await logged_job(api)
