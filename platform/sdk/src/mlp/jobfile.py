"""`mlp.yaml`: the fields of `JobCreate`, with what only a file can say — folders and files beside it.

Read as YAML 1.2: only `true` and `false` are truth values, so `retries: {on: [oom]}` means what it says. Every
complaint names the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml

from mlp import errors

if TYPE_CHECKING:
    from mlp.schemas.jobs import JobCreate

FILE_NAME = "mlp.yaml"
_INTEGER = re.compile(r"^[-+]?(0|[1-9][0-9_]*)$")
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
_UNKNOWN_FIELD = re.compile(r"unknown field '(.+?)'")
_TEXTS = (("environment", "variables"), ("run", "tags"))
"""Below these everything is text, as it was written: `OMP_NUM_THREADS: 1` is a variable, not a number."""
_TEXT_FIELDS = frozenset({("name",), ("environment", "python"), ("run", "experiment")})

Path_ = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobFile:
    """A job file as read: `fields` for `JobCreate`, and the folder that travels (`None` for none)."""

    path: Path
    fields: dict[str, Any]
    package: Path | None
    lines: Mapping[Path_, int] = field(default_factory=dict[Path_, int], repr=False)

    def job_create(self, changes: Mapping[str, Any] | None = None) -> JobCreate:
        """The job, with `changes` over the file's fields.

        Raises:
            JobFileError: a field is not right; the message names it and its line.
        """
        from pydantic import ValidationError

        from mlp.schemas.jobs import JobCreate

        try:
            return JobCreate.model_validate({**self.fields, **(changes or {})})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise self._refusal(tuple(str(part) for part in first["loc"]), str(first["msg"])) from None

    def _refusal(self, where: Path_, message: str) -> errors.JobFileError:
        message = message.removeprefix("Value error, ")
        unknown = _UNKNOWN_FIELD.search(message)
        line = self._line((*where, unknown[1]) if unknown else where)
        place = ".".join(where)
        said = f"{place}: {message}" if place and not unknown else message
        at = f"{self.path}, line {line}" if line else str(self.path)
        return errors.JobFileError(f"{at}: {said}", path=str(self.path), line=line)

    def _line(self, where: Path_) -> int | None:
        """The line of the nearest thing around `where` that the file has."""
        while where:
            if where in self.lines:
                return self.lines[where]
            where = where[:-1]
        return None


def load(path: Path | str = FILE_NAME) -> tuple[JobCreate, Path | None]:
    """The job in a file and the folder to send with it: `client.jobs.create(job, package=folder)`."""
    file = read(path)
    return file.job_create(), file.package


def read(path: Path | str) -> JobFile:
    """Read a job file, and what it refers to beside it.

    Raises:
        JobFileError: it cannot be read, is not YAML, or refers to something that is not there.
    """
    path = Path(path)
    reader = _Reader(path)
    fields = reader.document()
    package = _package(path, fields)
    _environment(path, fields, reader.lines)
    return JobFile(path, fields, package, reader.lines)


def _package(path: Path, fields: dict[str, Any]) -> Path | None:
    """`package: DIR`, relative to the file; a digest stays a field; `null` sends nothing."""
    if "package" not in fields:
        return path.parent
    given = fields["package"]
    if isinstance(given, str) and given.startswith("sha256:"):
        return None
    del fields["package"]
    return path.parent / str(given) if given is not None else None


def _environment(path: Path, fields: dict[str, Any], lines: Mapping[Path_, int]) -> None:
    """`environment: NAME` and `requirements: FILE` in their long forms."""
    given = fields.get("environment")
    if isinstance(given, str):
        fields["environment"] = {"name": given}
        return
    if not isinstance(given, dict):
        return
    environment = cast("dict[str, Any]", given)
    requirements = environment.get("requirements")
    if isinstance(requirements, str):
        file = path.parent / requirements
        if not file.is_file():
            line = lines.get(("environment", "requirements"))
            raise errors.JobFileError(
                f"{path}, line {line}: requirements file '{requirements}' is not there.",
                hint="Name a file beside the job file, or a list of requirements.",
                path=str(path),
                line=line,
            )
        environment["requirements"] = read_requirements(file)


def read_requirements(file: Path, seen: frozenset[Path] = frozenset()) -> list[str]:
    """The requirements in a pip file: comments and blank lines dropped, `-r` followed.

    Raises:
        JobFileError: a line is an option of pip's that says nothing about what is needed.
    """
    found: list[str] = []
    try:
        text = file.read_text("utf-8").replace("\\\n", " ")
    except (OSError, UnicodeDecodeError) as error:
        raise errors.JobFileError(f"'{file}' cannot be read: {error}.", path=str(file)) from None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = " ".join(re.sub(r"(^|\s)#.*$", "", raw).split())
        if not line:
            continue
        option, _, rest = line.partition(" ")
        if option in ("-r", "--requirement"):
            other = (file.parent / rest.strip()).resolve()
            if other not in seen:
                found += read_requirements(other, seen | {file.resolve()})
        elif line.startswith("-"):
            raise errors.JobFileError(
                f"{file}, line {number}: '{option}' is an option for pip, not a requirement.",
                hint="List what is needed, one requirement a line.",
                path=str(file),
                line=number,
            )
        else:
            found.append(line)
    return found


class _Reader:
    """YAML to plain values, remembering the line of each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lines: dict[Path_, int] = {}

    def document(self) -> dict[str, Any]:
        try:
            loader = yaml.SafeLoader(self._path.read_text("utf-8"))
            root: yaml.Node | None = loader.get_single_node()  # pyright: ignore[reportUnknownMemberType]
        except FileNotFoundError:
            raise errors.JobFileError(
                f"There is no '{self._path}'.",
                hint="Name the job file with -f, or give a command: mlp job submit -- python train.py",
                path=str(self._path),
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise self._refusal(f"cannot be read: {error}", None) from None
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else None
            raise self._refusal(f"is not YAML: {error.problem}", line) from None
        except yaml.YAMLError as error:
            raise self._refusal(f"is not YAML: {error}", None) from None
        if root is None:
            return {}
        if not isinstance(root, yaml.MappingNode):
            raise self._refusal("must be a mapping such as `entrypoint: python train.py`", 1)
        return self._mapping(root, ())

    def _value(self, node: yaml.Node, where: Path_) -> Any:
        self.lines.setdefault(where, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, where)
        if isinstance(node, yaml.SequenceNode):
            items = cast("list[yaml.Node]", node.value)
            return [self._value(item, (*where, str(index))) for index, item in enumerate(items)]
        return _scalar(node, where)

    def _mapping(self, node: yaml.MappingNode, where: Path_) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            name = str(key.value)
            line = key.start_mark.line + 1
            if name in found:
                raise self._refusal(f"'{name}' is given twice", line)
            self.lines[(*where, name)] = line
            found[name] = self._value(value, (*where, name))
        return found

    def _refusal(self, message: str, line: int | None) -> errors.JobFileError:
        at = f"{self._path}, line {line}:" if line else str(self._path)
        return errors.JobFileError(f"{at} {message}.", path=str(self._path), line=line)


def _scalar(node: yaml.Node, where: Path_) -> Any:
    """A plain word as null, truth, number or text; a quoted one is always text."""
    text = str(node.value)
    is_plain = getattr(node, "style", None) is None
    if not is_plain or where in _TEXT_FIELDS or where[:2] in _TEXTS:
        return text
    if text in ("", "~", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.match(text):
        return int(text.replace("_", ""))
    return float(text) if _FLOAT.match(text) else text
