"""What `make check` checks, so that `make test` says it too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "command",
    [("ruff", "format", "--check", "."), ("ruff", "check", "."), ("pyright",)],
    ids=["format", "lint", "types"],
)
def test_the_sources_pass(command: tuple[str, ...]) -> None:
    program, *arguments = command
    answer = subprocess.run([str(BIN / program), *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
