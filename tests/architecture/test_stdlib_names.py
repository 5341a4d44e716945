"""`platform/` and `operator/` are folders here and modules of the standard library: the library must always win."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER_PACKAGES = ("platform", "api", "operator", "migrations")


@pytest.mark.parametrize("how", ["with the root on the path", "from the root with -m"])
def test_platform_and_operator_are_those_of_the_standard_library(how: str) -> None:
    question = (
        "import platform, operator, sysconfig\n"
        "library = sysconfig.get_path('stdlib')\n"
        "assert platform.__file__.startswith(library), platform.__file__\n"
        "assert operator.__file__.startswith(library), operator.__file__\n"
        "assert platform.system() and operator.add(1, 2) == 3\n"
    )
    arguments = (
        ["-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{question}"] if how[0] == "w" else ["-c", question]
    )
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, env={"PYTHONPATH": str(ROOT)})


def test_the_running_interpreter_has_them_too() -> None:
    import operator
    import platform

    assert callable(platform.system)
    assert operator.itemgetter(0)("a") == "a"


@pytest.mark.parametrize("folder", NEVER_PACKAGES)
def test_a_folder_with_a_library_name_is_never_a_package(folder: str) -> None:
    above_src = [path for path in (ROOT / folder).rglob("__init__.py") if "src" not in path.relative_to(ROOT).parts]
    assert above_src == []


@pytest.mark.parametrize("folder", NEVER_PACKAGES)
def test_tests_live_below_tests_only(folder: str) -> None:
    strays = [
        path
        for pattern in ("test_*.py", "*_test.py", "conftest.py")
        for path in (ROOT / folder).rglob(pattern)
        if "node_modules" not in path.parts
    ]
    assert strays == []


def test_no_test_folder_is_named_after_a_library_module_and_made_a_package() -> None:
    packages = {path.parent.name for path in (ROOT / "tests").rglob("__init__.py")}
    assert packages.isdisjoint(sys.stdlib_module_names)
