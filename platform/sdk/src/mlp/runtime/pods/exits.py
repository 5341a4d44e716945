"""Exit statuses of the program in the pods. The operator names causes by them."""

from __future__ import annotations

DONE = 0
FAILED = 1
USAGE = 2
NO_WORK = 10
"""The pod was not told what it is for."""
AWAY = 11
"""The platform or the package index could not be reached: the kubelet tries again."""
BAD_PACKAGE = 12
"""The code package cannot be used; trying again does not help."""
BAD_ENVIRONMENT = 13
"""The environment cannot be installed; trying again does not help."""
