"""How the cluster differs from what projects and pools should be in it. Pure.

Only what we write is compared: the API server fills in defaults, and others may add what is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests import quantities
from mlp_operator.engines.kubernetes.reading import Manifest, items, label, text

Identity = tuple[str, str, str]
"""Kind, namespace (empty for none), name."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Repair:
    """What to apply, and where it differed; nowhere for what was missing."""

    manifest: Manifest
    differences: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        kind, name = self.manifest["kind"], text(self.manifest, "metadata", "name")
        if not self.differences:
            return f"{kind} {name} was missing and has been made again."
        shown = ", ".join(self.differences[:_SHOWN])
        more = f" and {len(self.differences) - _SHOWN} more" if len(self.differences) > _SHOWN else ""
        return f"{kind} {name} was changed by hand and has been put back: {shown}{more}."


def identity(manifest: Manifest) -> Identity:
    return manifest["kind"], text(manifest, "metadata", "namespace"), text(manifest, "metadata", "name")


def repairs(wanted: Iterable[Manifest], live: Iterable[Manifest]) -> list[Repair]:
    """What is missing or different, in the order in which it can be made."""
    there = {identity(manifest): manifest for manifest in live}
    found: list[Repair] = []
    for manifest in wanted:
        known = there.get(identity(manifest))
        different = () if known is None else tuple(differences(manifest, known))
        if known is None or different:
            found.append(Repair(manifest, different))
    return found


def leftovers(wanted: Iterable[Manifest], live: Iterable[Manifest], deleted_projects: frozenset[str]) -> list[Manifest]:
    """What is ours and no longer wanted.

    What belongs to a project goes only if that project is known to be deleted: a database that was restored from an
    older day, or is another one altogether, must not cost anyone their namespace.
    """
    kept = {identity(manifest) for manifest in wanted}
    found: list[Manifest] = []
    for manifest in live:
        project = label(manifest, names.PROJECT_ID)
        of_deleted = project in deleted_projects
        if of_deleted or (identity(manifest) not in kept and not project):
            found.append(manifest)
    return found


def is_ours(manifest: Manifest) -> bool:
    """By its label, or where somebody took that away, by who wrote it."""
    if label(manifest, names.MANAGED_BY) == names.MANAGER:
        return True
    return any(entry.get("manager") == names.MANAGER for entry in items(manifest, "metadata", "managedFields"))


def differences(wanted: Any, live: Any, path: str = "") -> list[str]:
    """Paths at which `live` is not what is wanted."""
    if isinstance(wanted, dict):
        have = cast(Manifest, live) if isinstance(live, dict) else {}
        if not wanted and have:
            # Such as a selector of everything that somebody has narrowed.
            return [path]
        found: list[str] = []
        for key, value in cast(Manifest, wanted).items():
            found += differences(value, have.get(key), f"{path}.{key}" if path else key)
        return found
    if isinstance(wanted, list):
        return _of_lists(cast(list[Any], wanted), cast(list[Any], live) if isinstance(live, list) else [], path)
    return [] if wanted == live or _same_quantity(wanted, live) else [path]


def _of_lists(wanted: list[Any], live: list[Any], path: str) -> list[str]:
    if len(wanted) != len(live):
        return [path]
    return [
        found for index, value in enumerate(wanted) for found in differences(value, live[index], f"{path}[{index}]")
    ]


def _same_quantity(wanted: Any, live: Any) -> bool:
    try:
        return quantities.amount(wanted) == quantities.amount(live)
    except ValueError:
        return False
