"""Artifacts: the files that an attempt leaves in its output folder, and how an agent brings them in."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from mlp.schemas.base import Instant, Intent, Text, Wire

PART_BYTES = 8 * 2**20
MAX_PATH_BYTES = 1024


def _relative(path: str) -> str:
    """A path below a folder, in one spelling: what it names can be neither the folder itself nor anything outside."""
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError("must be a relative path with '/' between its parts and without '.' or '..'")
    if len(path.encode()) > MAX_PATH_BYTES:
        raise ValueError(f"must have at most {MAX_PATH_BYTES:,} bytes in UTF-8")
    return path


ArtifactPath = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_PATH_BYTES), AfterValidator(_relative)]


class ArtifactStart(Intent):
    path: ArtifactPath = Field(description="Below the output folder, with `/` between its parts.")
    size: int = Field(ge=0, lt=2**53, description="Bytes of the whole file.")


class ArtifactComplete(Intent):
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="Of the whole file, in hexadecimal.")


class ArtifactLog(Intent):
    path: ArtifactPath = Field(description="As the list has it.", examples=["model/weights.bin"])
    to: ArtifactPath | None = Field(default=None, description="Its path in the run; the same one if absent.")


class ArtifactUpload(Wire):
    """The server is the authority: the agent goes on with part `next_part`, counted from 0."""

    id: str
    parts: int = Field(description="How many parts the file has; all but the last have `part_size` bytes.")
    next_part: int
    part_size: int = PART_BYTES
    complete: bool = False


class ArtifactRead(Wire):
    path: str
    attempt: int
    size: int
    stored: int = Field(description="Bytes that have arrived; `size` once all have.")
    complete: bool = Field(description="Whole, and of the digest that the agent counted. Only then it can be read.")
    sha256: str | None = None
    created_at: Instant
    completed_at: Instant | None = None
