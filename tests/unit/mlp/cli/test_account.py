from __future__ import annotations

import io
import stat
from pathlib import Path
from typing import Any

import pytest

from mlp import config
from support.fake_platform import FakePlatform, Reply, problem


def me(*projects: str, kind: str = "user") -> dict[str, Any]:
    return {
        "kind": kind,
        "id": "usr_1",
        "username": "ada",
        "display_name": "Ada",
        "is_admin": False,
        "projects": [{"name": name, "role": "owner"} for name in projects],
        "token": {"id": "tok_1", "name": "laptop", "expires_at": "2027-01-01T00:00:00Z"},
        "server_version": "0.1.0",
    }


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_signing_in_with_a_token_saves_it_for_its_owner_alone(
    platform: FakePlatform, run: Any, typed: Any, tmp_path: Path
) -> None:
    platform.on("GET /me", me("demo"))
    typed("mlp_secret\n")
    result = run("login", platform.url + "/", "--token-stdin")
    assert result.code == 0, result.err
    assert result.out == f"Signed in to {platform.url} as ada.\nProject: demo\n"
    assert platform.seen[-1].headers["authorization"] == "Bearer mlp_secret"
    path = tmp_path / "config.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert config.load_profile(path=path) == config.Profile("default", platform.url, "mlp_secret", "demo")
    assert "mlp_secret" not in result.out + result.err


def test_signing_in_with_a_password(platform: FakePlatform, run: Any, typed: Any) -> None:
    platform.on("POST /login", lambda seen: Reply(201, {"token": f"mlp_{seen.json['password']}"}))
    platform.on("GET /me", me("a", "b"))
    typed("correct horse\n")
    result = run("login", platform.url, "--username", "ada")
    assert result.code == 0
    assert platform.seen[0].json["username"] == "ada"
    assert platform.seen[1].headers["authorization"] == "Bearer mlp_correct horse"
    assert "mlp use PROJECT" in result.err


def test_a_wrong_password_saves_nothing(platform: FakePlatform, run: Any, typed: Any, tmp_path: Path) -> None:
    platform.on("POST /login", problem(401, "not_signed_in", "Wrong username or password."))
    typed("x\n")
    assert run("login", platform.url, "--username", "ada").code == 3
    assert not (tmp_path / "config.toml").exists()


def test_nobody_to_ask_is_said(run: Any, typed: Any, platform: FakePlatform) -> None:
    typed("")
    result = run("login", platform.url)
    assert result.code == 2
    assert "--token-stdin" in result.err
    assert run("login").code == 2


def test_a_project_is_chosen_and_kept_over_the_next_sign_in(platform: FakePlatform, run: Any, typed: Any) -> None:
    platform.on("GET /me", me("a", "b"))
    platform.on("GET /projects/b", {"name": "b"})
    typed("t\n")
    run("login", platform.url, "--token-stdin")
    assert run("use", "b").out == "Project: b\n"
    typed("t2\n")
    assert "Project: b" in run("login", platform.url, "--token-stdin").out
    platform.on("GET /projects/b/jobs", {"items": [], "next": None})
    assert run("job", "list").code == 0
    assert run("use", "nope").code == 4


def test_signing_out_revokes_the_token_and_forgets_it(platform: FakePlatform, run: Any, typed: Any) -> None:
    platform.on("GET /me", me("a"))
    platform.on("DELETE /tokens/tok_1", Reply(204))
    typed("t\n")
    run("login", platform.url, "--token-stdin")
    assert run("logout").code == 0
    assert platform.seen[-1].method == "DELETE"
    profile = config.load_profile()
    assert profile is not None
    assert profile.token is None
    assert "Not signed in" in run("logout").err


def test_a_profiles_token_is_never_sent_to_another_platform(
    platform: FakePlatform, run: Any, typed: Any, tmp_path: Path
) -> None:
    platform.on("GET /me", me("a"))
    config.save_profile(config.Profile("default", "https://other.test", "mlp_other", "p"))
    assert run("--url", platform.url, "whoami").code == 0
    assert "authorization" not in platform.seen[-1].headers


def test_whoami_names_user_platform_and_project(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on("GET /me", me("demo"))
    out = run("whoami").out
    for part in ("ada (Ada)", signed_in.url, "demo (owner)", "laptop"):
        assert part in out


def test_config_shows_what_is_in_force_without_secrets(signed_in: FakePlatform, run: Any) -> None:
    result = run("config", "show")
    assert "MLP_TOKEN" in result.out
    assert "mlp_t" not in result.out
    config.save_profile(config.Profile("staging", "https://staging.test", "mlp_x"))
    config.save_profile(config.Profile("default", "https://prod.test"))
    listed = run("config", "list").out
    assert "staging" in listed
    assert "mlp_x" not in listed
    assert run("config", "use", "staging").code == 0
    assert config.load_config().current == "staging"
    assert run("config", "use", "nope").code == 2


def test_doctor_finds_what_is_wrong(signed_in: FakePlatform, run: Any) -> None:
    signed_in.routes["GET /readyz"] = Reply(json={"status": "ok"})
    signed_in.on("GET /me", me("demo"))
    signed_in.on("GET /projects/demo", {"name": "demo"})
    result = run("doctor")
    assert result.code == 0, result.out
    assert "wrong" not in result.out
    signed_in.on("GET /me", problem(401, "not_signed_in", "The token has expired."))
    broken = run("doctor")
    assert broken.code == 6
    assert "The token has expired." in broken.out


def test_the_api_can_be_called_directly(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on("POST /projects", lambda seen: Reply(201, {"got": seen.json, "query": seen.query}))
    result = run("api", "post", "/projects", "-d", '{"name": "x"}', "-q", "a=b=c")
    assert result.code == 0
    assert '"name": "x"' in result.out
    assert '"b=c"' in result.out
    assert run("api", "POST", "/projects", "-d", "{no").code == 2
    assert run("api", "FETCH", "/x").code == 2
