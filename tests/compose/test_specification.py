"""docker-compose.yml is what the Compose specification says, and holds no secret."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import dotenv
import pytest
import yaml
from jsonschema import Draft202012Validator

from mlp_core.bootstrap import Bootstrap, with_secrets

ROOT = Path(__file__).parents[2]
TOOLS = Path(__file__).parent / "tools"
COMPOSE = ROOT / "docker-compose.yml"
SPECIFICATION = "github.com/compose-spec/compose-go/v2"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return yaml.safe_load(COMPOSE.read_text())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment file as people make it."""
    file = tmp_path_factory.mktemp("made") / "made.env"
    subprocess.run([ROOT / "compose/make-env", str(file)], check=True, capture_output=True)
    return file


@pytest.mark.timeout(600)
def test_the_file_follows_the_specification(document: dict[str, Any]) -> None:
    if shutil.which("go") is None:
        pytest.skip("The specification's schema comes as a Go module, and this machine lacks Go.")
    found = subprocess.run(
        ["go", "mod", "download", "-json", SPECIFICATION], cwd=TOOLS, capture_output=True, text=True, check=True
    )
    schema = json.loads((Path(json.loads(found.stdout)["Dir"]) / "schema/compose-spec.json").read_text())
    errors = [
        f"{'/'.join(map(str, error.path))}: {error.message}"
        for error in Draft202012Validator(schema).iter_errors(document)
    ]
    assert errors == []


def test_every_secret_is_a_variable_that_must_be_given(document: dict[str, Any]) -> None:
    for name, service in document["services"].items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|SESSION_KEY|ACCESS_KEY|AUTH|DATABASE_URL|REDIS_URL", variable):
                assert ":?run compose/make-env first}" in value, f"{name}: {variable}"


def test_the_made_file_has_all_that_is_asked_for_and_is_private(made: Path) -> None:
    asked = set(re.findall(r"\$\{(\w+):\?", COMPOSE.read_text()))
    values = dotenv.dotenv_values(made)
    assert asked == set(values)
    assert all(len(value or "") >= 20 for value in values.values())
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_the_first_steps_of_the_made_file_are_valid(made: Path) -> None:
    values = {name: value or "" for name, value in dotenv.dotenv_values(made).items()}
    document = json.loads(values["MLP_BOOTSTRAP"])
    wanted = Bootstrap.model_validate(with_secrets(document, {"MLP_BOOTSTRAP_PASSWORD": values["MLP_ADMIN_PASSWORD"]}))
    assert [pool.name for pool in wanted.pools] == ["cpu", "gpu"]
    assert all(pool.cpu == (os.cpu_count() or 0) for pool in wanted.pools)


def test_a_file_that_is_there_is_kept(made: Path) -> None:
    before = made.read_text()
    subprocess.run([ROOT / "compose/make-env", str(made)], check=True, capture_output=True)
    assert made.read_text() == before


def test_what_runs_for_ever_is_watched(document: dict[str, Any]) -> None:
    unwatched = {name for name, service in document["services"].items() if "healthcheck" not in service}
    assert unwatched == {"setup"}


def test_only_the_api_is_published_and_only_to_this_machine(document: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in document["services"].items() if "ports" in service}
    assert published == {"api": ["127.0.0.1:${MLP_PORT:-8080}:8080"]}
