"""The first user, token, project and pools of a platform; as often as one likes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from mlp_core.settings import Settings
from support.platform import Api

PASSWORD = "a password of some length"
DOCUMENT = {
    "admin": {"username": "root", "password": PASSWORD},
    "token": "mlp_" + "t" * 43,
    "project": "default",
    "pools": [
        {"name": "local", "cpu": 2, "memory": "4Gi", "is_default": True},
        {"name": "local-gpu", "cpu": 2, "memory": "4Gi", "gpu": 1, "accelerator": "logical", "is_default": True},
    ],
}


def _run(settings: Settings, document: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "MLP_DATABASE_URL": settings.database_url,
        "MLP_OBJECT_STORE_URL": settings.object_store_url,
        "MLP_SECRET_KEY": settings.secret_key.get_secret_value(),
    }
    return subprocess.run(
        [sys.executable, "-m", "mlp_core.bootstrap"],
        input=document,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


async def test_bootstrap_makes_a_usable_platform_and_repeats_without_harm(api: Api, settings: Settings) -> None:
    first = _run(settings, json.dumps(DOCUMENT))
    assert first.returncode == 0, first.stderr
    assert "made project default" in first.stdout
    client = api.client(str(DOCUMENT["token"]))
    me = (await client.get("/api/v1/me")).json()
    assert (me["username"], me["is_admin"], [each["name"] for each in me["projects"]]) == ("root", True, ["default"])
    login = await api.client().post("/api/v1/login", json={"username": "root", "password": PASSWORD})
    assert login.status_code == 201
    await client.patch("/api/v1/pools/local", json={"machines": 7})
    assert _run(settings, json.dumps(DOCUMENT)).stdout == "nothing to do\n"
    assert (await client.get("/api/v1/pools/local")).json()["machines"] == 7


async def test_new_password_of_the_document_counts(api: Api, settings: Settings) -> None:
    changed = {**DOCUMENT, "admin": {"username": "root", "password": "another password of length"}}
    assert "made password of root" in _run(settings, json.dumps(changed)).stdout
    login = await api.client().post(
        "/api/v1/login", json={"username": "root", "password": "another password of length"}
    )
    assert login.status_code == 201


def test_wrong_document_is_refused_without_showing_secrets(settings: Settings) -> None:
    wrong = {**DOCUMENT, "admin": {"username": "root", "password": "short-secret", "role": "king"}, "pool": []}
    refused = _run(settings, json.dumps(wrong))
    assert refused.returncode == 2
    assert "pool" in refused.stderr
    assert "short-secret" not in refused.stderr
    assert _run(settings, "{").returncode == 2
