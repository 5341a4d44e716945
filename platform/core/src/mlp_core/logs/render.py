"""Bytes of a log → text that is safe to show. Pure.

What a terminal would show, kept to what a log needs: invalid UTF-8 is replaced, NUL is shown, colours stay, and of a
line that was redrawn by carriage returns (a progress bar) the last state is shown. Cursor moves, window titles and all
other control sequences are dropped, so that a log cannot write to its reader's terminal.
"""

from __future__ import annotations

import re

FOLD_BYTES = 64 * 1024
"""A longer line is shown up to here; the raw download has all of it."""

_ESCAPES = re.compile(
    r"(?P<colour>\x1b\[[0-9;:]*m)"  # SGR: kept
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # other CSI: moves, erases
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, ...: titles, links
    r"|\x1b[ -/]*[0-~]?"  # two-character escapes
)
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROL_BYTES = bytes([*range(0x00, 0x09), *range(0x0B, 0x20), 0x7F])
"""Those of one byte; the others (U+0080 to U+009F) begin with 0xC2 in UTF-8."""
_CONTROLS: dict[int, str | None] = {
    # Tab stays; ESC stays because only colours still begin with it once `_ESCAPES` has been through.
    **dict.fromkeys([*range(0x01, 0x09), *range(0x0B, 0x1B), *range(0x1C, 0x20), *range(0x7F, 0xA0)]),
    0x00: "\u2400",
}


def render_lines(body: bytes) -> list[str]:
    """Complete lines, each ended by a newline in `body`, as text."""
    text = body.decode("utf-8", errors="replace")
    lines = text.split("\n")
    lines.pop()
    if len(body) > FOLD_BYTES and max(map(len, lines), default=0) > FOLD_BYTES // 4:
        return [render_line(line) for line in body.split(b"\n")[:-1]]
    if _is_plain(body):
        return lines
    return [clean(last_state(line)) if _UNSAFE.search(line) else line for line in lines]


def _is_plain(body: bytes) -> bool:
    """Whether nothing in it needs cleaning; far faster than to search the text, and true of nearly every log."""
    return len(body.translate(None, _CONTROL_BYTES)) == len(body) and b"\xc2" not in body


def render_line(raw: bytes, omitted: int = 0) -> str:
    """One line without its newline. `omitted`: bytes of it that the caller left out already."""
    state = last_state_bytes(raw)
    omitted += max(0, len(state) - FOLD_BYTES)
    shown = state[:FOLD_BYTES]
    if omitted:
        # A cut inside a character would show a replacement that is not in the log.
        return clean(shown.decode("utf-8", errors="ignore")) + fold_mark(omitted)
    return clean(shown.decode("utf-8", errors="replace"))


def fold_mark(omitted: int) -> str:
    return f" … [{omitted:,} bytes more on this line; the raw download has them]"


def clean(text: str) -> str:
    """Without control sequences other than colours; NUL is made visible."""
    return _ESCAPES.sub(_keep_colour, text).translate(_CONTROLS)


def without_colours(text: str) -> str:
    return _COLOURS.sub("", text) if "\x1b" in text else text


def last_state(line: str) -> str:
    """What the last redraw of a line left there. `\\r\\n` line ends are no redraw."""
    stripped = line.rstrip("\r")
    return stripped[stripped.rfind("\r") + 1 :]


def last_state_bytes(line: bytes) -> bytes:
    stripped = line.rstrip(b"\r")
    return stripped[stripped.rfind(b"\r") + 1 :]


def _keep_colour(match: re.Match[str]) -> str:
    return match["colour"] or ""
