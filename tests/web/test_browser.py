"""The web application in a real browser, on a platform of its own: `web/e2e`. Run by `make test-browser`."""

from __future__ import annotations

import shutil

import pytest

from web.npm import NPM, run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(NPM is None or CHROMIUM is None, reason="npm or chromium is not here")


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("built")
def test_a_browser_on_the_real_platform() -> None:
    run("run", "e2e", seconds=840)
