from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from mlp.client.card import render
from mlp.schemas.jobs import JobRead
from support.fake_platform import a_job

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


def job(**changes: Any) -> JobRead:
    return JobRead.model_validate(a_job(**changes))


class Text(HTMLParser):
    """The text of a page, and its tags with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._in_style = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if not self._in_style:
            self.text.append(data)


def test_it_reads_without_styles_and_has_no_script() -> None:
    page = Text(render(job(phase="running", message="Epoch 3 of 5.", attempt=2), {"loss": 0.25}))
    words = " ".join(page.text)
    for part in (
        "train",
        "▶ running",
        "WaitingForRoom: Epoch 3 of 5.",
        "demo",
        "loss",
        "0.25",
        "2026-11-30 12:00:00 UTC",
    ):
        assert part in words
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "iframe", "link", "img"})
    assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)


def test_what_tenants_write_is_text() -> None:
    failure = {"class": "user_error", "message": EVIL, "hint": EVIL, "last_lines": [EVIL]}
    html = render(
        job(name=EVIL, message=EVIL, reason=EVIL, created_by=EVIL, phase="failed", failure=failure,
            url=f"javascript:{EVIL}", run={"id": "r", "name": EVIL, "url": f'https://x.test/"{EVIL}'}),
        {EVIL: 1.0},
    )  # fmt: skip
    page = Text(html)
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img"})
    assert "javascript:" not in html
    assert EVIL in "".join(page.text)


def test_it_follows_the_pages_colours() -> None:
    html = render(job())
    assert "prefers-color-scheme:dark" in html
    assert re.search(r"\.mlp-card\{[^}]*color:", html)


def test_an_end_says_how() -> None:
    succeeded = Text(render(job(phase="succeeded", duration_seconds=200.0, exit_code=0,
                                model={"name": "digits", "version": "3", "url": "http://x/m"})))  # fmt: skip
    words = " ".join(succeeded.text)
    assert "✓" in words
    assert "3m 20s" in words
    assert "model digits v3" in words
    failure = {"class": "oom", "message": "Used 2 of 2 GiB.", "hint": "Set 4Gi.", "last_lines": ["a", "Killed"]}
    words = " ".join(Text(render(job(phase="failed", failure=failure))).text)
    for part in ("✗", "oom", "Used 2 of 2 GiB.", "Set 4Gi.", "Killed"):
        assert part in words
