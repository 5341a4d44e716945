"""Signs the local command line in: a profile that holds the admin token of this platform."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from mlp import config
from mlp.config import Profile

PROFILE = "local"


@dataclass(frozen=True)
class SignIn:
    profile: str
    path: Path
    is_current: bool


def sign_in(url: str, token: str, project: str) -> SignIn:
    """Write the profile of this platform if it is not there yet.

    A new profile becomes the current one. A later start leaves the choice, and the project, to the user.
    """
    known = {profile.name: profile for profile in config.list_profiles()}
    mine = next((profile for profile in known.values() if profile.url == url), None)
    name = mine.name if mine is not None else _free_name(known, url)
    if mine is None or mine.token != token:
        kept = mine.project if mine is not None and mine.project else project
        config.save_profile(Profile(name, url, token=token, project=kept), make_current=mine is None)
    return SignIn(name, config.config_path(), is_current=config.load_config().current == name)


def sign_out(url: str) -> None:
    """Forget the profiles of this platform."""
    for profile in config.list_profiles():
        if profile.url == url:
            config.remove_profile(profile.name)


def _free_name(known: dict[str, Profile], url: str) -> str:
    return PROFILE if PROFILE not in known else f"{PROFILE}-{urlsplit(url).port}"
