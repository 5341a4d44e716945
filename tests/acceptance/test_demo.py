"""`make demo ONCE=1`, on a data folder of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from support.product import EXAMPLES, Product, processes_marked


@pytest.fixture
def newcomer() -> Generator[Product]:
    """Somebody with a fresh clone: nothing runs yet."""
    with tempfile.TemporaryDirectory(prefix="mlp-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        made = Product(home=Path(folder), data=Path(folder) / "data")
        yield made
        made.down()


@pytest.mark.timeout(600)
def test_the_demo_registers_a_good_model_and_leaves_nothing_running(newcomer: Product) -> None:
    command = [sys.executable, "-m", "mlp_standalone.demo", "--once", "--data", str(newcomer.data)]
    done = subprocess.run(
        command, cwd=EXAMPLES.parent, env=newcomer.env(), capture_output=True, text=True, timeout=540, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr + newcomer.logs_tail()
    assert "digits-classifier version 1" in done.stdout
    assert "logical GPUs" in done.stdout or Path("/dev/nvidia0").exists()
    assert processes_marked(f"MLP_DATA_DIR={newcomer.data}") == []
