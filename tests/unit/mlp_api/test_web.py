"""The web application answers where no route does: its files for ever, its page anew, and never the api's paths."""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
from pathlib import Path

import httpx
import pytest

from mlp_api import web_files
from mlp_api.app import create_app
from mlp_api.platform import make_platform
from support.platform import settings_for_tests

INLINE = "document.documentElement.dataset.theme = 'dark'"
PAGE = f"""<!doctype html><title>mlp</title><script>{INLINE}</script>
<script type="module" crossorigin src="/assets/app-1a2b.js"></script>"""
SCRIPT = b"console.log('hello')\n" * 40
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "assets" / "app-1a2b.js").write_bytes(SCRIPT)
    (folder / "assets" / "app-1a2b.js.gz").write_bytes(gzip.compress(SCRIPT))
    (folder / "assets" / "app-1a2b.js.br").write_bytes(b"as if it were brotli")
    return folder


def browser_of(folder: Path, tmp_path: Path) -> httpx.AsyncClient:
    settings = settings_for_tests("postgresql+psycopg://nobody@/nowhere", tmp_path, web_dir=folder)
    transport = httpx.ASGITransport(create_app(make_platform(settings)), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://mlp.test", headers=BROWSER)


@pytest.fixture
def browser(folder: Path, tmp_path: Path) -> httpx.AsyncClient:
    return browser_of(folder, tmp_path)


@pytest.mark.parametrize("path", ["/", "/p/vision/jobs/job_1", "/sign-in", "/p/vision/jobs/v1.2", "/index.html"])
async def test_every_address_of_the_application_is_its_page_asked_for_anew(
    browser: httpx.AsyncClient, path: str
) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.text, answer.headers["cache-control"]) == (200, PAGE, "no-cache")
    again = await browser.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_the_page_runs_no_script_but_its_own(browser: httpx.AsyncClient) -> None:
    headers = (await browser.get("/")).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    digest = base64.b64encode(hashlib.sha256(INLINE.encode()).digest()).decode()
    assert policy["script-src"] == f"'self' 'sha256-{digest}'"
    assert (policy["default-src"], policy["base-uri"], policy["frame-ancestors"]) == ("'none'", "'none'", "'self'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]


@pytest.mark.parametrize(
    ("accepts", "encoding"),
    [("gzip, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip;q=0.5", "gzip"), ("identity", None), ("", None)],
)
async def test_hashed_files_are_kept_for_ever_in_the_form_that_is_taken(
    browser: httpx.AsyncClient, accepts: str, encoding: str | None
) -> None:
    async with browser.stream("GET", "/assets/app-1a2b.js", headers={"Accept-Encoding": accepts}) as answer:
        raw = b"".join([piece async for piece in answer.aiter_raw()])
    assert answer.headers.get("content-encoding") == encoding
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert int(answer.headers["content-length"]) == len(raw)
    assert encoding == "br" or (gzip.decompress(raw) if encoding else raw) == SCRIPT


async def test_other_files_are_asked_for_anew(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/favicon.svg")
    assert (answer.headers["cache-control"], answer.headers["content-type"]) == (
        "no-cache",
        "image/svg+xml; charset=utf-8",
    )
    assert (await browser.head("/favicon.svg")).content == b""


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/no-such-thing", 404),
        ("GET", "/api", 404),
        ("GET", "/api/v1/login", 405),
        ("POST", "/api/v1/no-such-thing", 404),
        ("POST", "/p/vision/jobs", 404),
        ("GET", "/assets/gone-9f9f.js", 404),
        ("GET", "/client/nothing.whl", 404),
        ("GET", "/assets/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/ray/nothing", 404),
    ],
)
async def test_what_is_not_the_applications_stays_a_problem(
    browser: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await browser.request(method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


async def test_a_program_that_takes_no_pages_gets_a_problem(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/p/vision", headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_route")


async def test_another_build_is_taken_over(browser: httpx.AsyncClient, folder: Path) -> None:
    assert (await browser.get("/")).text == PAGE
    (folder / "index.html").write_text("<script>other</script>")
    os.utime(folder / "index.html", (1, 1))
    answer = await browser.get("/")
    assert answer.text == "<script>other</script>"
    assert "'sha256-" in answer.headers["content-security-policy"]


async def test_where_nothing_is_built_the_page_says_how(tmp_path: Path) -> None:
    browser = browser_of(tmp_path / "nowhere", tmp_path)
    answer = await browser.get("/")
    assert (answer.status_code, "make web" in answer.text) == (200, True)
    assert (await browser.get("/p/vision")).status_code == 404


async def test_without_a_session_pages_of_mlflow_lead_to_signing_in(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/mlflow/vision/?x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/mlflow/vision/%3Fx%3D1")
    program = await browser.get("/mlflow/vision/", headers={"Accept": "*/*"})
    assert (program.status_code, program.json()["code"]) == (401, "not_signed_in")
    from_elsewhere = await browser.get("/mlflow/vision/", headers={"Sec-Fetch-Site": "cross-site"})
    assert 'http-equiv="refresh"' in from_elsewhere.text


@pytest.mark.parametrize(
    ("page", "scripts"),
    [
        ("<script src='/a.js'></script>", 0),
        ("<script>a</script><SCRIPT type=module>b</SCRIPT>", 2),
        ("<script data-src='x'>a</script>", 1),
        ("<p>nothing</p>", 0),
    ],
)
def test_inline_scripts_are_told_from_files(page: str, scripts: int) -> None:
    assert web_files.policy_of(page.encode()).count("sha256-") == scripts
