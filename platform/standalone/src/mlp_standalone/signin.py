"""Signs in on this machine: the command line by a profile with the admin token, a browser by a one-time link."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from mlp import config
from mlp.config import Profile

PROFILE = "local"
LINK_SECONDS = 10.0


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


def browser_link(url: str, token: str) -> str | None:
    """An address that signs the browser in that opens it first, for ten minutes; None where there is none now."""
    asked = urllib.request.Request(f"{url}/api/v1/session-links", method="POST")  # noqa: S310 (of the platform that runs here)
    asked.add_header("Authorization", f"Bearer {token}")
    # It is on this machine: a proxy of the environment is none of its business.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(asked, timeout=LINK_SECONDS) as answer:
            return str(json.load(answer)["url"])
    except (OSError, ValueError, KeyError):
        return None


def sign_out(url: str) -> None:
    """Forget the profiles of this platform."""
    for profile in config.list_profiles():
        if profile.url == url:
            config.remove_profile(profile.name)


def _free_name(known: dict[str, Profile], url: str) -> str:
    return PROFILE if PROFILE not in known else f"{PROFILE}-{urlsplit(url).port}"
