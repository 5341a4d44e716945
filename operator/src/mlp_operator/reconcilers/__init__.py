"""Reconcilers: one file per kind. Each pass is observe, decide, apply."""
