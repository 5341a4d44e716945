"""Adapters to systems outside the platform. One file per system; each maps its library's errors in one place."""
