"""Hearing from those who change rows that something is due now."""

from __future__ import annotations

from mlp_core.kit.database import DUE_CHANNEL
from mlp_core.kit.listening import Listener


class DueSignal(Listener):
    def __init__(self, database_url: str) -> None:
        super().__init__(database_url, DUE_CHANNEL)
