"""The client that matches this platform, as a wheel made of the very files this process runs with.

The api depends on the client, so its files are always here: installed from a wheel, or editable in a workspace. The
same files give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

from mlp_api.versions import CLIENT_VERSION, DISTRIBUTION, wheel_name

PACKAGE = "mlp"
_WHEEL = "Wheel-Version: 1.0\nGenerator: mlp-api\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_LEFT_OUT = frozenset({"__pycache__"})


@dataclass(frozen=True, slots=True)
class Wheel:
    name: str
    content: bytes
    sha256: str


@cache
def client_wheel() -> Wheel:
    """Made at the first call and kept: it has some hundred kilobytes."""
    files = _package_files() | _metadata_files()
    record = f"{DISTRIBUTION}-{CLIENT_VERSION}.dist-info/RECORD"
    lines = [f"{name},sha256={_record_hash(data)},{len(data)}" for name, data in sorted(files.items())]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    content = _zip(files)
    return Wheel(wheel_name(), content, hashlib.sha256(content).hexdigest())


def _package_files() -> dict[str, bytes]:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"The package '{PACKAGE}' is not installed.")
    folder = Path(spec.submodule_search_locations[0])
    return {
        f"{PACKAGE}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not _LEFT_OUT.intersection(path.parts) and path.suffix != ".pyc"
    }


def _metadata_files() -> dict[str, bytes]:
    installed = distribution(DISTRIBUTION)
    folder = f"{DISTRIBUTION}-{CLIENT_VERSION}.dist-info"
    files = {f"{folder}/WHEEL": _WHEEL.encode()}
    for name in ("METADATA", "entry_points.txt"):
        text = installed.read_text(name)
        if text is not None:
            files[f"{folder}/{name}"] = text.encode()
    return files


def _record_hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def _zip(files: dict[str, bytes]) -> bytes:
    """The package first and its metadata last, as the format advises."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name)):
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.external_attr = 0o100644 << 16
            archive.writestr(info, files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
