"""Which jobs a list is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, or_

from mlp.schemas.phases import FailureClass, JobKind, JobPhase
from mlp_core.tables import JobRow

COUNTED_ROWS = 10_000
"""Up to here it is cheap to count."""
MOST_WORDS = 10
_PAIR = re.compile(r"([^=]+)=(.+)")
_TAGS = JobRow.spec[("run", "tags")]


@dataclass(frozen=True, slots=True)
class JobFilter:
    """All that are given must hold; of several phases, kinds or classes one."""

    phases: tuple[JobPhase, ...] = ()
    kinds: tuple[JobKind, ...] = ()
    failure_classes: tuple[FailureClass, ...] = ()
    name: str | None = None
    """A part of the name, case ignored."""
    search: str | None = None
    """Words; each is a part of the name or of a tag of the run, `tag=value`, or the start of the id."""
    created_by: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    cluster_id: str | None = None
    package: str | None = None

    def apply(self, statement: Select[JobRow]) -> Select[JobRow]:
        statement = self.apply_but_phases(statement)
        return statement.where(or_(*self.phase_conditions())) if self.phases else statement

    def phase_conditions(self) -> list[ColumnElement[bool]]:
        """One for each phase."""
        return [JobRow.phase == phase.value for phase in dict.fromkeys(self.phases)]

    def apply_but_phases(self, statement: Select[JobRow]) -> Select[JobRow]:
        if self.kinds:
            statement = statement.where(JobRow.kind.in_([kind.value for kind in self.kinds]))
        if self.failure_classes:
            wanted = [failure.value for failure in self.failure_classes]
            statement = statement.where(JobRow.failure["class"].astext.in_(wanted))
        if self.name is not None:
            statement = statement.where(JobRow.name.icontains(self.name, autoescape=True))
        if self.created_by is not None:
            statement = statement.where(JobRow.created_by == self.created_by)
        if self.since is not None:
            statement = statement.where(JobRow.created_at >= self.since)
        if self.until is not None:
            statement = statement.where(JobRow.created_at < self.until)
        if self.cluster_id is not None:
            statement = statement.where(JobRow.cluster_id == self.cluster_id)
        if self.package is not None:
            statement = statement.where(JobRow.package_digest == self.package)
        for word in (self.search or "").split()[:MOST_WORDS]:
            statement = statement.where(_matches(word))
        return statement


def _matches(word: str) -> ColumnElement[bool]:
    ways: list[ColumnElement[Any]] = [
        JobRow.name.icontains(word, autoescape=True),
        # Ids hold upper-case letters only, behind a lower-case prefix.
        JobRow.id.startswith(f"job_{word.removeprefix('job_').upper()}", autoescape=True),
        cast(_TAGS, Text).icontains(word, autoescape=True),
    ]
    pair = _PAIR.fullmatch(word)
    if pair is not None:
        ways.append(JobRow.spec.contains({"run": {"tags": {pair[1]: pair[2]}}}))
    return or_(*ways)
