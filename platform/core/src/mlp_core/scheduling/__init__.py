"""Scheduling: the snapshot that admission decides on, read from Postgres."""
