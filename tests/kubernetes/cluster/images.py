"""Container images for true nodes, made without a daemon or a registry: layers as tar files, packed as OCI archives."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster.build import Report, cache_folder, locked

ROOT = Path(__file__).parents[3]
REGISTRY = "images.mlp.test"
"""Names a registry that does not exist: nothing is ever pulled from it."""
PAUSE = f"{REGISTRY}/pause:1"
RAY = f"{REGISTRY}/ray:2.60.0"
_RAY_REQUIREMENT = "ray[default]==2.60.0"
# KubeRay's probes call wget; Ray calls ps and ip.
_DEBIAN_PACKAGES = ("python3", "procps", "iproute2", "wget", "ca-certificates")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SITE = "usr/local/lib/python3.11/dist-packages"
_KIND = "application/vnd.oci.image"


@dataclass(frozen=True)
class Image:
    """What an image is called and what it runs."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    user: str = ""


def pack(image: Image, layers: Sequence[Path], archive: Path) -> None:
    """Write `layers` (uncompressed tar files, lowest first) as an OCI archive that containerd imports."""
    digests = [_digest_of(layer) for layer in layers]
    config = _json(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {
                "Cmd": list(image.command),
                "Env": [f"{name}={value}" for name, value in {"PATH": _PATH, **image.environment}.items()],
                "User": image.user,
            },
            "rootfs": {"type": "layers", "diff_ids": digests},
        }
    )
    described = [
        {"mediaType": f"{_KIND}.layer.v1.tar", "digest": digest, "size": layer.stat().st_size}
        for digest, layer in zip(digests, layers, strict=True)
    ]
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": f"{_KIND}.manifest.v1+json",
            "config": _description("config.v1+json", config),
            "layers": described,
        }
    )
    named = {"annotations": {"io.containerd.image.name": image.name}}
    index = _json({"schemaVersion": 2, "manifests": [_description("manifest.v1+json", manifest) | named]})
    with tarfile.open(archive, "w") as tar:
        _add(tar, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        _add(tar, "index.json", index)
        for blob in (config, manifest):
            _add(tar, _blob(_digest(blob)), blob)
        for digest, layer in zip(digests, layers, strict=True):
            tar.add(layer, _blob(digest))


def ray_image(report: Report) -> Path:
    """An OCI archive of Ray on Debian, built where it is not in the cache yet.

    subprocess.CalledProcessError where Debian or the package index cannot be reached.
    """
    # Not of the lock file too: most of its changes are about other packages than Ray's.
    key = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    home = cache_folder() / "built" / f"image-ray-{key}"
    with locked(home.with_suffix(".lock")):
        if not home.is_dir():
            with tempfile.TemporaryDirectory(dir=home.parent, prefix=".image-ray-") as scratch:
                _build_ray_image(Path(scratch), report)
                (Path(scratch) / "done").mkdir()
                (Path(scratch) / "ray.tar").rename(Path(scratch) / "done/ray.tar")
                (Path(scratch) / "done").rename(home)
    return home / "ray.tar"


def pause_image(program: Path, archive: Path) -> Path:
    """Pack the static program `pause`."""
    layer = archive.with_suffix(".layer")
    with tarfile.open(layer, "w") as tar:
        tar.add(program, "pause")
    pack(Image(PAUSE, ["/pause"]), [layer], archive)
    layer.unlink()
    return archive


def _build_ray_image(scratch: Path, report: Report) -> None:
    report("image of Ray: Debian")
    packages = ",".join(_DEBIAN_PACKAGES)
    user = 'chroot "$1" useradd --uid 1000 --create-home ray && ln -s python3 "$1/usr/bin/python"'
    base = scratch / "base.tar"
    _run(
        "mmdebstrap", "--quiet", "--variant=minbase", f"--include={packages}", f"--customize-hook={user}",
        "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
        "bookworm", str(base), env=os.environ | {"TMPDIR": str(scratch)},
    )  # fmt: skip
    report("image of Ray: Python packages")
    site = scratch / "rootfs" / _SITE
    site.mkdir(parents=True)
    _install_ray(site, scratch)
    report("image of Ray: bytecode and packing")
    # Checked by nobody, so that it stays valid whatever becomes of the files' times on the way into a container.
    compiling = ("compileall", "-q", "-j0", "--invalidation-mode=unchecked-hash", "-s", str(site), "-p", f"/{_SITE}")
    subprocess.run([sys.executable, "-m", *compiling, str(site)], check=False, env=_compiling_environment())
    layer = scratch / "ray.layer"
    _run("tar", "--numeric-owner", "--owner=0", "--group=0", "-C", str(scratch / "rootfs"), "-cf", str(layer), ".")
    environment = {"HOME": "/home/ray", "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", "RAY_USAGE_STATS_ENABLED": "0"}
    pack(Image(RAY, ["/bin/bash"], environment, user="1000"), [base, layer], scratch / "ray.tar")


def _install_ray(site: Path, scratch: Path) -> None:
    """Ray and what it needs, in the versions of the lock file, for the image's Python."""
    locked_versions = scratch / "constraints.txt"
    uv = shutil.which("uv") or str(ROOT / ".tools/bin/uv")
    export = ("export", "--frozen", "--all-packages", "--no-hashes", "--no-emit-workspace", "--quiet")
    _run(uv, *export, "--output-file", str(locked_versions), cwd=ROOT)
    # Copied, since files that are linked to uv's cache must not be changed below.
    how = ("--quiet", "--link-mode", "copy", "--no-compile-bytecode")
    target = ("--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28", "--target", str(site))
    _run(uv, "pip", "install", *how, *target, "--constraint", str(locked_versions), _RAY_REQUIREMENT)
    programs = scratch / "rootfs/usr/local/bin"
    (site / "bin").rename(programs)
    for program in programs.iterdir():
        first, _, rest = program.read_bytes().partition(b"\n")
        if first.startswith(b"#!") and b"python" in first:
            program.write_bytes(b"#!/usr/bin/python3\n" + rest)


def _compiling_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _run(*command: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, env=env)


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def _description(kind: str, content: bytes) -> dict[str, Any]:
    return {"mediaType": f"{_KIND}.{kind}", "digest": _digest(content), "size": len(content)}


def _blob(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))
