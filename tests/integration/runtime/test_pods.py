"""The program in the pods, as processes in a folder: from the code that is brought in to the last byte handed out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mlp.runtime import pids
from mlp.runtime.pids import PidRecord
from mlp.runtime.pods import exits
from mlp.runtime.pods.seals import Flushed
from mlp.schemas.agent import ProcessReport
from support.agent_api import AgentApi, broken_download, unwell
from support.pods import FakePod, a_package
from support.processes import eventually

Make = Callable[..., FakePod]


@pytest.fixture
def make(tmp_path: Path, api: AgentApi) -> Iterator[Make]:
    made: list[FakePod] = []

    def one(name: str = "head", **values: Any) -> FakePod:
        made.append(FakePod(tmp_path / name, api, **values))
        return made[-1]

    yield one
    for pod in made:
        pod.close()
    for report in api.reports:
        ProcessReport.model_validate(report)


@pytest.fixture
def pod(make: Make) -> FakePod:
    return make()


def set_up(pod: FakePod, **work: Any) -> FakePod:
    pod.hand_work(**work)
    assert pod.setup() == exits.DONE, pod.said(pod.started[-1])
    return pod


def alone(pod: FakePod, **work: Any) -> subprocess.Popen[bytes]:
    """Set up, with its agent beside it, and driven."""
    set_up(pod, **work)
    pod.agent()
    return pod.drive()


def stored(pod: FakePod, source: str = "driver") -> str:
    return bytes(pod.api.logs[source]).decode()


# -- from setup to the end --------------------------------------------------------------------------------------------


def test_code_runs_in_its_environment_and_everything_is_handed_in_before_the_entrypoint_goes(pod: FakePod) -> None:
    program = """
