"""The card of a job in a notebook: one piece of static HTML.

It must read well when the notebook is opened years later without a server, without scripts and without styles (viewers
strip them), on a dark or a light page. Everything a tenant could have written is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlp.schemas.jobs import Failure, JobRead

_STEPS = ("queued", "admitted", "provisioning", "running", "sealing")
_MARKS = {"succeeded": "✓", "failed": "✗", "cancelled": "■"}
_METRICS_SHOWN = 12
_LINES_SHOWN = 8
_STYLE = """
.mlp-card{font:13px/1.5 system-ui,sans-serif;border:1px solid #c9ced6;border-radius:8px;padding:12px 16px;
max-width:46rem;color:#1c2430;background:#fff}
.mlp-card table{border-collapse:collapse;margin:6px 0;background:none}
.mlp-card td,.mlp-card th{text-align:left;padding:1px 14px 1px 0;border:0;background:none;vertical-align:top}
.mlp-card th{font-weight:500;color:#5b6675}
.mlp-card .mlp-steps{color:#8a93a0}.mlp-card .mlp-now{color:#1c2430;font-weight:600}
.mlp-card .mlp-succeeded{color:#1a7f37}.mlp-card .mlp-failed{color:#b3261e}.mlp-card .mlp-cancelled{color:#6b5b00}
.mlp-card pre{margin:6px 0;padding:8px;overflow-x:auto;background:#f3f5f8;color:inherit;border-radius:6px}
.mlp-card a{color:#0b5cad}
@media (prefers-color-scheme:dark){.mlp-card{color:#e6e9ee;background:#161b22;border-color:#3a424d}
.mlp-card th,.mlp-card .mlp-steps{color:#9aa5b3}.mlp-card .mlp-now{color:#fff}
.mlp-card .mlp-succeeded{color:#56d364}.mlp-card .mlp-failed{color:#ff7b72}.mlp-card .mlp-cancelled{color:#e3b341}
.mlp-card pre{background:#0d1117}.mlp-card a{color:#79c0ff}}
"""


def render(job: JobRead, metrics: Mapping[str, float] | None = None) -> str:
    """The card of `job` as it was when read."""
    parts = [
        f"<style>{_STYLE}</style>",
        '<div class="mlp-card">',
        f"<strong>{escape(job.name)}</strong> <code>{escape(job.id)}</code>",
        _progress(job),
        _facts(job),
        _failure(job.failure),
        _metrics(metrics or {}),
        _links(job),
        "</div>",
    ]
    return "".join(parts)


def _progress(job: JobRead) -> str:
    """The phases in a row, the present one marked, and how it ended."""
    phase = str(job.phase)
    if phase in _MARKS:
        return f'<div class="mlp-{phase}">{_MARKS[phase]} <strong>{phase}</strong></div>'
    steps = [
        f'<strong class="mlp-now">▶ {step}</strong>' if step == phase else f"<span>{step}</span>" for step in _STEPS
    ]
    return f'<div class="mlp-steps">{" → ".join(steps)}</div>'


def _facts(job: JobRead) -> str:
    rows = [("reason", f"{job.reason}: {job.message}"), ("project", job.project)]
    if job.attempt > 1:
        rows.append(("attempt", str(job.attempt)))
    if job.exit_code is not None:
        rows.append(("exit code", str(job.exit_code)))
    if job.duration_seconds is not None:
        rows.append(("took", duration_text(job.duration_seconds)))
    rows.append(("submitted", f"{job.created_at:%Y-%m-%d %H:%M:%S} UTC by {job.created_by}"))
    return _table(rows)


def _table(rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def _failure(failure: Failure | None) -> str:
    if failure is None:
        return ""
    kind = f"<strong>{escape(str(failure.failure_class))}</strong>"
    said = f'<div class="mlp-failed">{kind}: {escape(failure.message)}</div>'
    lines = "\n".join(failure.last_lines[-_LINES_SHOWN:])
    shown = f"<pre>{escape(lines)}</pre>" if lines else ""
    hint = f"<div>{escape(failure.hint)}</div>" if failure.hint else ""
    return said + shown + hint


def _metrics(metrics: Mapping[str, float]) -> str:
    if not metrics:
        return ""
    names = sorted(metrics)
    rows = [(name, f"{metrics[name]:.6g}") for name in names[:_METRICS_SHOWN]]
    more = len(names) - len(rows)
    return _table(rows) + (f"<div>and {more} more metrics</div>" if more > 0 else "")


def _links(job: JobRead) -> str:
    links = [("job", job.url)]
    if job.run is not None and job.run.url:
        links.append((f"run {job.run.name}", job.run.url))
    if job.model is not None and job.model.url:
        links.append((f"model {job.model.name} v{job.model.version}", job.model.url))
    return "<div>" + " · ".join(_link(text, url) for text, url in links) + "</div>"


def _link(text: str, url: str) -> str:
    """A link, where the address is one of the web; a name in brackets would otherwise run what it says."""
    if not url.startswith(("http://", "https://")):
        return escape(text)
    return f'<a href="{escape(url, quote=True)}" rel="noopener noreferrer">{escape(text)}</a>'


def duration_text(seconds: float) -> str:
    """`4.2s`, `3m 20s`, `2h 05m`."""
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m {rest:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02d}m"
