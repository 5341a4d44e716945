"""Projects (the tenants), their members, users, tokens and sign-in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints

from mlp.schemas.base import Duration, Instant, Intent, Slug, Text, Wire
from mlp.schemas.phases import Role

Username = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$")]


class ProjectLimits(Intent):
    """What the live jobs and clusters of a project may use together; null = no limit of its own."""

    cpu: float | None = Field(default=None, ge=0, le=1e6)
    memory_gib: float | None = Field(default=None, ge=0, le=1e7)
    gpu: float | None = Field(default=None, ge=0, le=1e6)
    jobs: int | None = Field(
        default=None, ge=0, le=1_000_000, description="Unfinished jobs at once, queued ones included."
    )


Guarantees = Annotated[
    dict[Slug, Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]],
    Field(
        max_length=100,
        description="Machines of each pool that are the project's own, parts of one included. They are lent out while "
        "the project does not use them.",
    ),
]


class ProjectCreate(Intent):
    name: Slug
    description: Text = Field(default="", max_length=2000)
    team: Slug | None = Field(default=None, description="The team that owns it; the default team if absent.")
    limits: ProjectLimits = ProjectLimits()
    guarantees: Guarantees = Field(default_factory=dict[str, float])


class ProjectPatch(Intent):
    description: Text | None = Field(default=None, max_length=2000)
    limits: ProjectLimits | None = None
    guarantees: Guarantees | None = None


class ProjectRead(Wire):
    id: str
    name: str
    description: str
    team: str
    limits: ProjectLimits
    guarantees: dict[str, float] = Field(
        default_factory=dict[str, float], description="Machines of each pool that are the project's own."
    )
    role: Role | None = Field(
        default=None, description="What the caller may do here; null for platform admins without membership."
    )
    created_at: Instant
    etag: str
    mlflow_url: str
    live_jobs: int = 0


class MemberPut(Intent):
    role: Role


class MemberRead(Wire):
    user_id: str
    username: str
    display_name: str
    role: Role
    since: Instant


class UserCreate(Intent):
    username: Username
    display_name: Text = Field(default="", max_length=200)
    password: SecretStr = Field(min_length=12, max_length=1000)
    is_admin: bool = False


class UserPatch(Intent):
    display_name: Text | None = Field(default=None, max_length=200)
    password: SecretStr | None = Field(default=None, min_length=12, max_length=1000)
    is_admin: bool | None = None
    active: bool | None = None


class UserRead(Wire):
    id: str
    username: str
    display_name: str
    is_admin: bool
    active: bool
    created_at: Instant


class LoginRequest(Intent):
    username: Annotated[Text, StringConstraints(max_length=200)]
    password: SecretStr = Field(max_length=1000)
    device: Text = Field(default="", max_length=200, description="Where the token will live, for the list of tokens.")


class PasswordChange(Intent):
    old_password: SecretStr = Field(max_length=1000)
    new_password: SecretStr = Field(min_length=12, max_length=1000)


class TokenCreate(Intent):
    name: Annotated[Text, StringConstraints(min_length=1, max_length=200)]
    expires_in: Duration | None = Field(default=None, description="Null = 90 days.")
    project: str | None = Field(default=None, max_length=64, description="Limit the token to one project.")


class TokenRead(Wire):
    id: str
    name: str
    prefix: str = Field(description="First characters, to tell tokens apart.")
    project: str | None
    created_at: Instant
    expires_at: Instant
    last_used_at: Instant | None = None
    is_sign_in: bool = Field(default=False, description="Made by signing in, with the command or in a browser.")


class TokenCreated(TokenRead):
    token: str = Field(description="Shown once; only its hash is kept.")


class Me(Wire):
    """Who is asking."""

    kind: str = Field(description="`user` or `job`.")
    id: str
    username: str
    display_name: str
    is_admin: bool
    projects: list[ProjectRead]
    token: TokenRead | None = None
    server_version: str
