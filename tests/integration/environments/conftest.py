from __future__ import annotations

import pytest

from mlp_api.platform import Platform
from support.platform import Api
from support.pools import make_pools
from support.tenants import Tenant, new_tenant


@pytest.fixture(scope="module", autouse=True)
async def pools(platform: Platform) -> None:
    await make_pools(platform)


@pytest.fixture
async def tenant(api: Api) -> Tenant:
    return await new_tenant(api)
