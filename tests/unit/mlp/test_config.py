from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp import config, errors
from mlp.config import Profile, resolve
from support.patience import patient

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"MLP_CONFIG": str(tmp_path / "sub" / "config.toml")}


def save(environ: dict[str, str], *profiles: Profile) -> None:
    for profile in profiles:
        config.save_profile(profile, path=Path(environ["MLP_CONFIG"]))


def test_what_is_saved_is_for_its_owner_and_replaced_whole(environ: dict[str, str]) -> None:
    save(environ, Profile("a", "https://a.test", "t1"), Profile("b", "https://b.test", "t2", "p", "/ca.pem"))
    path = Path(environ["MLP_CONFIG"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["config.toml"]
    assert config.load_config(path).current == "b"
    assert config.load_profile("b", path) == Profile("b", "https://b.test", "t2", "p", "/ca.pem")
    assert [one.name for one in config.list_profiles(path)] == ["a", "b"]
    assert config.remove_profile("a", path)
    assert not config.remove_profile("a", path)


@patient
@given(name=TEXT, url=TEXT, token=TEXT)
def test_any_text_survives(name: str, url: str, token: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("c") / "config.toml"
    profile = Profile(name, url, token)
    config.save_profile(profile, path=path)
    assert config.load_profile(name, path) == profile


def test_a_token_is_not_in_what_is_printed() -> None:
    assert "secret" not in repr(Profile("a", "u", "secret")) + repr(config.Connection("u", "secret"))


def test_arguments_beat_the_environment_beats_the_profile(environ: dict[str, str]) -> None:
    save(environ, Profile("default", "https://file.test", "file-token", "file-project", "/file.pem"))
    found = resolve(environ=environ)
    assert (found.url, found.token, found.project, found.ca_file, found.profile) == (
        "https://file.test", "file-token", "file-project", "/file.pem", "default",
    )  # fmt: skip
    more = environ | {"MLP_TOKEN": "env-token", "MLP_PROJECT": "env-project", "MLP_CA_FILE": "/env.pem"}
    found = resolve(environ=more)
    assert (found.token, found.project, found.ca_file) == ("env-token", "env-project", "/env.pem")
    found = resolve(token="arg", project="arg-p", ca_file="/arg.pem", environ=more)
    assert (found.token, found.project, found.ca_file) == ("arg", "arg-p", "/arg.pem")


def test_a_token_goes_only_to_its_own_platform(environ: dict[str, str]) -> None:
    save(environ, Profile("other", "https://other.test", "o"), Profile("default", "https://file.test", "f", "p"))
    assert resolve(url="https://elsewhere.test", environ=environ).token is None
    assert resolve(url="https://elsewhere.test", environ=environ).project is None
    assert resolve(url="https://other.test/", environ=environ).token == "o"
    assert resolve(environ=environ | {"MLP_URL": "https://elsewhere.test"}).token is None


def test_a_job_has_its_own_identity(environ: dict[str, str]) -> None:
    job = {"MLP_URL": "http://mlp", "MLP_TOKEN": "job-token", "MLP_PROJECT": "demo", "MLP_JOB_ID": "job_1"}
    found = resolve(environ=environ | job)
    assert (found.token, found.project, found.job_id) == ("job-token", "demo", "job_1")


def test_profiles_are_chosen_by_name(environ: dict[str, str]) -> None:
    save(environ, Profile("a", "https://a.test"), Profile("b", "https://b.test"))
    assert resolve(environ=environ | {"MLP_PROFILE": "a"}).url == "https://a.test"
    assert resolve(profile="a", environ=environ).url == "https://a.test"
    with pytest.raises(errors.ConfigError, match="no profile 'c'") as caught:
        resolve(profile="c", environ=environ)
    assert caught.value.hint == "Known profiles: a, b."


def test_nothing_known_says_what_to_do(environ: dict[str, str]) -> None:
    with pytest.raises(errors.ConfigError, match="No platform is known") as caught:
        resolve(environ=environ)
    assert "mlp login" in str(caught.value.hint)
    with pytest.raises(errors.ConfigError, match="No project is chosen"):
        resolve(url="http://x", environ=environ).chosen_project()


@pytest.mark.parametrize("text", ["not toml [", "[profiles.x]\ntoken='a'", "[profiles]\nx = 1"])
def test_a_broken_file_is_named(text: str, environ: dict[str, str]) -> None:
    path = Path(environ["MLP_CONFIG"])
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(errors.ConfigError, match=r"config\.toml"):
        resolve(environ=environ)


def test_the_file_is_where_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config.config_path({}) == tmp_path / ".config" / "mlp" / "config.toml"
    assert config.config_path({"XDG_CONFIG_HOME": "/x"}) == Path("/x/mlp/config.toml")
    assert config.config_path({"MLP_CONFIG": "~/c.toml"}) == tmp_path / "c.toml"
