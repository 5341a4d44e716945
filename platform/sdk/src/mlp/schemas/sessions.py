"""Sessions: how a browser is signed in, by a cookie that no script can read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints, model_validator

from mlp.schemas.base import Instant, Intent, Text, Wire

_WAYS = "give username and password, or a token, or the code of a sign-in link"


class SessionCreate(Intent):
    """One proof of who signs in: a password, a token, or the code of a one-time link."""

    username: Annotated[Text, StringConstraints(max_length=200)] | None = None
    password: SecretStr | None = Field(default=None, max_length=1000)
    token: SecretStr | None = Field(default=None, max_length=1000, description="One of the person's own tokens.")
    link: SecretStr | None = Field(default=None, max_length=200, description="What follows `#link=` in a sign-in link.")
    device: Text = Field(default="", max_length=200, description="What the list of tokens calls the session.")

    @model_validator(mode="after")
    def _proves_once(self) -> SessionCreate:
        if (self.username is None) != (self.password is None):
            raise ValueError("username and password belong together")
        if sum(proof is not None for proof in (self.password, self.token, self.link)) != 1:
            raise ValueError(_WAYS)
        return self


class SessionRead(Wire):
    username: str
    expires_at: Instant


class SignInLink(Wire):
    url: str = Field(description="Signs in whoever opens it first, as the person who asked for it.")
    expires_at: Instant
