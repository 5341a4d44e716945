"""Which lines of a lock are installed."""

from __future__ import annotations

from mlp.runtime.overlays import missing_lines

INSTALLED = {"numpy": "2.4.6", "ruamel-yaml": "0.18.0", "ray": "2.60.0"}


def test_only_what_differs_from_the_platform_is_installed() -> None:
    lock = "# made by uv\nnumpy==2.4.6\nray==2.60.0\nxgboost-cpu==3.2.0\nnumpy-extras==2.4.6\n\n"
    assert missing_lines(lock, INSTALLED) == ["xgboost-cpu==3.2.0", "numpy-extras==2.4.6"]


def test_another_version_is_installed() -> None:
    assert missing_lines("numpy==2.0.0\n", INSTALLED) == ["numpy==2.0.0"]


def test_names_are_compared_as_the_index_does() -> None:
    assert missing_lines("Ruamel_YAML==0.18.0\n", INSTALLED) == []


def test_hashes_go_with_their_line() -> None:
    lock = "numpy==2.4.6 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nsix==1.17.0 \\\n    --hash=sha256:cc\n"
    assert missing_lines(lock, INSTALLED) == ["six==1.17.0 \\", "    --hash=sha256:cc"]


def test_what_is_not_a_plain_pin_is_left_to_the_installer() -> None:
    lock = "tool @ https://example.com/tool.whl\nnumpy==2.4.6 ; python_version < '3.12'\n"
    assert missing_lines(lock, INSTALLED) == lock.splitlines()
