"""The built web application: its files in memory, each with its compressed forms, and the policy of its pages."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

INDEX = "index.html"
ASSETS = "assets/"
"""Below it a file's name holds the hash of its content."""
_ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""Best first; the suffix of a file beside the plain one."""
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".woff2": "font/woff2",
    ".webmanifest": "application/json",
}
_TEXT = re.compile(r"text/.*|application/(json|javascript)|image/svg\+xml")
_INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc\s*=)[^>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Variant:
    content: bytes
    etag: str
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class WebFile:
    media_type: str
    variants: tuple[Variant, ...]
    """The plain one last."""

    def choose(self, accept_encoding: str) -> Variant:
        """The smallest form that the client takes."""
        taken = accepted(accept_encoding)
        return next((one for one in self.variants if one.encoding in taken), self.variants[-1])


@dataclass(frozen=True, slots=True)
class WebBuild:
    """One build, whole in memory: some megabytes, and no request ever names a path on disk."""

    files: Mapping[str, WebFile]
    policy: str
    changed_at: int
    """Of the index, by which another build is told."""

    @property
    def index(self) -> WebFile:
        return self.files[INDEX]


def find_build(configured: Path | None) -> Path | None:
    """The folder of the built application: as configured, else in this package, else in the repository."""
    here = Path(__file__).resolve()
    places = [configured] if configured is not None else [here.parent / "web", *_in_repository(here)]
    return next((place for place in places if (place / INDEX).is_file()), None)


def _in_repository(here: Path) -> list[Path]:
    """Beside this source where it is a checkout, also while nothing is built there yet."""
    return [root / "web" / "dist" for root in here.parents if (root / "web" / "package.json").is_file()]


def load(folder: Path) -> WebBuild:
    """Read a build.

    Raises:
        OSError: it cannot be read, or is being replaced right now.
    """
    changed_at = (folder / INDEX).stat().st_mtime_ns
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    compressed = {name for name in paths if name.endswith(tuple(_ENCODINGS.values())) and _plain(name) in paths}
    files = {name: _read(name, paths) for name in paths if name not in compressed}
    return WebBuild(files, policy_of(files[INDEX].variants[-1].content), changed_at)


def policy_of(page: bytes) -> str:
    """The content security policy of the application: its own files, and the inline scripts of this very page."""
    hashes = [
        f" 'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in _INLINE_SCRIPT.findall(page)
    ]
    return (
        f"default-src 'none'; script-src 'self'{''.join(hashes)}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
        "manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    )


def accepted(header: str) -> frozenset[str]:
    """Encodings that `Accept-Encoding` allows by name."""
    found: set[str] = set()
    for part in header.lower().split(","):
        name, _, parameters = part.partition(";")
        weight = parameters.replace(" ", "").removeprefix("q=")
        if (name.strip() and weight.strip("0.")) or not parameters:
            found.add(name.strip())
    return frozenset(found)


def _plain(name: str) -> str:
    return name.rpartition(".")[0]


def _read(name: str, paths: Mapping[str, Path]) -> WebFile:
    media_type = _TYPES.get(PurePosixPath(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if _TEXT.fullmatch(media_type):
        media_type += "; charset=utf-8"
    variants = [
        _variant(paths[name + suffix].read_bytes(), encoding)
        for encoding, suffix in _ENCODINGS.items()
        if name + suffix in paths
    ]
    return WebFile(media_type, (*variants, _variant(paths[name].read_bytes(), None)))


def _variant(content: bytes, encoding: str | None) -> Variant:
    return Variant(content, f'"{hashlib.sha256(content).hexdigest()[:32]}"', encoding)
