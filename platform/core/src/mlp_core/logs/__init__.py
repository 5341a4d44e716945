"""Logs: stored as raw bytes in segments, rendered as lines when they are read."""
