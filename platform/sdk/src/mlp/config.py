"""Which platform, as whom, in which project: profiles in a file, the environment above them, arguments above both.

The file is `~/.config/mlp/config.toml` (or `MLP_CONFIG`), readable by its owner alone, replaced whole on each change:

    current = "default"

    [profiles.default]
    url = "https://mlp.example.com"
    token = "mlp_..."
    project = "vision"
    ca_file = "/etc/ssl/corp.pem"
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from mlp import errors

DEFAULT_PROFILE = "default"
_KEYS = ("url", "token", "project", "ca_file")


@dataclass(frozen=True, slots=True)
class Profile:
    """One platform and one sign-in."""

    name: str
    url: str
    token: str | None = field(default=None, repr=False)
    project: str | None = None
    ca_file: str | None = None


@dataclass(frozen=True, slots=True)
class Connection:
    """What a client needs to speak to a platform, and where each piece came from."""

    url: str
    token: str | None = field(default=None, repr=False)
    project: str | None = None
    ca_file: str | None = None
    profile: str | None = None
    job_id: str | None = None
    """The job this process runs in, where it does."""

    def chosen_project(self) -> str:
        """The project to work in.

        Raises:
            ConfigError: none is chosen.
        """
        if self.project is None:
            raise errors.ConfigError(
                "No project is chosen.", hint="Choose one with `mlp use PROJECT`, MLP_PROJECT, or project=..."
            )
        return self.project


@dataclass(frozen=True, slots=True)
class Config:
    """The whole file."""

    current: str = DEFAULT_PROFILE
    profiles: Mapping[str, Profile] = field(default_factory=dict[str, Profile])


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    given = environ.get("MLP_CONFIG")
    if given:
        return Path(given).expanduser()
    base = environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "mlp" / "config.toml"


def load_config(path: Path | None = None) -> Config:
    """What the file says; nothing where there is none.

    Raises:
        ConfigError: the file cannot be read or is not valid.
    """
    path = path or config_path()
    try:
        text = path.read_text("utf-8")
        import tomllib  # where MLP_URL and MLP_TOKEN say it all, there is no file and nothing to parse

        document = tomllib.loads(text)
    except FileNotFoundError:
        return Config()
    except (OSError, ValueError) as error:  # not text, or not TOML
        raise errors.ConfigError(
            f"The configuration {path} cannot be read: {error}.", hint="Mend or remove it, then `mlp login`."
        ) from None
    return Config(str(document.get("current") or DEFAULT_PROFILE), _profiles(path, document.get("profiles", {})))


def _profiles(path: Path, tables: Any) -> dict[str, Profile]:
    found: dict[str, Profile] = {}
    for name, table in cast("dict[str, Any]", tables if isinstance(tables, dict) else {}).items():
        if not isinstance(table, dict) or not isinstance(cast("dict[str, Any]", table).get("url"), str):
            raise errors.ConfigError(
                f"Profile '{name}' in {path} has no url.", hint="Mend it, or sign in again with `mlp login`."
            )
        given = cast("dict[str, Any]", table)
        found[name] = Profile(name, **{key: str(given[key]) for key in _KEYS if given.get(key)})
    return found


def load_profile(name: str | None = None, path: Path | None = None) -> Profile | None:
    """Profile `name`, or the current one; `None` where there is none of that name."""
    config = load_config(path)
    return config.profiles.get(name or config.current)


def list_profiles(path: Path | None = None) -> list[Profile]:
    return sorted(load_config(path).profiles.values(), key=lambda profile: profile.name)


def save_profile(profile: Profile, *, make_current: bool = True, path: Path | None = None) -> Path:
    """Add or replace a profile. The file is written aside, flushed, and renamed into place."""
    path = path or config_path()
    config = load_config(path)
    _write(
        path,
        Config(
            profile.name if make_current else config.current,
            {**config.profiles, profile.name: profile},
        ),
    )
    return path


def remove_profile(name: str, path: Path | None = None) -> bool:
    """Forget a profile. False where there was none."""
    path = path or config_path()
    config = load_config(path)
    if name not in config.profiles:
        return False
    kept = {key: profile for key, profile in config.profiles.items() if key != name}
    _write(path, dataclasses.replace(config, profiles=kept))
    return True


def _write(path: Path, config: Config) -> None:
    import tempfile  # only what changes the file needs it

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # created 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(_toml(config))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _toml(config: Config) -> str:
    lines = [f"current = {_string(config.current)}"]
    for name, profile in sorted(config.profiles.items()):
        lines += ["", f"[profiles.{_string(name)}]"]
        lines += [f"{key} = {_string(value)}" for key in _KEYS if (value := getattr(profile, key)) is not None]
    return "\n".join(lines) + "\n"


def _string(text: str) -> str:
    """A TOML basic string. JSON's escapes are TOML's, but for DEL, which TOML wants escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def resolve(
    *,
    url: str | None = None,
    token: str | None = None,
    project: str | None = None,
    ca_file: str | None = None,
    profile: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Connection:
    """Arguments, then `MLP_URL`, `MLP_TOKEN`, `MLP_PROJECT`, `MLP_CA_FILE`, then the profile.

    A profile's token is for that profile's URL: it is never sent to another one.

    Raises:
        ConfigError: no platform is known, or there is no such profile.
    """
    named = profile or environ.get("MLP_PROFILE")
    config = load_config(config_path(environ))
    chosen = config.profiles.get(named or config.current)
    if named and chosen is None:
        known = ", ".join(sorted(config.profiles)) or "none"
        raise errors.ConfigError(f"There is no profile '{named}'.", hint=f"Known profiles: {known}.")
    wanted = (url or environ.get("MLP_URL") or (chosen.url if chosen else "")).rstrip("/")
    if not wanted:
        raise errors.ConfigError(
            "No platform is known yet.", hint="Sign in with `mlp login URL`, or set MLP_URL and MLP_TOKEN."
        )
    if chosen is None or chosen.url.rstrip("/") != wanted:
        chosen = next((one for one in config.profiles.values() if one.url.rstrip("/") == wanted), None)
    return Connection(
        url=wanted,
        token=token or environ.get("MLP_TOKEN") or (chosen.token if chosen else None),
        project=project or environ.get("MLP_PROJECT") or (chosen.project if chosen else None),
        ca_file=ca_file or environ.get("MLP_CA_FILE") or (chosen.ca_file if chosen else None),
        profile=chosen.name if chosen else None,
        job_id=environ.get("MLP_JOB_ID"),
    )
