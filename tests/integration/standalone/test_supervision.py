"""What the supervisor promises, on real processes that are really killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from mlp_standalone import control, logs
from mlp_standalone.config import is_free
from mlp_standalone.processes import Identity
from mlp_standalone.state import Health, Phase
from mlp_standalone.supervisor import ALREADY_RUNNING
from support.standalone import SMALL_PLATFORM, SmallPlatform, eventually, free_port, is_gone


def test_starts_in_the_order_of_needs_and_stops_in_reverse(platform: SmallPlatform) -> None:
    platform.plan(
        {"name": "api", "after": ["migrate"], "port": free_port()},
        {"name": "store", "port": free_port(), "stop_signal": "SIGINT"},
        {"name": "worker", "after": ["api"], "port": free_port()},
        steps=({"name": "migrate", "after": ["store"]},),
    )
    ready = platform.up()
    assert ready.phase is Phase.READY
    assert [unit.name for unit in ready.units] == ["store", "migrate", "api", "worker"]
    assert platform.stop() == 0
    assert [line for line in platform.events() if "started" not in line] == [
        "worker SIGTERM",
        "api SIGTERM",
        "store SIGINT",
    ]
    assert [line.split()[0] for line in platform.events() if "started" in line] == ["store", "api", "worker"]
    assert platform.state().phase is Phase.STOPPED
    assert platform.alive() == []


def test_a_killed_child_is_started_again_and_the_others_stay(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port()}, {"name": "b", "port": free_port()})
    platform.up()
    old_a, old_b = platform.pid("a"), platform.pid("b")
    platform.kill("a")
    seen = platform.wait_for_restart("a")
    assert seen.unit("a").pid not in (None, old_a)
    assert (seen.unit("b").pid, seen.unit("b").restarts) == (old_b, 0)
    assert platform.wait_for(Phase.READY)


def test_what_a_killed_child_left_behind_is_ended(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port(), "arguments": ["--grandchild"]})
    platform.up()
    grandchild = int(next(line for line in platform.events() if "grandchild" in line).split()[-1])
    platform.kill("a")
    eventually(lambda: is_gone(grandchild), "end of the grandchild")
    platform.wait_for_restart("a")


def test_a_child_that_keeps_failing_is_tried_ever_more_slowly(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port(), "arguments": ["--crash"]})
    platform.start()
    seen = eventually(lambda: unit if (unit := _unit(platform, "a")) and unit.restarts >= 3 else None, "3 restarts")
    eventually(lambda: _unit(platform, "a").health is Health.BACKING_OFF, "back-off")
    assert "exited with status 3" in _unit(platform, "a").message
    assert "2.0 s" in _unit(platform, "a").message or seen.restarts > 3
    assert platform.state().phase is Phase.STARTING


def test_a_start_that_cannot_succeed_is_given_up_with_the_reason(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port(), "arguments": ["--crash"]})
    with pytest.raises(control.NotStartedError) as caught:
        platform.up()
    assert str(caught.value).startswith("The a does not start: exited with status 3; starting again in ")
    assert f"The end of {platform.layout.log('a')}:\n  crashing as told" in str(caught.value)


def test_a_stranger_that_answers_on_the_port_is_not_taken_for_the_service(platform: SmallPlatform) -> None:
    port = free_port()
    with small_service(platform, port):
        platform.plan({"name": "a", "port": port})
        platform.start()
        eventually(lambda: _unit(platform, "a").restarts >= 2, "restarts")
        assert not _unit(platform, "a").was_healthy
    platform.wait_for(Phase.READY)


def test_a_child_that_does_not_answer_any_more_is_replaced(platform: SmallPlatform) -> None:
    mute = platform.layout.root / "mute"
    platform.plan(
        {"name": "a", "port": free_port(), "arguments": ["--mute", str(mute)]},
        hung_seconds=1.0,
    )
    platform.up()
    old = platform.pid("a")
    mute.touch()
    eventually(lambda: _unit(platform, "a").health is Health.UNHEALTHY, "unhealthy")
    assert _unit(platform, "a").message == "answered 503"
    assert platform.state().phase is Phase.DEGRADED
    eventually(lambda: is_gone(old), "end of the hung process")
    mute.unlink()
    platform.wait_for_restart("a")


def test_a_child_that_ignores_the_request_to_end_is_killed_in_time(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port(), "arguments": ["--stubborn"], "stop_seconds": 0.5})
    platform.up()
    pid = platform.pid("a")
    started = time.monotonic()
    assert platform.stop() == 0
    assert time.monotonic() - started < 5
    assert is_gone(pid)
    assert "a SIGTERM" in platform.events()


def test_no_orphan_is_left_when_the_supervisor_is_killed(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port()}, {"name": "b", "port": free_port(), "stop_signal": "SIGINT"})
    platform.up()
    assert len(platform.alive()) == 2
    platform.kill_supervisor()
    eventually(lambda: not platform.alive(), "end of all children", seconds=5)
    assert {"a SIGTERM", "b SIGINT"} <= set(platform.events())


def test_the_next_start_clears_what_survived_a_killed_supervisor(platform: SmallPlatform) -> None:
    port = free_port()
    platform.plan({"name": "a", "port": port, "arguments": ["--stubborn", "--grandchild"]})
    platform.up()
    survivor = platform.pid("a")
    grandchild = int(next(line for line in platform.events() if "grandchild" in line).split()[-1])
    platform.kill_supervisor()
    eventually(lambda: "a SIGTERM" in platform.events(), "the kernel's signal")
    assert not is_gone(survivor)
    platform.plan({"name": "a", "port": port})
    ready = platform.up()
    assert ready.phase is Phase.READY
    assert is_gone(survivor)
    assert is_gone(grandchild)


def test_processes_of_a_cluster_outlive_supervisor_and_next_start(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port()})
    platform.up()
    environment = {**os.environ, "MLP_STANDALONE": str(platform.layout.root), "MLP_CLUSTER": "c-1"}
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], env=environment) as node:
        platform.kill_supervisor()
        platform.up()
        assert node.poll() is None
        (platform.layout.clusters / "c-1").mkdir(parents=True)
        control.end_clusters(platform.layout)
        assert node.wait(10) < 0


def test_a_second_supervisor_leaves_the_folder_alone(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port()})
    platform.up()
    before = platform.pid("a")
    second = platform.start()
    with pytest.raises(control.AlreadyRunningError):
        list(control.follow_start(platform.layout, second))
    assert second.wait(10) == ALREADY_RUNNING
    assert platform.pid("a") == before
    assert not is_gone(before)


def test_a_failed_step_stops_everything_and_says_why(platform: SmallPlatform) -> None:
    platform.plan(
        {"name": "store", "port": free_port()},
        {"name": "api", "after": ["migrate"]},
        steps=({"name": "migrate", "after": ["store"], "error": "The schema is ahead of this version."},),
    )
    supervisor = platform.start()
    with pytest.raises(control.NotStartedError, match="The schema is ahead of this version"):
        list(control.follow_start(platform.layout, supervisor))
    assert supervisor.wait(10) == 1
    assert platform.state().phase is Phase.FAILED
    assert platform.alive() == []


def test_stopping_during_the_start_leaves_nothing(platform: SmallPlatform) -> None:
    mute = platform.layout.root / "mute"
    mute.touch()
    platform.plan(
        {"name": "a", "port": free_port(), "arguments": ["--mute", str(mute)]},
        {"name": "b", "after": ["a"]},
    )
    platform.start()
    eventually(lambda: any("started" in line for line in platform.events()), "start of a")
    assert platform.stop() == 0
    assert platform.alive() == []
    assert not any(line.startswith("b ") for line in platform.events())


def test_an_attached_supervisor_ends_with_the_process_that_started_it(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port()})
    script = f"""
        import sys
        from pathlib import Path
        from support.standalone import SmallPlatform
        platform = SmallPlatform(Path({str(platform.layout.root)!r}))
        print(platform.start(attached=True).pid, flush=True)
        sys.stdin.read()
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("tests"))}
    starter = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert starter.stdout is not None
    supervisor = Identity.of(int(starter.stdout.readline()))
    assert supervisor is not None
    platform.wait_for(Phase.READY)
    starter.kill()
    starter.communicate()
    eventually(lambda: not supervisor.is_alive(), "end of the supervisor")
    assert platform.alive() == []
    assert "a SIGTERM" in platform.events()


