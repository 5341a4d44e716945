"""RFC 9457 problem documents. `code` is stable; people read `detail` and `hint`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mlp.schemas.base import Wire


class FieldProblem(Wire):
    field: str = Field(description="Path of the field, such as `resources.groups.0.gpu`.")
    message: str


class Problem(Wire):
    type: str = "about:blank"
    title: str
    status: int
    code: str = Field(description="Stable and lower snake case, such as `can_never_fit`.")
    detail: str
    hint: str | None = None
    request_id: str | None = None
    errors: list[FieldProblem] = Field(default_factory=list[FieldProblem])
    data: dict[str, Any] = Field(default_factory=dict)
