"""Identities as types, so that the wrong id does not type-check."""

from __future__ import annotations

from typing import NewType

UserId = NewType("UserId", str)
TeamId = NewType("TeamId", str)
ProjectId = NewType("ProjectId", str)
"""Only the scope module makes one out of a request: an id of this type has passed the door."""
JobId = NewType("JobId", str)
AttemptId = NewType("AttemptId", str)
ClusterId = NewType("ClusterId", str)
EnvironmentId = NewType("EnvironmentId", str)
PoolId = NewType("PoolId", str)
TokenId = NewType("TokenId", str)

PREFIXES = {
    "user": "usr",
    "team": "team",
    "project": "prj",
    "job": "job",
    "attempt": "att",
    "cluster": "cls",
    "environment": "env",
    "pool": "pool",
    "token": "tok",
    "event": "evt",
    "artifact": "art",
}
