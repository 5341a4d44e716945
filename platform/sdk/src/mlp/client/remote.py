"""Functions that run as jobs: their source and arguments travel, what they return or raise comes back.

Only the function's own source is sent, so it must import what it uses inside itself. Results are pickles: they come
from the caller's own job in the caller's own project, and are trusted as that code is.
"""

from __future__ import annotations

import ast
import inspect
import pickle
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from mlp import errors
from mlp.client.job import Job
from mlp.client.submission import job_create
from mlp.remote_entry import CALL_FILE, FUNCTION_FILE, PROTOCOL

if TYPE_CHECKING:
    from mlp.client.jobs import Jobs
    from mlp.schemas.jobs import EnvironmentSpec
    from mlp.schemas.resources import Resources

ENTRYPOINT = ["python", "-m", "mlp.remote_entry", "."]

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class RemoteOptions:
    """Where and with what a remote function runs."""

    gpu: float | None = None
    cpu: float | str | None = None
    memory: int | str | None = None
    environment: EnvironmentSpec | None = None
    resources: Resources | None = None
    timeout: str | None = None
    project: str | None = None

    def fields(self) -> dict[str, Any]:
        """The fields of the job that these options are."""
        fields = self._shape()
        if self.environment is not None:
            fields["environment"] = self.environment
        if self.timeout is not None:
            fields["timeout"] = self.timeout
        return fields

    def _shape(self) -> dict[str, Any]:
        """`resources` as given, or one group for `gpu`, or the head alone."""
        if self.resources is not None:
            return {"resources": self.resources}
        size = {key: value for key, value in (("cpu", self.cpu), ("memory", self.memory)) if value is not None}
        if self.gpu:
            return {"resources": {"groups": [{"name": "workers", "gpu": self.gpu, **size}]}}
        return {"resources": {"head": size}} if size else {}


class RemoteFunction(Generic[P, R]):
    """A function that can be called here as it is, or sent away with `submit`."""

    def __init__(self, jobs: Jobs, function: Callable[P, R], options: RemoteOptions) -> None:
        self._jobs = jobs
        self._function = function
        self._options = options
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run it here."""
        return self._function(*args, **kwargs)

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> RemoteCall[R]:
        """Run it as a job; returns at once.

        Raises:
            RemoteCallError: the source cannot be found, or an argument cannot be pickled.
        """
        options = self._options
        source = function_source(self._function)
        try:
            call = pickle.dumps((self._function.__name__, args, kwargs), PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise errors.RemoteCallError(
                f"An argument of '{self._function.__name__}' cannot travel: {error}.",
                hint="Pass plain values, arrays or paths.",
            ) from None
        with tempfile.TemporaryDirectory(prefix="mlp-remote-") as folder:
            (Path(folder) / FUNCTION_FILE).write_text(source, "utf-8")
            (Path(folder) / CALL_FILE).write_bytes(call)
            job = self._jobs.create(
                job_create(options.fields() | {"name": self._function.__name__, "entrypoint": ENTRYPOINT}),
                package=folder,
                project=options.project,
            )
        return RemoteCall(job)


@dataclass(frozen=True, slots=True)
class RemoteCall(Generic[R_co]):
    """One call that is under way, or done."""

    job: Job

    def result(self, timeout: float | timedelta | None = None) -> R_co:
        """What the function returned; what it raised is raised here.

        Raises:
            JobFailed, JobCancelled: the job ended without an outcome, such as out of memory.
            WaitTimedOut: it is still running.
        """
        self.job.wait(timeout, check=False)
        try:
            document = self.job.result_bytes()
        except errors.NotFound:
            self.job.wait(check=True, show=False)
            raise errors.RemoteCallError(f"Job {self.job.id} ended without a result.") from None
        ok, payload, text = cast(
            "tuple[bool, bytes | None, str]",
            pickle.loads(document),  # noqa: S301 - see the module's text
        )
        if ok and payload is not None:
            return pickle.loads(payload)  # noqa: S301
        raise _raised(payload, text)


def _raised(payload: bytes | None, text: str) -> Exception:
    if payload is not None:
        try:
            error = pickle.loads(payload)  # noqa: S301
        except (ImportError, AttributeError):
            error = None  # its class lives in a package that is not installed here
        if isinstance(error, Exception):
            error.add_note(f"Raised in the job:\n{text}")
            return error
    return errors.RemoteCallError(f"The function raised an exception that cannot travel:\n{text}")


def function_source(function: Callable[..., Any]) -> str:
    """The source of a function as a module of its own, its decorators left out.

    Raises:
        RemoteCallError: there is no source (a lambda, or typed into a plain prompt), or it needs variables around it.
    """
    name = function.__name__
    closed = inspect.getclosurevars(function).nonlocals
    if closed:
        raise errors.RemoteCallError(
            f"'{name}' uses {', '.join(sorted(closed))} of the function around it.", hint="Pass them as arguments."
        )
    try:
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        raise errors.RemoteCallError(
            f"The source of '{name}' cannot be found.", hint="Define it with `def` in a file or a notebook cell."
        ) from None
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef):
        raise errors.RemoteCallError(f"'{name}' is not a plain function.", hint="Define it with `def`.")
    node.decorator_list = []
    for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        argument.annotation = None  # annotations may name what only this side has
    node.returns = None
    return ast.unparse(ast.Module([node], [])) + "\n"
