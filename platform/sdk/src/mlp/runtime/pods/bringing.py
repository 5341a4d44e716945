"""Brings an attempt's code and environment into a pod, once, whoever asks for them."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mlp.runtime import unpacking
from mlp.runtime.overlays import BadEnvironmentError, IndexAwayError
from mlp.runtime.pods import building, exits, fetching
from mlp.runtime.pods.fetching import PackageMissingError, PlatformAwayError
from mlp.runtime.pods.places import AttemptPlace, Pod
from mlp.runtime.pods.standing import Failure
from mlp.runtime.pods.work import Work
from mlp.runtime.unpacking import BadPackageError
from mlp.runtime.workers import wrapper_script

_SUBMIT_AGAIN = "Submit the job again from its folder."


class NotBroughtInError(Exception):
    """Why the attempt cannot start here: for people, for the api, and as an exit status."""

    def __init__(self, failure: Failure, status: int) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.status = status


def bring_in(pod: Pod, work: Work, say: Callable[[str], None]) -> AttemptPlace:
    """Lay out the attempt's folder, fetch its code, build its environment. What is done already is passed over.

    Raises:
        NotBroughtInError: it could not be done.
    """
    place = pod.attempt(work.name)
    place.make()
    pod.checkpoints_of(work.checkpoint_key, place).mkdir(parents=True, exist_ok=True)
    with _alone(place.setup_lock):
        if not place.work.exists():
            work.write(place.work)
        if place.python.exists():
            return place
        try:
            _place_code(work, place, pod.try_seconds, say)
            python = _python_of(work, place, pod.try_seconds, say)
        except (PackageMissingError, BadPackageError) as error:
            raise NotBroughtInError(Failure("user_error", str(error), hint=_SUBMIT_AGAIN), exits.BAD_PACKAGE) from error
        except BadEnvironmentError as error:
            failure = Failure("environment", str(error), hint=error.hint, last_lines=error.last_lines)
            raise NotBroughtInError(failure, exits.BAD_ENVIRONMENT) from error
        except (PlatformAwayError, IndexAwayError) as error:
            raise NotBroughtInError(Failure("infra", str(error), is_final=False), exits.AWAY) from error
        _write(place.secrets, secret_lines(work), 0o600)
        _write(place.python, wrapper_script(str(python), str(place.code), str(place.marks), str(place.secrets)), 0o755)
    return place


def secret_lines(work: Work) -> str:
    """Shell lines that set what no command line and no page of Ray's may show. Pure."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in secrets_of(work).items())


def secrets_of(work: Work) -> Mapping[str, str]:
    """Variables in which the attempt's token stands. Pure."""
    return {name: value for name, value in work.variables.items() if work.token and work.token in value}


def python_of(work: Work, place: AttemptPlace) -> Path:
    """The interpreter of the attempt, behind the wrapper that Ray is given."""
    return Path(sys.executable) if work.environment is None else place.environment / "bin" / "python"


def _place_code(work: Work, place: AttemptPlace, seconds: float, say: Callable[[str], None]) -> None:
    if work.package_digest is None:
        place.code.mkdir(exist_ok=True)
    if place.code.is_dir():
        return
    assert work.package_digest is not None  # noqa: S101 - else the folder is there
    say("The code package is being fetched.")
    draft, archive = place.engine / "code.draft", place.engine / "code.zip"
    try:
        shutil.rmtree(draft, ignore_errors=True)
        fetching.fetch(work, work.package_digest, archive, seconds)
        unpacking.unpack_checked(archive, work.package_digest, draft)
        draft.rename(place.code)
    finally:
        archive.unlink(missing_ok=True)
        shutil.rmtree(draft, ignore_errors=True)


def _python_of(work: Work, place: AttemptPlace, seconds: float, say: Callable[[str], None]) -> Path:
    if work.environment is not None:
        say("The environment is being made ready.")
        building.build(work.environment, place.environment, seconds, say)
    return python_of(work, place)


def _write(path: Path, text: str, mode: int) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as stream:
        stream.write(text)
    draft.replace(path)


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """One at a time on this node; whoever comes second finds what the first has done."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