import json, os, pathlib
from mlp import runtime
job = runtime.context()
runtime.log_metrics({"loss": 0.5}, step=3)
(job.output_dir / "model.bin").write_bytes(b"weights")
print(json.dumps({"cwd": os.getcwd(), "colour": os.environ["COLOUR"], "ray": os.environ["RAY_ADDRESS"]}))
"""
    digest, content = a_package({"train.py": program})
    pod.api.packages[digest] = content
    variables = {"MLP_TOKEN": pod.api.token, "COLOUR": "blue", "MLP_JOB_ID": "job_1", "MLP_PROJECT": "demo"}
    driver = alone(pod, argv=["python", "train.py"], package_digest=digest, variables=variables)
    assert driver.wait(60) == 0
    assert json.loads(stored(pod)) == {"cwd": str(pod.place.code), "colour": "blue", "ray": "10.0.0.1:6379"}
    assert pod.api.files() == {"model.bin": b"weights"}
    assert [(point["key"], point["step"]) for point in pod.api.points] == [("loss", 3)]
    flushed = Flushed.read(pod.place.flushed)
    assert flushed is not None
    assert flushed.complete
    last = pod.api.reports[-1]
    assert (last["exit_code"], last["shipped"], last["artifacts"]["files_stored"]) == (0, True, 1)
    assert last["artifacts"]["until"] > last["ended_at"]


@pytest.mark.parametrize(
    ("shell", "status", "told"),
    [("echo no; exit 3", 3, {"exit_code": 3}), ("echo no; kill -KILL $$", 137, {"signal": 9})],
    ids=["exit 3", "killed"],
)
def test_how_the_process_ends_is_told_and_is_the_entrypoints_own_status(
    pod: FakePod, shell: str, status: int, told: dict[str, int]
) -> None:
    assert alone(pod, shell=shell).wait(60) == status
    assert stored(pod) == "no\n"
    last = pod.api.reports[-1]
    assert {key: last[key] for key in told} == told
    assert last["shipped"]
    assert not last["stopped"]


def test_the_time_limit_is_kept(pod: FakePod) -> None:
    began = time.monotonic()
    driver = alone(pod, shell="trap 'echo saving; exit 0' TERM; echo on; sleep 60 & wait", timeout_seconds=1.5)
    assert driver.wait(60) == 0
    assert time.monotonic() - began < 30
    assert stored(pod) == "on\nsaving\n"
    assert pod.api.reports[-1]["timed_out"]


def test_what_the_process_leaves_running_does_not_write_after_the_end(pod: FakePod) -> None:
    driver = alone(pod, shell="(setsid sh -c 'while :; do echo late; sleep 0.05; done' &) ; sleep 0.3; echo done")
    assert driver.wait(60) == 0
    assert not pids.marked(pids.WORK_MARK, pod.attempt)
    assert pod.place.driver_log.read_bytes() == bytes(pod.api.logs["driver"])


def test_ray_workers_of_the_job_that_outlive_it_are_ended_before_the_log_is_sealed(pod: FakePod) -> None:
    set_up(pod, shell="echo done")
    environment = {"PATH": os.environ["PATH"], "MLP_ATTEMPT_ID": pod.attempt}
    worker = subprocess.Popen(["sleep", "60"], env=environment, start_new_session=True)
    pod.agent()
    assert pod.drive().wait(60) == 0
    assert worker.wait(10) == -signal.SIGKILL


# -- setup ------------------------------------------------------------------------------------------------------------


def test_a_download_that_breaks_off_goes_on_where_it_broke(pod: FakePod) -> None:
    digest, content = a_package({"data.bin": "x" * 300_000, "train.py": "print(1)"})
    pod.api.packages[digest] = content
    # The first request tells how far the setting up is.
    pod.api.faults = [None, broken_download, unwell, broken_download]
    set_up(pod, package_digest=digest, shell="true")
    assert (pod.place.code / "data.bin").stat().st_size == 300_000


def test_a_package_that_is_gone_is_the_users_to_mend_and_is_said_so_everywhere(pod: FakePod) -> None:
    pod.hand_work(package_digest="sha256:" + "0" * 64, shell="true")
    assert pod.setup() == exits.BAD_PACKAGE
    assert "not in the store" in pod.word
    assert "\n" not in pod.word
    failure = pod.api.reports[-1]["failure"]
    assert (failure["failure_class"], failure["is_final"]) == ("user_error", True)
    assert failure["hint"]


def test_an_environment_for_another_python_is_refused_with_a_word(pod: FakePod) -> None:
    pod.hand_work(shell="true", environment={"digest": "sha256:1", "python": "2.7", "lock": ""})
    assert pod.setup() == exits.BAD_ENVIRONMENT
    assert "Python 2.7" in pod.word
    assert pod.api.reports[-1]["failure"]["failure_class"] == "environment"


def test_an_environment_has_the_platforms_packages_behind_its_own(pod: FakePod) -> None:
    lock = {"digest": "sha256:1", "python": "3.11", "lock": ""}
    program = "import sys, mlp.runtime; print(sys.prefix != sys.base_prefix, sys.executable)"
    assert alone(pod, argv=["python", "-c", program], environment=lock).wait(120) == 0
    assert stored(pod) == f"True {pod.place.environment}/bin/python\n"


def test_a_platform_that_is_away_ends_the_step_as_one_to_try_again(pod: FakePod, api: AgentApi) -> None:
    pod.hand_work(package_digest="sha256:" + "0" * 64, shell="true")
    api.stop()
    assert pod.setup(MLP_TRY_SECONDS="1") == exits.AWAY
    assert "could not be downloaded" in pod.word


def test_work_of_another_cluster_is_passed_over_until_the_pods_own_comes(pod: FakePod) -> None:
    pod.hand_work(ray_cluster="job-01-earlier", shell="echo wrong")
    step = pod.start("setup")
    assert step.stderr is not None
    assert b"job-01-earlier" in step.stderr.readline()
    assert not pod.place.work.exists()
    pod.hand_work(shell="echo right")
    assert step.wait(30) == exits.DONE
    # What is handed to the next cluster through the same volume is none of this pod's business.
    pod.hand_work(ray_cluster="job-01-later", shell="echo wrong")
    pod.agent()
    assert pod.drive().wait(60) == 0
    assert stored(pod) == "right\n"


def test_work_that_never_comes_ends_the_step_with_a_word(pod: FakePod) -> None:
    pod.hand_work(ray_cluster="job-01-earlier")
    assert pod.setup(MLP_AWAIT_SECONDS="0.5") == exits.NO_WORK
    assert "job-01-earlier" in pod.word


# -- asked to end -----------------------------------------------------------------------------------------------------

SAVES = (
    "import signal, sys, time; signal.signal(15, lambda *_: (print('saved'), sys.exit(7))); print('on'); time.sleep(60)"
)
DEAF = "trap '' TERM; echo on; while :; do sleep 0.1; done"


def test_stop_gives_the_process_its_grace_and_says_why(pod: FakePod) -> None:
    driver = alone(pod, argv=["python", "-c", SAVES])
    pod.says("on")
    assert pod.stop(20, "Cancelled by a person.") == exits.DONE
    assert pod.stop(0) == exits.DONE
    assert driver.wait(60) == 7
    assert stored(pod) == "on\nsaved\n"
    assert json.loads((pod.place.root / "notice.json").read_text())["why"] == "Cancelled by a person."
    last = pod.api.reports[-1]
    assert (last["stopped"], last["exit_code"], last["shipped"]) == (True, 7, True)


def test_stop_ends_what_does_not_listen_when_the_grace_is_over(pod: FakePod) -> None:
    driver = alone(pod, shell=DEAF)
    pod.says("on")
    assert pod.stop(0.3) == exits.DONE
    assert driver.wait(60) == 128 + signal.SIGKILL
    assert pod.exited.killed


def test_stop_before_the_process_began_keeps_it_from_beginning(pod: FakePod) -> None:
    set_up(pod, shell="echo never")
    pod.agent()
    assert pod.stop(5) == exits.DONE
    assert pod.drive().wait(60) == 125
    assert stored(pod) == ""
    assert pod.api.reports[-1]["stopped"]


def test_stop_of_another_attempt_touches_nothing(pod: FakePod) -> None:
    driver = alone(pod, shell="sleep 1.5; echo on")
    assert pod.stop(0, name="att_other") == exits.NO_WORK
    assert driver.wait(60) == 0


def test_a_pod_that_goes_ends_its_process_within_the_grace_and_hands_everything_in(pod: FakePod) -> None:
    driver = alone(pod, argv=["python", "-c", SAVES])
    agent = pod.started[-2]
    pod.says("on")
    assert pod.end() == exits.DONE
    assert driver.wait(10) == 7
    assert pod.place.flushed.exists()
    assert stored(pod) == "on\nsaved\n"
    agent.send_signal(signal.SIGTERM)
    assert agent.wait(10) == 0
    assert pod.api.reports[-1]["stopped"]


def test_the_end_of_a_pod_whose_job_is_over_takes_no_time(pod: FakePod) -> None:
    assert alone(pod, shell="true").wait(60) == 0
    began = time.monotonic()
    assert pod.end() == exits.DONE
    assert time.monotonic() - began < 2


def test_a_worker_pod_that_goes_gives_ray_workers_notice_and_the_grace(make: Make) -> None:
    pod = set_up(make("worker", group="prep"), shell="true")
    notice = pod.place.root / "notice.json"
    waits = f"while [ ! -e {notice} ]; do sleep 0.05; done; sleep 0.5; echo saved > {pod.root}/saved"
    environment = {"PATH": os.environ["PATH"], "MLP_ATTEMPT_ID": pod.attempt}
    worker = subprocess.Popen(["sh", "-c", waits], env=environment)
    ending = pod.start("end")
    assert worker.wait(20) == 0
    assert ending.wait(20) == exits.DONE
    assert (pod.root / "saved").read_text() == "saved\n"


def test_ray_stopping_the_entrypoint_is_a_stop_like_any_other(pod: FakePod) -> None:
    driver = alone(pod, argv=["python", "-c", SAVES])
    pod.says("on")
    driver.send_signal(signal.SIGTERM)
    assert driver.wait(60) == 7
    assert stored(pod) == "on\nsaved\n"


# -- killed in the middle ---------------------------------------------------------------------------------------------


def test_an_agent_killed_again_and_again_loses_and_doubles_nothing(pod: FakePod) -> None:
    shell = "for n in $(seq 1 400); do echo line $n; sleep 0.01; done; echo out > $MLP_OUTPUT/result"
    set_up(pod, shell=shell)
    supervisor = pod.agent()
    driver = pod.drive()
    for turn in range(4):
        eventually(lambda seen=turn: pod.api.logs["driver"].count(b"\n") > 60 * seen)
        shipper = PidRecord.read(pod.place.agent_pid)
        if turn % 2:
            # Its container as a whole: the kubelet starts it anew.
            supervisor.kill()
            supervisor.wait()
            supervisor = pod.agent()
        elif shipper is not None:
            pids.signal_record(shipper, signal.SIGKILL)
    assert driver.wait(120) == 0
    assert stored(pod) == "".join(f"line {n}\n" for n in range(1, 401))
    assert pod.api.files() == {"result": b"out\n"}


def test_an_agent_killed_while_it_finishes_is_brought_to_its_end(pod: FakePod) -> None:
    set_up(pod, shell="echo done")
    pod.api.faults = [unwell] * 5
    driver = pod.drive()
    eventually(pod.place.seal.exists)
    supervisor = pod.agent()
    eventually(pod.place.agent_pid.exists)
    supervisor.kill()
    supervisor.wait()
    pod.agent()
    assert driver.wait(60) == 0
    assert stored(pod) == "done\n"
    assert pod.api.reports[-1]["shipped"]


def test_a_launcher_killed_with_its_container_is_told_and_its_lines_are_shipped(pod: FakePod) -> None:
    driver = alone(pod, shell="echo on; sleep 60")
    pod.says("on")
    launcher = PidRecord.read(pod.place.launcher)
    driver.kill()
    assert pids.signal_record(launcher, signal.SIGKILL)
    last = pod.report(shipped=True)
    assert last["failure"]["failure_class"] == "infra"
    assert last["ended_at"]
    assert stored(pod) == "on\n"


def test_the_entrypoint_does_not_wait_for_ever_for_an_agent_that_is_not_there(pod: FakePod) -> None:
    set_up(pod, shell="true")
    driver = pod.drive(MLP_FLUSH_SECONDS="1")
    assert driver.wait(30) == 0
    assert "did not finish in time" in pod.said(driver)


def test_a_platform_that_refuses_the_token_ends_the_shipping_and_holds_nobody_up(pod: FakePod, api: AgentApi) -> None:
    set_up(pod, shell="echo on; sleep 1")
    api.token = "another"
    pod.agent()
    assert pod.drive().wait(30) == 0
    flushed = Flushed.read(pod.place.flushed)
    assert flushed is not None
    assert not flushed.complete


# -- worker pods ------------------------------------------------------------------------------------------------------


def test_the_lines_of_ray_workers_are_shipped_under_the_pods_own_name_to_the_last_byte(make: Make) -> None:
    pod = set_up(make("worker", group="prep"), shell="true")
    agent = pod.agent()
    out = pod.ray_logs / "worker-ab12-01000000-77.out"
    out.write_text("first\n")
    eventually(lambda: stored(pod, "prep-x7k2p/77") == "first\n")
    # The Ray container ends, by the kernel's hand or ours; what it wrote last is there, and then the pod goes.
    out.open("a").write("last words\n")
    (pod.ray_logs / "worker-ab12-01000000-77.err").write_text("killed\n")
    agent.send_signal(signal.SIGTERM)
    assert agent.wait(30) == 0
    assert stored(pod, "prep-x7k2p/77") == "first\nlast words\n"
    assert stored(pod, "prep-x7k2p/77/err") == "killed\n"
    assert pod.api.reports == []


# -- a cluster that many works share ----------------------------------------------------------------------------------


def test_on_a_shared_cluster_the_entrypoint_brings_the_work_in_and_clears_up(make: Make, tmp_path: Path) -> None:
    pod = make("shared", is_shared=True)
    digest, content = a_package({"train.py": "print('here')"})
    pod.api.packages[digest] = content
    given = tmp_path / "given"
    given.mkdir()
    pod.hand_work(given / "work.json", package_digest=digest, argv=["python", "train.py"])
    assert pod.setup() == exits.DONE
    pod.agent()
    # No job of Ray's: there are no other nodes to be asked at the end.
    assert pod.drive("--work", "work.json", cwd=given, RAY_JOB_CONFIG_JSON_ENV_VAR="{}").wait(60) == 0
    assert stored(pod) == "here\n"
    assert not pod.place.root.exists()
    assert pod.api.reports[-1]["shipped"]


def test_on_a_shared_cluster_each_node_brings_a_work_in_when_it_first_runs_something_of_it(
    make: Make, tmp_path: Path
) -> None:
    pod = make("shared", is_shared=True, group="prep")
    digest, content = a_package({"helper.py": "VALUE = 42"})
    pod.api.packages[digest] = content
    given = tmp_path / "given"
    given.mkdir()
    pod.hand_work(given / "work.json", package_digest=digest)
    pod.agent()
    program = "import os, helper; print(helper.VALUE, os.environ['MLP_TOKEN'], os.getcwd())"
    environment = {"MLP_ATTEMPT_ID": pod.attempt, "MLP_ATTEMPT_DIR": "elsewhere", "RAY_JOB_ID": "02000000"}
    runs = [pod.run_program(["worker", pod.attempt, "-c", program], environment, given, reads=True) for _ in range(3)]
    for run in runs:
        assert run.communicate(timeout=60)[0].decode() == f"42 {pod.api.token} {pod.place.code}\n"
        assert (pod.place.marks / str(run.pid)).read_text() == "02000000"
    (pod.ray_logs / "worker-ab-02000000-5.out").write_text("ours\n")
    (pod.ray_logs / "worker-cd-03000000-6.out").write_text("another's\n")
    eventually(lambda: stored(pod, "prep-x7k2p/5") == "ours\n")
    assert "prep-x7k2p/6" not in pod.api.logs


# -- secrets ----------------------------------------------------------------------------------------------------------


def test_the_token_is_on_no_command_line_and_in_no_log_and_not_told_to_ray(pod: FakePod, api: AgentApi) -> None:
    api.token = "token-" + "7" * 40
    shell = 'echo "$RAY_JOB_CONFIG_JSON_ENV_VAR"; [ -n "$MLP_TOKEN" ]; sleep 1.5'
    driver = alone(pod, shell=shell)
    pod.says("runtime_env")
    seen = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids.all_pids() if pids.is_running(pid)]
    assert not any(api.token.encode() in words for words in seen)
    assert driver.wait(60) == 0
    config = json.loads(stored(pod))
    assert config["metadata"] == {"job_submission_id": "job-01-9xz"}
    assert config["runtime_env"]["py_executable"] == str(pod.place.python)
    assert config["runtime_env"]["env_vars"]["COLOUR"] == "blue"
    assert api.token not in stored(pod)
    pod.started[-2].send_signal(signal.SIGTERM)
    said = "".join(pod.said(process) for process in pod.started if process.poll() is not None or process.wait(10) == 0)
    assert api.token not in said
    assert all(path.stat().st_mode & 0o077 == 0 for path in (pod.place.work, pod.place.secrets, pod.place.agent_config))


def test_ray_workers_find_the_token_where_their_interpreter_starts(pod: FakePod) -> None:
    set_up(pod, shell="true")
    run = subprocess.run(
        [pod.place.python, "-c", "import os; print(os.environ['MLP_TOKEN'])"],
        env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout == f"{pod.api.token}\n"
