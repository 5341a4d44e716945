"""The ASGI application: which routers there are, and what surrounds them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware

from mlp.schemas import artifacts
from mlp.schemas.packages import PART_BYTES
from mlp_api import openapi, problems
from mlp_api.auth import Authenticator
from mlp_api.middleware import BodyLimit, BodyLimits, ClientVersions, PlainPaths, RequestContext
from mlp_api.platform import Platform
from mlp_api.routers import AT_ROOT, BELOW_API
from mlp_api.routers.agent import MAX_RESULT_BYTES
from mlp_api.versions import SERVER_VERSION
from mlp_api.web import WebApp

API = "/api/v1"
DEFAULT_BODY_BYTES = 2**20
BODY_LIMITS = (
    BodyLimit(re.compile(rf"{API}/projects/[^/]+/packages/[^/]+/parts/\d+"), PART_BYTES),
    # gzip of 1 MiB that cannot be compressed is a little larger than it.
    BodyLimit(re.compile(rf"{API}/agent/segments"), 2 * 2**20),
    BodyLimit(re.compile(rf"{API}/agent/result"), MAX_RESULT_BYTES),
    BodyLimit(re.compile(rf"{API}/agent/artifacts/[^/]+/parts/\d+"), artifacts.PART_BYTES),
    BodyLimit(re.compile(r"/mlflow/.*"), None),
)


def create_app(platform: Platform) -> FastAPI:
    """The api on `platform`. Nothing is global: a process may hold several, as tests do."""
    app = FastAPI(
        title="mlp platform",
        version=SERVER_VERSION,
        description=openapi.DESCRIPTION,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # its scripts come from a stranger's server, which our content policy forbids
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        middleware=_middleware(platform),
        lifespan=_lifespan,
        separate_input_output_schemas=True,
    )
    app.state.platform = platform
    app.state.authenticator = Authenticator(platform)
    problems.install(app)
    for router in BELOW_API:
        app.include_router(router, prefix=API)
    for router in AT_ROOT:
        app.include_router(router)
    openapi.install(app)
    # Not a route: one for every path would turn "no such route" and "wrong method" of the others into its own.
    app.state.web = app.router.default = WebApp(platform.settings.web_dir, otherwise=app.router.default)
    return app


def _middleware(platform: Platform) -> list[Middleware]:
    """Outermost first."""
    return [
        Middleware(RequestContext),
        Middleware(PlainPaths),
        Middleware(ClientVersions, public_url=platform.settings.public_url),
        Middleware(BodyLimits, default=DEFAULT_BODY_BYTES, limits=BODY_LIMITS),
    ]


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    platform: Platform = app.state.platform
    keeping = asyncio.create_task(platform.mlflow.server_info.keep_fresh())
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])
        await platform.close()


def _operation_id(route: APIRoute) -> str:
    """The function's name: stable for generated clients, and unique by a test."""
    return route.name
