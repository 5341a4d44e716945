"""The process of the `mlp` command.

A command makes many objects on its way to its one answer, and hardly any garbage. Left as it is, the collector of
reference cycles would look through all of them again and again, and twice more when the interpreter ends: a fifth of
what `mlp job list` costs.
"""

from __future__ import annotations

import gc

_YOUNG_OBJECTS = 100_000
"""So many new objects before the collector looks: a command that follows a job for days still gets its memory back."""


def main() -> int:
    """Run the command line of this process and return its exit code."""
    gc.set_threshold(_YOUNG_OBJECTS)
    from mlp.cli.main import main as run  # imported behind the line above, which is for its objects

    code = run()
    gc.freeze()  # nothing that is left matters to a process at its end
    return code
