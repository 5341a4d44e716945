"""Secrets of the first steps come from the environment where the document leaves them out."""

from __future__ import annotations

from mlp_core.bootstrap import with_secrets

SECRETS = {"MLP_BOOTSTRAP_PASSWORD": "from the variable", "MLP_BOOTSTRAP_TOKEN": "mlp_token"}


def test_the_variables_fill_the_document() -> None:
    filled = with_secrets({"admin": {"username": "ada"}, "project": "default"}, SECRETS)
    assert filled == {
        "admin": {"username": "ada", "password": "from the variable"},
        "token": "mlp_token",
        "project": "default",
    }


def test_without_variables_it_stays_as_it_is() -> None:
    document = {"admin": {"username": "ada", "password": "its own"}}
    assert with_secrets(document, {}) == document
