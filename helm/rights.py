"""Writes the table of the operator's rights into docs/kubernetes.md, from the list that the chart's role is made of.

`python helm/rights.py` after each change of helm/mlp/files/operator-rights.yaml; a test says when it was forgotten.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict, cast

import yaml

ROOT = Path(__file__).parents[1]
LIST = ROOT / "helm/mlp/files/operator-rights.yaml"
PAGE = ROOT / "docs/kubernetes.md"
BEGIN = "<!-- rights: written by helm/rights.py -->"
END = "<!-- end of rights -->"


class Right(TypedDict):
    apiGroups: list[str]
    resources: list[str]
    verbs: list[str]
    why: str


def table(rights: list[Right]) -> str:
    """The rights as a Markdown table."""
    lines = ["| group | resources | verbs | why |", "|---|---|---|---|"]
    for right in rights:
        groups = ", ".join(f"`{group}`" if group else "core" for group in right["apiGroups"])
        resources = ", ".join(f"`{resource}`" for resource in right["resources"])
        lines.append(f"| {groups} | {resources} | {' '.join(right['verbs'])} | {right['why']} |")
    return "\n".join(lines)


def with_table(page: str, rights: list[Right]) -> str:
    """The page with its table made anew. ValueError: the page lacks one of the two marks."""
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:begin]}\n{table(rights)}\n{page[end:]}"


def current() -> list[Right]:
    return cast("list[Right]", yaml.safe_load(LIST.read_text(encoding="utf-8")))


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), current()), encoding="utf-8")
