"""Users, their tokens, teams, projects and members."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from mlp.schemas.phases import Role
from mlp_core.tables.base import Base, Created, Id, Json, one_of


class UserRow(Base):
    """A person: issuer + subject. `local` users have their own id as subject."""

    __tablename__ = "users"

    id: Mapped[Id]
    username: Mapped[str] = mapped_column(String(100))
    issuer: Mapped[str] = mapped_column(String(300), server_default="local")
    subject: Mapped[str] = mapped_column(String(300))
    display_name: Mapped[str] = mapped_column(String(200), server_default="")
    password_hash: Mapped[str | None] = mapped_column(String(300))
    is_admin: Mapped[bool] = mapped_column(server_default=text("false"))
    active: Mapped[bool] = mapped_column(server_default=text("true"))
    created_at: Mapped[Created]

    __table_args__ = (
        UniqueConstraint("issuer", "subject"),
        Index("uq_users_username_lower", func.lower(username), unique=True),
    )


class TokenRow(Base):
    """A bearer token; only the sha256 of it is kept."""

    __tablename__ = "tokens"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    project_id: Mapped[str | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(200))
    prefix: Mapped[str] = mapped_column(String(12))
    sha256: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    created_at: Mapped[Created]
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    last_used_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    is_sign_in: Mapped[bool] = mapped_column(server_default="false")
    """Made by signing in, so it ends when the person changes their password; what they made for programs does not."""
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"), index=True)
    """The token by which a session was begun: it ends with it."""

    __table_args__ = (CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),)


class SignInLinkRow(Base):
    """A link that signs one browser in, once. Only the sha256 of its code is kept, and only until it is used."""

    __tablename__ = "sign_in_links"

    sha256: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"), index=True)
    """By which it was asked for: the session can do no more, and ends with it."""
    created_at: Mapped[Created]
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))

    __table_args__ = (CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),)


class TeamRow(Base):
    __tablename__ = "teams"

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(String(40), unique=True)
    created_at: Mapped[Created]


class ProjectRow(Base):
    """A tenant. Deleting hides it at once; its rows go when nothing of it runs any more."""

    __tablename__ = "projects"

    id: Mapped[Id]
    slug: Mapped[str] = mapped_column(String(40))
    description: Mapped[str] = mapped_column(Text, server_default="")
    team_id: Mapped[str] = mapped_column(ForeignKey("teams.id", ondelete="RESTRICT"))
    limits: Mapped[Json] = mapped_column(server_default=text("'{}'::jsonb"))
    guarantees: Mapped[Json] = mapped_column(server_default=text("'{}'::jsonb"))
    """Machines by pool."""
    version: Mapped[int] = mapped_column(server_default="1")
    mlflow_ready_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    created_at: Mapped[Created]
    deleted_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))

    __table_args__ = (Index("uq_projects_slug_live", "slug", unique=True, postgresql_where=text("deleted_at IS NULL")),)


class MemberRow(Base):
    __tablename__ = "members"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(10))
    created_at: Mapped[Created]

    __table_args__ = (CheckConstraint(one_of("role", [role.value for role in Role]), name="role"),)
