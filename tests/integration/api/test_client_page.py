"""`/client/`: the page, and a wheel that pip really installs."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

from mlp_api.client_wheel import client_wheel
from mlp_api.versions import wheel_name
from support.platform import Api


async def test_page_shows_the_line_to_type_and_allows_no_script(api: Api) -> None:
    answer = await api.client().get("/client/")
    assert answer.status_code == 200
    assert f"pip install http://mlp.test/client/{wheel_name()}" in answer.text
    policy = answer.headers["content-security-policy"]
    assert "script-src" not in policy
    assert "default-src 'none'" in policy
    assert "<script" not in answer.text
    moved = await api.client().get("/client")
    assert moved.headers["location"] == "/client/"


async def test_only_the_matching_wheel_is_served(api: Api) -> None:
    answer = await api.client().get(f"/client/{wheel_name()}")
    assert answer.content == client_wheel().content
    assert (await api.client().get("/client/mlplatform-0.0.1-py3-none-any.whl")).status_code == 404
    assert (await api.client().get("/client/..%2Fapp.py")).status_code == 404


def test_same_files_give_the_same_wheel() -> None:
    assert client_wheel.__wrapped__().sha256 == client_wheel().sha256


def test_every_file_is_recorded() -> None:
    archive = zipfile.ZipFile(BytesIO(client_wheel().content))
    names = archive.namelist()
    record = next(name for name in names if name.endswith("/RECORD"))
    recorded = [line.split(",")[0] for line in archive.read(record).decode().splitlines()]
    assert sorted(recorded) == sorted(names)
    assert not [
        name for name in names if "__pycache__" in name or not re.match(r"mlp(latform-[0-9.]+\.dist-info)?/", name)
    ]


def test_wheel_installs_and_runs(tmp_path: Path) -> None:
    wheel = tmp_path / wheel_name()
    wheel.write_bytes(client_wheel().content)
    target = tmp_path / "installed"
    command = [
        str(Path(sys.executable).parent / "uv"),
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--offline",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run([*command, "--python", sys.executable], check=True, capture_output=True)
    code = "import mlp; from importlib.metadata import version; print(mlp.__file__, version('mlplatform'))"
    shown = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(target)}, check=True, capture_output=True, text=True
    ).stdout
    assert shown.startswith(str(target))
    assert (target / "bin" / "mlp").exists()
