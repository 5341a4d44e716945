"""What is told of the files that an attempt leaves, while it is sealed. Pure."""

from __future__ import annotations

from mlp_core.domain.execution import ArtifactsObserved

STORING = "StoringArtifacts"
STORED = "ArtifactsStored"
LOST = "ArtifactsLost"
LEFT_OUT = "ArtifactsLeftOut"
TOLD = frozenset({STORED, LOST, LEFT_OUT})
"""Reasons of a job whose sealing is past its artifacts: each is given once, so that its event is written once."""
VANISHED = "The machine went away while its output was being stored; `mlp job artifacts` lists what is whole."

_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def progress(seen: ArtifactsObserved) -> str:
    """`Storing artifacts: 3 of 7 files, 1.2 of 5.0 GB.`"""
    return f"Storing artifacts: {seen.files_stored} of {_files(seen.files)}, {_sizes(seen.bytes_stored, seen.bytes)}."


def outcome(seen: ArtifactsObserved) -> tuple[str, str]:
    """Reason and sentence once nothing more will be stored."""
    left_out = ""
    if seen.left_out_count:
        left_out = f" Left out: {_some(seen.left_out, seen.left_out_count)}."
    if seen.files_lost:
        return LOST, f"{lost(seen)}{left_out}"
    stored = f"{_files(seen.files)} of its output {'is' if seen.files == 1 else 'are'} stored."
    return (LEFT_OUT if left_out else STORED), f"{stored}{left_out}"


def lost(seen: ArtifactsObserved) -> str:
    return (
        f"{seen.files_lost} of {_files(seen.files)} of its output could not be stored in time: "
        f"{_some(seen.missing, seen.files_lost)}."
    )


def _files(count: int) -> str:
    return f"{count:,} file" if count == 1 else f"{count:,} files"


def _sizes(part: int, whole: int) -> str:
    for factor, unit in _UNITS:
        if whole >= factor:
            return f"{part / factor:.1f} of {whole / factor:.1f} {unit}"
    return f"{part} of {whole} bytes"


def _some(names: tuple[str, ...], count: int) -> str:
    more = f" and {count - len(names):,} more" if count > len(names) else ""
    return f"{', '.join(names)}{more}"
