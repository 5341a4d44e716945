"""From requirements to a lock: uv's resolver under the constraints of the platform's own Ray.

Nothing is built while resolving (`--no-build`): a source distribution's build code would run with the
operator's rights. A requirement without a wheel is refused with that reason.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from mlp.schemas.phases import EnvironmentPhase, FailureClass
from mlp_core.environments.reconciling import Resolution

RESOLVE_DEADLINE = 50.0
"""Seconds; a little less than one reconcile may take."""
_OUTPUT_LINES = 40
_INDEX_AWAY = re.compile(
    r"error sending request|dns error|connection (refused|reset)|timed? ?out|Failed to fetch|status (code|server)", re.I
)
_AGAIN = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Resolver:
    """`constraints` are the platform's own pins, such as `ray==2.60.0`, that an overlay must not change."""

    uv: Path
    constraints: tuple[str, ...]
    python: str = f"{sys.version_info.major}.{sys.version_info.minor}"

    async def resolve(self, python: str, requirements: tuple[str, ...]) -> Resolution:
        if python != self.python:
            return _refused(f"Python {python} is not offered; this platform runs Python {self.python}.")
        code, lock, said = await self._compile(requirements)
        if code is None:
            return _again("The package index did not answer in time; trying again.")
        if code == 0:
            return _locked(lock, python)
        if _INDEX_AWAY.search(said) and "No solution found" not in said:
            return _again(f"The package index does not answer; trying again. {_sentence(said)}")
        return _refused(self._explain(said))

    async def _compile(self, requirements: tuple[str, ...]) -> tuple[int | None, str, str]:
        """Exit code (None: too slow), the lock, and what uv said."""
        lines = "\n".join([*requirements, *self.constraints]) + "\n"
        process = await asyncio.create_subprocess_exec(
            str(self.uv),
            *("pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-build", "--no-config"),
            *("--python", sys.executable, "--color", "never"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(RESOLVE_DEADLINE):
                out, err = await process.communicate(lines.encode())
        except TimeoutError:
            process.kill()
            await process.wait()
            return None, "", ""
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def _explain(self, said: str) -> str:
        """uv's own sentence first; the whole of it below."""
        lines = [line.rstrip() for line in said.splitlines() if line.strip()][-_OUTPUT_LINES:]
        pinned = next((pin for pin in self.constraints if _names(pin, said)), None)
        note = f" The platform itself runs {pinned}, which a job cannot change." if pinned else ""
        return "\n".join([_sentence(said) + note, *lines])


def _names(pin: str, said: str) -> bool:
    package = pin.partition("==")[0]
    return re.search(rf"\b{re.escape(package)}\b(?!-)", said) is not None


def _sentence(said: str) -> str:
    """The resolver's reasoning in one line, without its drawing characters."""
    text = " ".join(line.strip(" \t╰─▶×│├hint:") for line in said.splitlines())
    text = re.sub(r"^error:\s*", "", re.sub(r"\s+", " ", text).strip())
    return (text[:600] + "…" if len(text) > 600 else text) or "The requirements could not be resolved."


def _locked(lock: str, python: str) -> Resolution:
    lines = sorted(line.strip() for line in lock.splitlines() if line.strip() and not line.startswith("#"))
    body = "\n".join(lines) + "\n"
    digest = hashlib.sha256(f"python {python}\n{body}".encode()).hexdigest()
    return Resolution(
        phase=EnvironmentPhase.READY,
        reason="Resolved",
        message=f"{len(lines)} packages are pinned.",
        digest=f"sha256:{digest}",
        lock=body,
    )


def _refused(message: str) -> Resolution:
    return Resolution(EnvironmentPhase.FAILED, "Unresolvable", message, failure_class=FailureClass.USER_ERROR)


def _again(message: str) -> Resolution:
    return Resolution(EnvironmentPhase.RESOLVING, "IndexNotAnswering", message, again_in=_AGAIN)
