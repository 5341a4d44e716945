"""Sentences about ends."""

from __future__ import annotations

from pathlib import Path

from mlp.schemas.phases import FailureClass
from mlp_operator.engines.local import evidence
from mlp_operator.engines.local.evidence import Kill

GIBIBYTE = 2**30
RAYLET = (
    "[2026-11-30 18:00:00,000 E 1 1] (raylet) node_manager.cc:1: 1 worker(s) were killed due to the node running low on"
    " memory. Memory on the node (IP: 10.0.0.1, ID: ab) was 15.20GB / 16.00GB (0.95), which exceeds the threshold\n"
)


def test_last_lines_have_no_colours_and_no_gaps(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"line {i}\n\n" for i in range(30)) + "\x1b[1mlast\x1b[22m\x1b[26m  \n")
    lines = evidence.last_lines(tmp_path / "log")
    assert lines[-2:] == ("line 29", "last")
    assert len(lines) == evidence.LAST_LINES
    assert evidence.last_lines(tmp_path / "none") == ()


def test_ray_s_own_kill_is_read_from_its_log(tmp_path: Path) -> None:
    log = tmp_path / "raylet.out"
    log.write_text("quiet\n" + RAYLET)
    assert evidence.ray_kill("prep-0", log, 0) == Kill("prep-0", "Ray", int(15.2 * GIBIBYTE), 16 * GIBIBYTE)
    assert evidence.ray_kill("prep-0", log, log.stat().st_size) is None, "it was before the work began"


def test_a_kill_for_memory_names_process_node_and_amounts() -> None:
    kill = Kill("prep-0", "the kernel", int(3.9 * GIBIBYTE), 4 * GIBIBYTE, "ray::Loader.gro (pid 7)")
    trouble = evidence.out_of_memory([kill], {"prep-0": "prep"})
    assert trouble.message == (
        "Out of memory: node prep-0 of group prep used 3.9 of 4.0 GiB, and the kernel ended ray::Loader.gro (pid 7)."
    )
    assert (trouble.failure_class, trouble.node, trouble.is_final) == (FailureClass.OOM, "prep-0", False)
