"""The peers that are not part of the platform, in a virtual environment of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".tools/bench-peers"
PACKAGES = ("metaflow", "flyte")


def installed() -> Path:
    """The folder of their programs. Installed on the first call, with compiled bytecode, from the package index."""
    programs = FOLDER / "bin"
    stamp = FOLDER / ".installed"
    if not stamp.exists():
        own = ROOT / ".tools/bin/uv"
        uv = str(own) if own.exists() else shutil.which("uv") or "uv"
        environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        subprocess.run([uv, "venv", "--quiet", "--clear", str(FOLDER)], cwd=ROOT, env=environment, check=True)
        install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(programs / "python")]
        subprocess.run([*install, *PACKAGES], cwd=ROOT, env=environment, check=True)
        stamp.touch()
    return programs
