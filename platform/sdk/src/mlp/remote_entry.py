"""What runs a remote function inside its job: `python -m mlp.remote_entry FOLDER`. Standard library only.

`FOLDER` holds `function.py` (the source) and `call.pkl` (its name and arguments). What the function returned or raised
is pickled and put to the platform under the job's own token.
"""

from __future__ import annotations

import linecache
import os
import pickle
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from mlp import errors
from mlp.client.call import Call, path
from mlp.client.exchange import Origin
from mlp.client.http_sync import HttpTransport
from mlp.client.retry import RetryPolicy
from mlp.client.session import Session

MODULE = "mlp_remote_function"
FUNCTION_FILE = "function.py"
CALL_FILE = "call.pkl"
PROTOCOL = 4
MAX_RESULT_BYTES = 16 * 2**20
_PATIENT = RetryPolicy(tries=1000, first_seconds=0.5, cap_seconds=10.0)
_OUTAGE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended. `payload` is the pickled value, or the pickled exception where it can be pickled."""

    ok: bool
    payload: bytes | None
    text: str = ""

    def dump(self) -> bytes:
        return pickle.dumps((self.ok, self.payload, self.text), PROTOCOL)


def load_function(folder: Path, name: str) -> Any:
    """Execute the source as a module of its own, so that classes in it can be pickled by name."""
    source = (folder / FUNCTION_FILE).read_text("utf-8")
    shown = str(folder / FUNCTION_FILE)
    module = ModuleType(MODULE)
    module.__file__ = shown
    sys.modules[MODULE] = module
    linecache.cache[shown] = (len(source), None, source.splitlines(keepends=True), shown)
    exec(compile(source, shown, "exec"), module.__dict__)  # noqa: S102 - running this source is the job
    return getattr(module, name)


def call(folder: Path) -> Outcome:
    """Run the function. Whatever it raises is its outcome, not ours."""
    try:
        name, args, kwargs = pickle.loads((folder / CALL_FILE).read_bytes())  # noqa: S301 - the submitter's own
        value = load_function(folder, name)(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - it travels back and is raised there
        text = "".join(traceback.format_exception(error))
        sys.stderr.write(text)
        return Outcome(False, _pickled(error), text)
    payload = _pickled(value)
    if payload is None:
        text = f"The function returned a {type(value).__name__}, which cannot be pickled."
        return Outcome(False, _pickled(TypeError(text)), text)
    return Outcome(True, payload)


def _pickled(value: Any) -> bytes | None:
    """Pickling runs code of the value's class, which may raise anything."""
    try:
        data = pickle.dumps(value, PROTOCOL)
        pickle.loads(data)  # noqa: S301 - just made here; some classes dump but do not load
    except Exception:  # noqa: BLE001
        return None
    return data


def bounded(outcome: Outcome) -> Outcome:
    """The outcome, or a refusal of one that is too large to keep."""
    size = len(outcome.dump())
    if size <= MAX_RESULT_BYTES:
        return outcome
    text = (
        f"The result has {size:,} bytes; at most {MAX_RESULT_BYTES:,} travel back. "
        "Write it to MLP_OUTPUT or log it as an artifact, and return where it is."
    )
    return Outcome(False, _pickled(ValueError(text)), text)


def send(outcome: Outcome) -> None:
    """Hand the outcome to the platform; an outage of up to ten minutes is waited out."""
    url = os.environ["MLP_URL"]
    session = Session(
        Origin(url, os.environ["MLP_TOKEN"]),
        HttpTransport(url, os.environ.get("MLP_CA_FILE")),
        policy=_PATIENT,
    )
    session.send(
        Call("PUT", path("agent", "result"), lambda _: None, content=outcome.dump(), timeout_seconds=_OUTAGE_SECONDS)
    )


def main() -> int:
    outcome = bounded(call(Path(sys.argv[1])))
    try:
        send(outcome)
    except errors.Error as error:
        sys.stderr.write(f"The result could not be handed to the platform: {error}\n")
        return 1
    return 0 if outcome.ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
