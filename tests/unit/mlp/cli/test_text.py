from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp.cli import streams
from mlp.cli.table import Column, render
from mlp.cli.text import age, clip, log_line, memory, one_line, ordinal, shown_as, width
from support.patience import patient

streams.register()

ESC = "\x1b"


@pytest.mark.parametrize(
    ("raw", "plain", "coloured"),
    [
        ("plain é 训练", "plain é 训练", "plain é 训练"),
        (f"{ESC}[32mepoch 1 done{ESC}[0m", "epoch 1 done", f"{ESC}[32mepoch 1 done{ESC}[0m{ESC}[0m"),
        (f"{ESC}]0;title\x07{ESC}[2Jend", "end", "end"),
        (f"a{ESC}]8;;http://x{ESC}\\b", "ab", "ab"),
        (f"{ESC}[5;9Hx{ESC}[?25l{ESC}7{ESC}(B", "x", "x"),
        ("\x9b2Jx\x00\x07\x08y", "xy", "xy"),
        (" 10%|#   |\r 50%|##  |\r100%|####|", "100%|####|", "100%|####|"),
        ("done\r", "done", "done"),
        ("\r\r", "", ""),
        ("tab\tstays", "tab\tstays", "tab\tstays"),
        (f"{ESC}[6n{ESC}c{ESC}P$q{ESC}\\ok", "ok", "ok"),
        (f"unfinished {ESC}[", "unfinished ", "unfinished "),
    ],
)
def test_log_lines_are_rendered_and_cannot_touch_the_viewers_terminal(raw: str, plain: str, coloured: str) -> None:
    """Case b3."""
    assert log_line(raw, colour=False) == plain
    assert log_line(raw, colour=True) == coloured


@patient
@given(st.text(alphabet=st.characters(max_codepoint=0x250)))
def test_nothing_but_colours_is_ever_left(text: str) -> None:
    import re

    shown = re.sub(r"\x1b\[[0-9;:]*m", "", log_line(text, colour=True))
    assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]", shown)


@patient
@given(st.text(), st.integers(0, 30))
def test_clipped_text_fits(text: str, cells: int) -> None:
    assert width(clip(one_line(text), cells)) <= cells


@patient
@given(st.text(), st.sampled_from(["ascii", "gbk", "cp1252", "utf-8"]))
def test_text_that_cannot_be_shown_keeps_its_width(text: str, encoding: str) -> None:
    clean = "".join(char for char in one_line(text) if width(char))
    shown = shown_as(clean, encoding)
    assert width(shown) == width(clean)
    assert shown.encode(encoding).decode(encoding) == shown


def test_one_line_is_one_line() -> None:
    assert one_line(f"a\nb\tc{ESC}[31md\u202ee") == "a b cde"


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "cp1252", "utf-8"])
def test_columns_stay_in_their_places_in_every_encoding(encoding: str) -> None:
    """Case i3."""
    columns = [Column("NAME", lambda row: row["name"]), Column("PHASE", lambda row: "running")]
    rows = [{"name": "训练 🚀"}, {"name": "тест é"}, {"name": "x"}]
    lines = render(columns, rows, encoding=encoding, columns_wide=None)
    assert {width(line) - len("running") for line in lines[1:]} == {9}
    for line in lines:
        line.encode(encoding)


def test_a_narrow_terminal_cuts_elastic_columns_only() -> None:
    columns = [
        Column("ID", lambda _: "job_0123"),
        Column("NAME", lambda _: "a very long name indeed", elastic=True),
        Column("N", lambda _: "7", right=True),
    ]
    titles, line = render(columns, [{}], encoding="utf-8", columns_wide=20)
    assert line == "job_0123  a very…  7"
    assert render(columns, [{}], encoding="ascii", columns_wide=20)[1] == "job_0123  a very.  7"
    assert width(titles) <= 20


def test_ages_and_sizes_read_short() -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    shown = [age(now - timedelta(seconds=s), now) for s in (0, 59, 60, 119, 3600, 7200, 90000, 200000, -5)]
    assert shown == ["0s", "59s", "1m", "1m", "60m", "2h", "25h", "2d", "0s"]
    assert [memory(n) for n in (None, 0, 1023, 1536, 2**31, 5 * 2**40)] == ["", "0", "1023", "1.5Ki", "2Gi", "5Ti"]


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (21, "21st"), (1013, "1,013th")],
)
def test_places_are_ordinal(count: int, text: str) -> None:
    assert ordinal(count) == text
