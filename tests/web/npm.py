"""npm in the folder of the web application."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
NPM = shutil.which("npm")


def run(*command: str, seconds: float) -> str:
    """What `npm COMMAND...` says; it must succeed. All that it started ends with it."""
    assert NPM is not None
    process = subprocess.Popen(
        [NPM, *command],
        cwd=WEB,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env=os.environ | {"CI": "true", "NO_COLOR": "1"},
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        said, _ = process.communicate()
        pytest.fail(f"npm {' '.join(command)} took more than {seconds:g} s:\n{said[-8000:]}")
    assert process.returncode == 0, f"npm {' '.join(command)} ended with {process.returncode}:\n{said[-8000:]}"
    return said
