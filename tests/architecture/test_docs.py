"""What the pages say is there: files behind links, commands and their options, make's targets."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from mlp.cli.main import build_app

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)[^)]*\)")
CODE = re.compile(r"```(?:\w*)\n(.*?)```|`([^`\n]+)`", re.DOTALL)
TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
PROGRAM = get_command(build_app())


def lines_of_code(page: Path) -> list[str]:
    blocks = (first or second for first, second in CODE.findall(page.read_text(encoding="utf-8")))
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


def commands_in(page: Path) -> list[list[str]]:
    """The words after `mlp` of every command on the page."""
    found: list[list[str]] = []
    for line in lines_of_code(page):
        for part in re.split(r"&&|\|", line):
            words = part.split("'")[0].split()
            if words[:1] == ["mlp"] and len(words) > 1 and words[1][0].isalpha():
                found.append([word.strip("[],") for word in words[1:]])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_exist_with_their_options(page: Path) -> None:
    wrong = [f"mlp {shlex.join(words)}" for words in commands_in(page) if not exists(words)]
    assert wrong == []


def exists(words: list[str]) -> bool:
    """Whether the command is there and has each option that is shown with it."""
    words = words[: words.index("--")] if "--" in words else words
    command = PROGRAM
    for word in words:
        if not isinstance(command, TyperGroup):
            break
        found = command.commands.get(word)
        if found is None:
            return False
        command = found
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    used = {word.split("=")[0] for word in words if word.startswith("-")}
    return used - known - {"--help"} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_make_targets_exist(page: Path) -> None:
    known = set(TARGET.findall((ROOT / "Makefile").read_text()))
    used = {words[1] for line in lines_of_code(page) if (words := line.split())[:1] == ["make"] and len(words) > 1}
    assert used - known == set()
