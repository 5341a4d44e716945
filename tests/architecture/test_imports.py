"""Who may import whom: the contracts of `.importlinter` hold, and each of them would notice a breach."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = {
    "mlp": ROOT / "platform/sdk/src/mlp",
    "mlp_core": ROOT / "platform/core/src/mlp_core",
    "mlp_worker": ROOT / "platform/worker/src/mlp_worker",
    "mlp_standalone": ROOT / "platform/standalone/src/mlp_standalone",
    "mlp_api": ROOT / "api/src/mlp_api",
    "mlp_operator": ROOT / "operator/src/mlp_operator",
}

BREACHES = {
    "The services are siblings on top of the core, and the client stands alone": ("mlp_api", "mlp_operator"),
    "The standalone platform starts the services as processes and imports none of them": ("mlp_standalone", "mlp_api"),
    "Nothing is built on the standalone platform": ("mlp_worker", "mlp_standalone"),
    "The command line speaks through the client, and the client through the wire types": ("mlp.client", "mlp.cli"),
    "What runs inside a job needs nothing but the standard library and httpx": ("mlp.runtime", "pydantic"),
    "Rooms stand on gateways, gateways on tables, tables on the domain": ("mlp_core.domain", "mlp_core.tables"),
    "The domain is pure": ("mlp_core.domain", "random"),
    "FastAPI and its server only in the API": ("mlp_core.kit", "fastapi"),
    "Celery only in the worker": ("mlp_operator", "celery"),
    "Ray only in the local engine and inside jobs": ("mlp_core.gateways", "ray"),
    "MLflow only in the gateways and inside jobs": ("mlp_worker", "mlflow"),
    "Kubernetes only in its engine": ("mlp_core.gateways", "kubernetes"),
    "The client never touches the database": ("mlp.packaging", "sqlalchemy"),
    "Typer and Rich only at the command line": ("mlp.client", "rich"),
}
"""Contract (or how its name begins) → (a package that must not import it, what it must not import)."""

LAZY_EDGES = (
    "mlp/__init__.py",
    "mlp/_lazy.py",
    "mlp/cli/",
    "mlp/client/",
    "mlp/config.py",
    "mlp/jobfile.py",
    "mlp/packaging/",
    "mlp_operator/main.py",
    "mlp_standalone/commands.py",
    "mlp_standalone/cli.py",
)
"""Where heavy imports may wait until they are needed: `mlp --help` and `import mlp` have a budget of time."""


def lint(config: Path, path: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(folder) for folder in path),
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--config", str(config)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_every_import_contract_is_kept() -> None:
    answer = lint(ROOT / ".importlinter")
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.fixture(scope="module")
def verdict_on_breaches(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the contracts say of a copy of the sources into which every breach has been written."""
    copy = tmp_path_factory.mktemp("breached")
    for name, folder in SOURCES.items():
        shutil.copytree(folder, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for number, (importer, imported) in enumerate(BREACHES.values()):
        folder = copy.joinpath(*importer.split("."))
        (folder / f"breach_{number}.py").write_text(f"import {imported}\n")
    answer = lint(ROOT / ".importlinter", (copy,))
    assert answer.returncode == 1, answer.stdout + answer.stderr
    return answer.stdout


@pytest.mark.parametrize("contract", BREACHES)
def test_a_breach_is_noticed(contract: str, verdict_on_breaches: str) -> None:
    lines = [line for line in verdict_on_breaches.splitlines() if line.startswith(contract)]
    assert any(" BROKEN" in line for line in lines), f"no verdict BROKEN for: {contract}\n{verdict_on_breaches}"


def test_every_contract_has_a_breach_that_proves_it() -> None:
    named = [
        line.removeprefix("name = ")
        for line in (ROOT / ".importlinter").read_text().splitlines()
        if line[:6] == "name ="
    ]
    unproven = [name for name in named if not any(name.startswith(begin) for begin in BREACHES)]
    assert unproven == ["No two siblings import each other in a circle"]  # needs two files; import-linter tests its own


def deferred_imports() -> Iterator[str]:
    for name, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            module = f"{name}/{path.relative_to(folder)}"
            if module.startswith(LAZY_EDGES):
                continue
            for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    for node in ast.walk(function):
                        if isinstance(node, ast.Import | ast.ImportFrom):
                            yield f"{module}:{node.lineno}"


def test_imports_stand_at_the_top_of_the_file() -> None:
    """An import inside a function hides a cycle; only the edge of a command may wait with a heavy library."""
    assert sorted(set(deferred_imports())) == []
