from __future__ import annotations

import os
from pathlib import Path

from mlp_standalone import logs


def test_a_small_log_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    assert logs.rotate_if_large(log, max_bytes=10) is False
    log.write_bytes(b"x" * 10)
    assert logs.rotate_if_large(log, max_bytes=10) is False


def test_the_oldest_file_is_dropped_and_the_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    writer = logs.open_for_appending(log)
    try:
        for text in (b"first-file!", b"second-file", b"third-file!", b"fourth-file"):
            os.write(writer, text)
            assert logs.rotate_if_large(log, max_bytes=10, kept=3)
        os.write(writer, b"now")
    finally:
        os.close(writer)
    assert log.read_bytes() == b"now"
    assert logs.numbered(log, 1).read_bytes() == b"fourth-file"
    assert logs.numbered(log, 2).read_bytes() == b"third-file!"
    assert not logs.numbered(log, 3).exists()


def test_the_tail_is_the_last_lines_that_say_something(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    assert logs.tail(log, 2) == []
    log.write_bytes(b"one\ntwo\n\xff\n\n   \nthree\n")
    assert logs.tail(log, 3) == ["two", "\ufffd", "three"]
