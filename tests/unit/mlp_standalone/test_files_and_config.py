from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from mlp_standalone import control
from mlp_standalone.config import DamagedConfigError, is_free, load_ports, load_secrets
from mlp_standalone.errors import StandaloneError
from mlp_standalone.files import write_atomically
from mlp_standalone.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout.at(tmp_path / "data")
    layout.create()
    return layout


def test_the_folder_is_chosen_by_argument_then_variable_then_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLP_DATA", str(tmp_path / "variable"))
    assert Layout.at(tmp_path / "argument").root == tmp_path / "argument"
    assert Layout.at().root == tmp_path / "variable"
    monkeypatch.delenv("MLP_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert Layout.at().root == tmp_path / "home" / "mlp"


def test_secrets_are_readable_by_their_owner_alone_and_kept(layout: Layout) -> None:
    first = load_secrets(layout)
    assert load_secrets(layout) == first
    assert first.admin_token.startswith("mlp_")
    assert len(first.admin_token) == 47
    assert len(first.secret_key) >= 32
    assert len({first.secret_key, first.mlflow_password, first.mlflow_session_key, first.admin_password}) == 4
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in layout.secrets.iterdir())


def test_ports_are_distinct_and_kept(layout: Layout) -> None:
    ports = load_ports(layout)
    document = json.loads(layout.config.read_text(encoding="utf-8"))
    assert len(set(document["ports"].values())) == len(document["ports"]) == 7
    assert load_ports(layout) == ports


def test_a_folder_of_an_older_version_gets_the_ports_it_lacks(layout: Layout) -> None:
    layout.config.write_text(json.dumps({"schema": 1, "ports": {"api": 9001, "valkey": 9002, "mlflow": 9003}}))
    ports = load_ports(layout)
    assert (ports.api, ports.valkey, ports.mlflow) == (9001, 9002, 9003)
    assert ports.operator_metrics not in (0, 9001, 9002, 9003)
    assert load_ports(layout) == ports


@pytest.mark.parametrize("text", ["", "{", "[]", '{"ports": {"api": "x"}}', '{"schema": 1}'])
def test_a_damaged_file_is_named(layout: Layout, text: str) -> None:
    layout.config.write_text(text, encoding="utf-8")
    with pytest.raises(DamagedConfigError, match=r"standalone\.json is damaged"):
        load_ports(layout)


def test_a_port_that_somebody_listens_on_is_not_free() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        assert not is_free(listener.getsockname()[1])


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, "one")
    write_atomically(path, "two")
    assert path.read_text(encoding="utf-8") == "two"
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "two"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_was_only_configured_can_be_purged(tmp_path: Path) -> None:
    layout = Layout.at(tmp_path / "data")
    layout.root.mkdir()
    load_ports(layout)
    control.purge(layout)
    assert not layout.root.exists()


def test_a_purge_keeps_what_is_not_the_platforms(layout: Layout) -> None:
    load_ports(layout)
    (layout.root / "thesis.tex").touch()
    control.purge(layout)
    assert [entry.name for entry in layout.root.iterdir()] == ["thesis.tex"]
    with pytest.raises(StandaloneError, match="is not a data folder of mlp"):
        control.purge(layout)


@pytest.mark.parametrize("name", ["d" * 90, "my data", "100%", "größe"])
def test_the_database_socket_is_where_every_library_finds_it(tmp_path: Path, name: str) -> None:
    folder = Layout.at(tmp_path / name).postgres_socket
    assert folder.name.startswith("mlp-")
    assert Layout.at(tmp_path / name).postgres_socket == folder
    assert Layout.at(Path("/srv/mlp")).postgres_socket == Path("/srv/mlp/run/postgres")
