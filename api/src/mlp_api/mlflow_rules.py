"""Which requests to MLflow pass, and which of them only read. Pure."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from mlp_core.domain.errors import NotFound

_API = r"(ajax-)?api/\d\.\d/(preview/)?mlflow/"
_CLOSED = re.compile(
    rf"{_API}(users/(?!current$)|roles|workspaces|gateway|webhooks"
    r"|jobs|scorers/invoke|assistant|prompt-optimization)"
    r"|(ajax-)?api/\d\.\d/genai|gateway/|assistant|mcp|signup|logout"
)
_READING_POSTS = re.compile(
    rf"{_API}.*(/search|/search-[a-z-]+|/get-[a-z-]+|/batch-?get[a-z-]*|/batchGet\w*|/query[a-z-]*|/metrics"
    r"|/calculate-[a-z-]+|-search)"
    r"|(ajax-)?(api/\d\.\d/mlflow/)?graphql"
)


def is_open(path: str) -> bool:
    """Whether members of a project may reach `path` at all. MLflow's server keeps a second, stricter list."""
    return not _CLOSED.match(path)


def only_reads(method: str, path: str) -> bool:
    """Whether the request cannot change anything, so that a viewer may send it.

    A wrong yes is harmless: a viewer's requests carry the reader's token, to whom MLflow refuses every change.
    """
    if method in ("GET", "HEAD"):
        return True
    return method == "POST" and bool(_READING_POSTS.fullmatch(path))


def is_foreign(origin: str | None, host: str | None) -> bool:
    """Whether a browser sends this for a page of another site."""
    return origin is not None and urlsplit(origin).netloc != host


def require_plain(path: str) -> None:
    """
    Raises:
        NotFound: the path climbs, which no address of MLflow does.
    """
    if any(part in (".", "..") for part in unquote(path).replace("\\", "/").split("/")):
        raise NotFound("There is nothing at this path.")
