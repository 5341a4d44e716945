"""Sentences about ends."""

from __future__ import annotations

from pathlib import Path

from mlp.schemas.phases import FailureClass
from mlp_operator.engines.local import evidence
from mlp_operator.engines.local.evidence import Kill

GIBIBYTE = 2**30
RAYLET = """
[2026-11-30 18:55:11,648 I 27214 27214] (raylet) node_manager.cc:3199: Killing 1 worker(s), kill details: Memory on \
the node (IP: 192.0.2.2, ID: 145a) was 7.24GB used / 23.54GB limit (0.307475)
OOM kill reason: Memory usage 7583793152B exceeded threshold of 7582819328B (30.0% of 25276063744B limit)
Selected to kill: (Task: job ID=01000000, lease ID=00, task name=f, required resources={CPU: 1}, pid=27386, actual \
memory used=3.41GB, worker ID=5394)
"""


def test_last_lines_have_no_colours_and_no_gaps(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"line {i}\n\n" for i in range(30)) + "\x1b[1mlast\x1b[22m\x1b[26m  \n")
    lines = evidence.last_lines(tmp_path / "log")
    assert lines[-2:] == ("line 29", "last")
    assert len(lines) == evidence.LAST_LINES
    assert evidence.last_lines(tmp_path / "none") == ()


def test_ray_s_own_kill_is_read_from_its_log(tmp_path: Path) -> None:
    log = tmp_path / "raylet.out"
    log.write_text("quiet\n" + RAYLET)
    used, limit = int(7.24 * GIBIBYTE), int(23.54 * GIBIBYTE)
    assert evidence.ray_kill("prep-0", log, 0) == Kill("prep-0", "Ray", used, limit, "task f (pid 27386)")
    assert evidence.ray_kill("prep-0", log, log.stat().st_size) is None, "it was before the work began"


def test_a_kill_for_memory_names_process_node_and_amounts() -> None:
    kill = Kill("prep-0", "the kernel", int(3.9 * GIBIBYTE), 4 * GIBIBYTE, "ray::Loader.gro (pid 7)")
    trouble = evidence.out_of_memory([kill], {"prep-0": "prep"})
    assert trouble.message == (
        "Out of memory: node prep-0 of group prep used 3.9 of 4.0 GiB, and the kernel ended ray::Loader.gro (pid 7)."
    )
    assert (trouble.failure_class, trouble.node, trouble.is_final) == (FailureClass.OOM, "prep-0", False)
