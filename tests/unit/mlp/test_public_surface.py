"""What `import mlp` gives, and what it costs: processor time, as ratios within one run, since machines differ."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator

import pytest

import mlp
from support.fake_platform import FakePlatform, a_job, fake_platform

HEAVY = ["ray", "mlflow", "pandas", "numpy", "httpx", "pydantic", "rich", "asyncio", "yaml"]
TRIES = 7


def test_every_public_name_is_there() -> None:
    for name in mlp.__all__:
        if name != "jobs":  # needs a platform
            assert getattr(mlp, name) is not None
    assert set(dir(mlp)) == set(mlp.__all__)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        mlp.nothing_of_the_kind  # noqa: B018


def test_the_version_is_the_distributions() -> None:
    from importlib.metadata import version

    assert mlp.__version__ == version("mlplatform")


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_loads_next_to_nothing() -> None:
    extra = loaded_by("import mlp") - loaded_by("import __future__, importlib")
    assert {name for name in extra if not name.startswith("mlp")} == set()


@pytest.fixture(scope="module")
def platform() -> Iterator[FakePlatform]:
    with fake_platform() as made:
        made.on("GET /projects/demo/jobs", {"items": [a_job(id=f"job_{n}") for n in range(100)], "next": None})
        yield made


RUN = "import sys; sys.argv[1:] = {}; from mlp.cli.start import main; main()"


def test_a_list_loads_nothing_heavy(platform: FakePlatform) -> None:
    where = f"import os; os.environ.update(MLP_URL={platform.url!r}, MLP_PROJECT='demo', MLP_TOKEN='t')\n"
    loaded = loaded_by(where + RUN.format(["job", "list"]))
    assert "http.client" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_only_long_commands_have_garbage_collected(platform: FakePlatform) -> None:
    """The collector would look at every object again and again, and twice more when the process ends."""
    where = f"import os; os.environ.update(MLP_URL={platform.url!r}, MLP_PROJECT='demo', MLP_TOKEN='t')\n"
    looked = "sum(one['collections'] for one in gc.get_stats())"
    code = f"import gc\nfrom mlp.cli import start\nbefore = {looked}\n{RUN.format(['job', 'list'])}"
    code += f"\nprint({looked} - before, gc.get_freeze_count() > 10_000)"
    done = subprocess.run([sys.executable, "-c", where + code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 True"


def seconds(*codes: str) -> list[float]:
    """Processor time of each: the best of several runs, taken in turn so that load falls on all alike."""
    best = [float("inf")] * len(codes)
    for _ in range(TRIES):
        for index, code in enumerate(codes):
            before = used()
            subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
            best[index] = min(best[index], used() - before)
    return best


def used() -> float:
    """Processor seconds of all child processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def test_the_command_starts_fast(platform: FakePlatform) -> None:
    """Typer's own import is the floor. A list over the network is less than httpx alone would add to it."""
    where = f"import os; os.environ.update(MLP_URL={platform.url!r}, MLP_PROJECT='demo', MLP_TOKEN='t')\n"
    nothing, typer, importing, help_, listing = seconds(
        "pass",
        "import typer",
        "import mlp",
        "import contextlib\nwith contextlib.suppress(SystemExit):\n    " + RUN.format(["--help"]),
        where + RUN.format(["job", "list"]),
    )
    floor = typer - nothing
    assert importing - nothing < 0.15 * floor
    assert help_ - nothing < 1.4 * floor
    assert listing - nothing < 2.1 * floor
