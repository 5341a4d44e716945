"""The platform that browser tests act on: started as the README says, with people of different rights.

`python -m web.stage` prints a line of JSON once everything is there, then answers a line for each line of JSON that it
is given, and takes the platform down when its input ends: with whoever started it, however that ended.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx

from support.product import Product, running_product, wait_until

PASSWORD = "a password for browser tests"
PROJECTS = {"vision": {"ada": "editor", "vera": "viewer"}, "audio": {"otto": "owner"}}
"""Project → member → role."""


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="mlp-web-", dir="/tmp"))
    folder.chmod(0o711)
    with running_product(folder) as product:
        admin = httpx.Client(
            base_url=product.url, headers={"Authorization": f"Bearer {product.profile['token']}"}, timeout=30
        )
        with admin:
            people = _invite(admin)
        _say({"url": product.url, "token": product.profile["token"], "password": PASSWORD, "people": people})
        for line in sys.stdin:
            _say(_act(product, json.loads(line)))


def _invite(admin: httpx.Client) -> list[str]:
    people = sorted({name for members in PROJECTS.values() for name in members})
    ids = {
        name: _sent(admin, "POST", "/api/v1/users", {"username": name, "password": PASSWORD})["id"] for name in people
    }
    for project, members in PROJECTS.items():
        _sent(admin, "POST", "/api/v1/projects", {"name": project})
        for name, role in members.items():
            _sent(admin, "PUT", f"/api/v1/projects/{project}/members/{ids[name]}", {"role": role})
    return people


def _sent(admin: httpx.Client, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = admin.request(method, path, json=body, headers={"Idempotency-Key": secrets.token_hex(16)})
    answer.raise_for_status()
    return answer.json()


def _act(product: Product, asked: dict[str, Any]) -> dict[str, Any]:
    match asked["do"]:
        case "kill":
            return _kill(product, asked["service"])
        case "mlp":
            ran = product.mlp(*asked["arguments"])
            return {"code": ran.code, "out": ran.out, "err": ran.err}
        case unknown:
            return {"error": f"nothing is known to do for {unknown!r}"}


def _kill(product: Product, service: str) -> dict[str, Any]:
    """End a service as an outage would. Answers once the supervisor has brought it back."""
    before = product.pid_of(service)
    os.kill(before, signal.SIGKILL)

    def is_back() -> bool:
        found: Iterable[dict[str, Any]] = product.status()["processes"]
        entry = next(one for one in found if one["name"] == service)
        return entry["pid"] not in (None, before) and entry["health"] == "healthy"

    wait_until(is_back, within=90, what=f"the restart of {service}")
    return {"pid": product.pid_of(service)}


def _say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
