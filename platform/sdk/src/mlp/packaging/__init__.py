"""Packing a folder into the archive that travels with a job.

Deterministic: the same files make the same bytes and so the same digest, whoever packs them and when.
"""

from mlp.packaging.archive import Packed, Progress, pack
from mlp.packaging.tree import Listing, Skipped, scan

__all__ = ["Listing", "Packed", "Progress", "Skipped", "pack", "scan"]
