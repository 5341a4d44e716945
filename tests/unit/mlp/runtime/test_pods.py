"""The decisions of the program in the pods: what is reported, where things are, what a process sees."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from mlp.runtime.pods import containers
from mlp.runtime.pods.bringing import secret_lines
from mlp.runtime.pods.environment import JOB_CONFIG, job_environment
from mlp.runtime.pods.places import AttemptPlace, Pod
from mlp.runtime.pods.standing import Failure, Head, Standing, standing_of
from mlp.runtime.pods.work import Work
from mlp.runtime.records import ArtifactsRecord, ExitRecord, Started
from mlp.schemas.agent import NodeName, ProcessReport
from mlp_operator.engines.local.state import WorkPaths

BEGAN, ENDED, LATER = "2026-11-30T12:00:00Z", "2026-11-30T12:00:09Z", "2026-11-30T12:30:00Z"
RUNS = Started(7, 8, BEGAN)
VARIABLES = {
    "MLP_POD": "job-01kc-abcde-train-worker-x7k2p",
    "MLP_RAY_CLUSTER": "job-01kc-abcde",
    "MLP_GROUP": "train",
    "MLP_GRACE_SECONDS": "30",
    "MLP_POD_DIR": "/mlp/attempt",
}
WORK = Work(
    name="att_1",
    project="demo",
    ray_cluster="job-01kc-abcde",
    argv=("python", "train.py"),
    shell=None,
    variables={"MLP_TOKEN": "s3cret", "MLFLOW_TRACKING_TOKEN": "s3cret", "COLOUR": "it's blue", "PATH": "/own"},
    grace_seconds=30,
    timeout_seconds=None,
    checkpoint_key="job_1",
    api_url="http://api",
    token="s3cret",
    package_digest=None,
    environment=None,
)


# -- what is reported -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (Head(), {"setting_up": "Waits until all nodes of the cluster are ready."}),
        (Head(has_driver=True, driver_lives=True), {"setting_up": "The process is being started."}),
        (Head(started=RUNS, has_driver=True, driver_lives=True), {"started_at": BEGAN}),
        (
            Head(started=RUNS, has_driver=True, driver_lives=True, stop_asked=True),
            {"started_at": BEGAN, "stopped": True},
        ),
        (
            Head(exited=ExitRecord(BEGAN, ENDED, exit_code=3, oom_kills=1), has_driver=True),
            {"started_at": BEGAN, "ended_at": ENDED, "exit_code": 3, "oom_kills": 1},
        ),
        (
            Head(exited=ExitRecord(BEGAN, ENDED, signal=9, timed_out=True, stopped=True), has_driver=True),
            {"started_at": BEGAN, "ended_at": ENDED, "signal": 9, "timed_out": True, "stopped": True},
        ),
    ],
)
def test_a_report_says_what_the_files_say(head: Head, told: dict[str, Any]) -> None:
    report = standing_of(head).as_json()
    quiet = {"timed_out": False, "stopped": False, "oom_kills": 0, "shipped": False}
    assert report == quiet | told
    ProcessReport.model_validate(report)


def test_a_process_that_could_not_be_run_says_why_unless_it_was_asked_to_end() -> None:
    broken = Head(exited=ExitRecord(BEGAN, ENDED, error="No such folder."), has_driver=True)
    assert standing_of(broken).failure == Failure("infra", "No such folder.")
    stopped = replace(broken, exited=ExitRecord(BEGAN, ENDED, stopped=True, error="Asked to stop before it started."))
    assert standing_of(stopped).failure is None


def test_a_process_that_vanished_ended_when_that_was_seen() -> None:
    seen = standing_of(Head(started=RUNS, has_driver=True, lost_at=ENDED))
    assert (seen.started_at, seen.ended_at, seen.exit_code) == (BEGAN, ENDED, None)
    assert seen.failure is not None
    assert "killed" in seen.failure.message
    assert Head(has_driver=True).has_ended
    assert not Head().has_ended
    assert not Head(has_driver=True, driver_lives=True).has_ended


def test_artifacts_are_told_from_the_seal_on() -> None:
    found = ArtifactsRecord(2, 1, 10, 5, missing=("b",), left_out=("c (no regular file)",), left_out_count=1)
    assert standing_of(Head(artifacts=found)).artifacts is None
    report = standing_of(Head(artifacts=found, artifacts_until=LATER), shipped=True).as_json()
    wire = ProcessReport.model_validate(report)
    assert wire.artifacts is not None
    assert (wire.artifacts.files_stored, wire.artifacts.missing, wire.shipped) == (1, ["b"], True)


def test_what_is_too_long_for_the_api_is_cut() -> None:
    failure = Failure("environment", "x" * 5000, hint="h" * 900, last_lines=tuple(map(str, range(50))))
    wire = ProcessReport.model_validate(Standing(setting_up="y" * 900, failure=failure).as_json())
    assert wire.failure is not None
    assert wire.failure.last_lines[-1] == "49"


# -- where things are -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("group", "node"), [("head", "head"), ("train", "train-x7k2p")])
def test_nodes_are_named_by_their_group_and_their_pods_random_end(group: str, node: str) -> None:
    name = Pod.of(VARIABLES | {"MLP_GROUP": group}).node
    assert name == node
    TypeAdapter[str](NodeName).validate_python(name)


def test_a_pod_for_one_attempt_is_its_folder_and_a_shared_one_has_many() -> None:
    own = Pod.of(VARIABLES | {"MLP_WORK_DIR": "/mlp/work", "MLP_CHECKPOINTS_DIR": "/mlp/checkpoints"})
    assert own.attempt("att_1").root == Path("/mlp/attempt")
    assert own.checkpoints_of("job_1", own.attempt("att_1")) == Path("/mlp/checkpoints/job_1")
    shared = Pod.of(VARIABLES)
    place = shared.attempt("att_1")
    assert place.root == Path("/mlp/attempt/works/att_1")
    assert shared.checkpoints_of("job_1", place) == place.root / "checkpoints/job_1"
    for name in ("", "..", "a/b", "a\0"):
        with pytest.raises(ValueError, match="cannot name"):
            shared.attempt(name)


def test_control_groups_are_found_in_both_versions(tmp_path: Path) -> None:
    assert containers.groups_of(tmp_path) == (tmp_path, tmp_path)
    for name in ("memory", "cpu,cpuacct"):
        (tmp_path / name).mkdir()
    assert containers.groups_of(tmp_path) == (tmp_path / "memory", tmp_path / "cpu,cpuacct")


# -- what a process sees ----------------------------------------------------------------------------------------------


def seen(pod: Pod, **inherited: str) -> dict[str, str]:
    return job_environment(WORK, pod, pod.attempt(WORK.name), inherited, "/opt/mlp/bin/python")


def test_a_process_sees_its_own_variables_over_the_containers_and_none_of_the_pods() -> None:
    pod = Pod.of(VARIABLES | {"MLP_WORK_DIR": "/mlp/work"})
    container = {"COLOUR": "red", "RAY_AUTH_TOKEN": "ray", "MLP_POD": "x", "OMP_NUM_THREADS": "1", "PATH": "/usr/bin"}
    variables = seen(pod, **container)
    assert variables["COLOUR"] == "it's blue"
    assert variables["RAY_AUTH_TOKEN"] == "ray"
    assert variables["PATH"].startswith(f"{Path(sys.executable).parent}:")
    assert variables["PATH"].endswith(":/own")
    assert (variables["MLP_ATTEMPT_ID"], variables["MLP_ATTEMPT_DIR"]) == ("att_1", "/mlp/attempt")
    assert not {"MLP_POD", "OMP_NUM_THREADS"} & variables.keys()


@pytest.mark.parametrize("given", [None, "no json", json.dumps({"runtime_env": {"working_dir": "gcs://x.zip"}})])
def test_ray_is_told_everything_but_the_token(given: str | None) -> None:
    pod = Pod.of(VARIABLES)
    config = seen(pod, **({} if given is None else {JOB_CONFIG: given}))[JOB_CONFIG]
    assert "s3cret" not in config
    runtime_env = json.loads(config)["runtime_env"]
    assert runtime_env["env_vars"]["COLOUR"] == "it's blue"
    assert runtime_env["py_executable"] == "/opt/mlp/bin/python -I -m mlp.runtime.pods worker att_1"
    assert runtime_env.get("working_dir") == ("gcs://x.zip" if given and "gcs" in given else None)
    assert "HOME" not in runtime_env["env_vars"]


def test_secrets_come_through_a_shell_unchanged(tmp_path: Path) -> None:
    token = "a'b\"c $d\\ e\n"
    work = replace(WORK, token=token, variables={"MLP_TOKEN": token, "HEADER": f"Bearer {token}", "COLOUR": "blue"})
    (tmp_path / "secrets.sh").write_text(secret_lines(work))
    shown = subprocess.run(
        ["sh", "-c", '. "$1"; printf "%s|%s|%s" "$MLP_TOKEN" "$HEADER" "$COLOUR"', "sh", tmp_path / "secrets.sh"],
        capture_output=True, text=True, check=True, env={},
    )  # fmt: skip
    assert shown.stdout == f"{token}|Bearer {token}|"


def test_the_client_does_not_import_it() -> None:
    program = "import sys, mlp; print([name for name in sys.modules if name.startswith('mlp.runtime.pods')])"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_layout_is_the_local_engines() -> None:
    ours, theirs = AttemptPlace(Path("/a")), WorkPaths(Path("/a"))
    for name in ("root", "engine", "python", "marks", "code", "driver_log", "output", "metrics", "agent_state"):
        assert getattr(ours, name) == getattr(theirs, name), name
