"""Each member of the workspace, installed alone: it imports, and it brings only what it declares."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENT_LIMIT_BYTES = 40_000_000


@dataclass(frozen=True)
class Member:
    distribution: str
    package: str
    without: tuple[str, ...] = ()
    """Modules that run somewhere else, where what they import is installed."""


CLIENT = Member("mlplatform", "mlp")
MEMBERS = (
    CLIENT,
    # The MLflow server's own process: the extra `mlflow`.
    Member(
        "mlplatform-core",
        "mlp_core",
        without=tuple(f"mlp_core.gateways.mlflow_{name}" for name in ("auth", "main", "server")),
    ),
    Member("mlplatform-worker", "mlp_worker"),
    Member("mlplatform-api", "mlp_api"),
    # The engines are the extras `local` and `kubernetes`: an operator on Kubernetes carries no Ray, and one without
    # Kubernetes none of its client.
    Member(
        "mlplatform-operator",
        "mlp_operator",
        without=("mlp_operator.engines.local", "mlp_operator.engines.kubernetes"),
    ),
    Member("mlplatform-standalone", "mlp_standalone"),
)

IMPORT_EVERYTHING = """
import importlib, pkgutil, sys
package, *without = sys.argv[1:]
root = importlib.import_module(package)
for module in pkgutil.walk_packages(root.__path__, package + "."):
    if module.name.rpartition(".")[2] != "__main__" and not any(
        module.name == name or module.name.startswith(name + ".") for name in without
    ):
        importlib.import_module(module.name)
"""


def uv() -> str:
    own = ROOT / ".tools/bin/uv"
    found = str(own) if own.exists() else shutil.which("uv")
    assert found, "uv is missing; `make` puts it into .tools"
    return found


def installed_alone(distribution: str, folder: Path, *, compiled: bool = False) -> Path:
    """A fresh virtual environment that holds `distribution` and what it depends on, as built wheels."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "UV_COMPILE_BYTECODE")
    }
    environment["UV_PROJECT_ENVIRONMENT"] = str(folder)
    command = [uv(), "sync", "--quiet", "--frozen", "--no-editable", "--no-default-groups", "--package", distribution]
    # uv would build a member again only when its pyproject.toml has changed, and miss changes of its sources.
    fresh = [argument for member in MEMBERS for argument in ("--refresh-package", member.distribution)]
    compiling = "--compile-bytecode" if compiled else "--no-compile-bytecode"
    answer = subprocess.run(
        [*command, *fresh, compiling], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return folder


@pytest.mark.timeout(300)
@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.distribution)
def test_a_member_installed_alone_imports_every_module(member: Member, tmp_path: Path) -> None:
    environment = installed_alone(member.distribution, tmp_path / "venv")
    command = [str(environment / "bin/python"), "-c", IMPORT_EVERYTHING, member.package, *member.without]
    answer = subprocess.run(command, cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


@pytest.fixture(scope="module")
def client_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed_alone(CLIENT.distribution, tmp_path_factory.mktemp("client") / "venv", compiled=True)


def test_the_client_alone_is_small(client_alone: Path) -> None:
    """Under 40 MB, compiled bytecode included."""
    packages = next(client_alone.glob("lib/python3*/site-packages"))
    size = sum(file.stat().st_size for file in packages.rglob("*") if file.is_file() and not file.is_symlink())
    assert size < CLIENT_LIMIT_BYTES


@pytest.mark.parametrize("heavy", ["mlp_core", "mlp_api", "ray", "mlflow", "sqlalchemy", "fastapi", "numpy", "pandas"])
def test_the_client_alone_cannot_import(heavy: str, client_alone: Path, tmp_path: Path) -> None:
    question = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({heavy!r}) is not None)"
    subprocess.run([str(client_alone / "bin/python"), "-c", question], cwd=tmp_path, check=True)


def test_the_client_alone_answers_on_the_command_line(client_alone: Path, tmp_path: Path) -> None:
    answer = subprocess.run(
        [str(client_alone / "bin/mlp"), "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "job" in answer.stdout
