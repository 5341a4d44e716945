"""`.gitignore` and `.mlpignore`, nested as git nests them.

In each folder both files are read, `.mlpignore` after `.gitignore`, so that it can take back (`!data/`) what git leaves
out. The rule nearest to a file wins. Rules of the repository above the packed folder count as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlp import errors

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".mlpignore")


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules of one folder. `base` is that folder relative to the package, with a trailing slash; "" for its root."""

    spec: GitIgnoreSpec
    base: str
    above: str = ""

    def verdict(self, path: str) -> bool | None:
        return self.spec.check_file(self.above + path[len(self.base) :]).include


@dataclass(frozen=True, slots=True)
class Ignore:
    """The rules in force in one folder, nearest last."""

    rules: tuple[_Rules, ...] = ()

    def entering(self, folder: Path, base: str) -> Ignore:
        """The rules inside `folder`, whose path in the package is `base`."""
        found = _read(folder)
        return Ignore((*self.rules, _Rules(found, base))) if found is not None else self

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether `path` (relative to the package, with slashes) stays behind."""
        asked = f"{path}/" if is_folder else path
        for rules in reversed(self.rules):
            verdict = rules.verdict(asked)
            if verdict is not None:
                return verdict
        return False


def above(root: Path) -> Ignore:
    """Rules of the repository that `root` lies in, from its top down; none where `root` is in no repository.

    A folder that was named for packing is wanted, whatever the rules above say about the folder itself.
    """
    parents = list(root.parents)
    top = next((i for i, parent in enumerate(parents) if (parent / ".git").exists()), None)
    if top is None or (root / ".git").exists():
        return Ignore()
    rules: list[_Rules] = []
    for parent in reversed(parents[: top + 1]):
        spec = _read(parent)
        if spec is None:
            continue
        inside = root.relative_to(parent).as_posix() + "/"
        if not spec.check_file(inside).include:
            rules.append(_Rules(spec, "", inside))
    return Ignore(tuple(rules))


def _read(folder: Path) -> GitIgnoreSpec | None:
    lines: list[str] = []
    for name in IGNORE_FILES:
        file = folder / name
        try:
            lines += file.read_text("utf-8", errors="replace").splitlines()
        except (FileNotFoundError, IsADirectoryError):
            continue
        except OSError as error:
            raise errors.PackagingError(f"'{file}' cannot be read: {error.strerror}.") from None
    if not lines:
        return None
    # 0.1 s to import: only folders with rules pay for it.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)
