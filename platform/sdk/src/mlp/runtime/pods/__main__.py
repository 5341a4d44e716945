"""The command line. Each verb is for one container or hook; see the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mlp.runtime.pods import driving, ending, exits, joining, setup, sidecar
from mlp.runtime.pods.places import Pod, this_pod
from mlp.runtime.pods.telling import say


def main(words: list[str]) -> int:
    try:
        pod = this_pod()
    except (KeyError, ValueError) as error:
        say(f"This is no pod of the platform: {error!r}")
        return exits.USAGE
    if words[:1] == ["worker"] and len(words) > 1:
        # All that follows is the interpreter's.
        return joining.run(pod, words[1], words[2:])
    return _run(pod, _parsed(words))


def _run(pod: Pod, given: argparse.Namespace) -> int:
    match given.verb:
        case "setup":
            return setup.run(pod)
        case "agent":
            return sidecar.run(pod)
        case "drive":
            return driving.run(pod, given.work)
        case "end":
            return ending.end(pod)
        case _:
            return ending.stop(pod, given.work, given.grace, given.why)


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -I -m mlp.runtime.pods")
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("setup", "agent", "end", "worker"):
        verbs.add_parser(verb)
    drive = verbs.add_parser("drive")
    drive.add_argument("--work", type=Path, default=None, help="what to run, on a cluster that many works share")
    stop = verbs.add_parser("stop")
    stop.add_argument("--work", required=True, help="the attempt's id")
    stop.add_argument("--grace", type=float, required=True, help="seconds")
    stop.add_argument("--why", required=True)
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
