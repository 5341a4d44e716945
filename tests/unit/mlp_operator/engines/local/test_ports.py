"""Ports: recorded ranges are kept clear of, and so is what listens."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from mlp_operator.engines.local import ports
from mlp_operator.engines.local.ports import PortRange
from mlp_operator.engines.port import EngineError

BASE = 27_000


def test_a_range_holds_head_and_nodes() -> None:
    found = ports.allocate(3, [], base=BASE, limit=BASE + 200)
    assert found.count == 24
    assert found.gcs != found.dashboard
    last = found.node(2)
    assert max(last.metrics, last.runtime_env) < found.stop


def test_ranges_of_other_clusters_are_skipped() -> None:
    taken = [PortRange(BASE, 16), PortRange(BASE + 24, 8)]
    assert ports.allocate(1, taken, base=BASE, limit=BASE + 200).first == BASE + 16
    assert ports.allocate(2, taken, base=BASE, limit=BASE + 200).first == BASE + 32


def test_a_port_that_is_listened_on_is_skipped() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", BASE + 3))
        server.listen(1)
        assert not ports.is_free(BASE + 3)
        assert ports.allocate(1, [], base=BASE, limit=BASE + 200).first == BASE + 8


def test_no_room_left_is_said() -> None:
    with pytest.raises(EngineError, match="free ports in a row"):
        ports.allocate(4, [PortRange(BASE, 16)], base=BASE, limit=BASE + 40)


def test_what_another_platform_has_just_reserved_is_taken(tmp_path: Path) -> None:
    chosen = ports.allocate(1, [], base=BASE, limit=BASE + 200)
    ports.reserve(chosen, tmp_path / "mlp-other")
    assert ports.reservations(tmp_path) == [chosen]
    assert ports.allocate(1, ports.reservations(tmp_path), base=BASE, limit=BASE + 200).first == BASE + 8
    os.utime(tmp_path / "mlp-other" / ports.RESERVATION, (0, 0))
    assert ports.reservations(tmp_path) == []