def test_a_large_log_is_rotated_while_its_writer_goes_on(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port()})
    log = platform.layout.log("a")
    platform.layout.create()
    log.write_bytes(b"x" * (logs.MAX_BYTES + 1))
    platform.up()
    eventually(lambda: logs.numbered(log, 1).exists() and log.stat().st_size < logs.MAX_BYTES, "rotation")
    assert logs.numbered(log, 1).stat().st_size > logs.MAX_BYTES


def test_stop_kills_a_supervisor_that_does_not_drain(platform: SmallPlatform) -> None:
    platform.plan({"name": "a", "port": free_port()})
    ready = platform.up()
    child = platform.pid("a")
    os.kill(ready.supervisor.pid, signal.SIGSTOP)
    assert control.stop(platform.layout, ready.supervisor, seconds=0.5) is False
    assert is_gone(child)
    assert platform.alive() == []


@contextmanager
def small_service(platform: SmallPlatform, port: int) -> Generator[None]:
    program = str(SMALL_PLATFORM.with_name("small_service.py"))
    arguments = ["--name", "stranger", "--port", str(port), "--events", str(platform.layout.root / "stranger")]
    with subprocess.Popen([sys.executable, program, *arguments]) as stranger:
        eventually(lambda: not is_free(port), "the stranger on its port")
        yield
        stranger.kill()


def _unit(platform: SmallPlatform, name: str):
    eventually(platform.layout.state.exists, "the state")
    return platform.state().unit(name)
