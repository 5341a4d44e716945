"""What the web application's "Copy as" shows, run as people would run it: by a shell, with `mlp`, Python and curl.

The texts are those that the web application's own test keeps; each must make exactly the job that it was made from.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlp.schemas.jobs import JobCreate
from support.fake_platform import FakePlatform, Reply, a_job, fake_platform

TEXTS = Path(__file__).parents[3] / "web/src/features/submit/copy-as/round-trip.jsonl"
JOBS: list[dict[str, Any]] = [json.loads(line) for line in TEXTS.read_text("utf-8").split("\n") if line]
ORIGIN = "http://platform.test"
PATIENCE_SECONDS = 60


@pytest.fixture
def platform() -> Iterator[FakePlatform]:
    with fake_platform() as made:
        made.on("POST /projects/demo/jobs", lambda seen: Reply(201, a_job(spec=seen.json)))
        yield made


@pytest.mark.parametrize("form", ["yaml", "cli", "python", "curl"])
@pytest.mark.parametrize("job", JOBS, ids=[job["name"] for job in JOBS])
def test_what_is_copied_makes_the_job_of_the_form(
    job: dict[str, Any], form: str, platform: FakePlatform, tmp_path: Path
) -> None:
    run_as_a_person_would(form, job[form], platform, tmp_path)
    asked = [seen.json for seen in platform.requests("POST")]
    assert len(asked) == 1
    assert JobCreate.model_validate(asked[0]) == JobCreate.model_validate(job["spec"])


def run_as_a_person_would(form: str, text: str, platform: FakePlatform, folder: Path) -> None:
    """Paste `text`: a job file beside which `mlp` is called, a script for Python, or lines for a shell."""
    if form == "yaml":
        (folder / "mlp.yaml").write_text(text, "utf-8")
        command = ["mlp", "job", "submit", "--project", "demo"]
    elif form == "python":
        (folder / "submit.py").write_text(text, "utf-8")
        command = [sys.executable, "submit.py"]
    else:
        command = ["bash", "-c", text.replace(ORIGIN, platform.url)]
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "MLP_CONFIG": str(folder / "config.toml"),
        "MLP_URL": platform.url,
        "MLP_TOKEN": "mlp_t",
        "no_proxy": "127.0.0.1",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
