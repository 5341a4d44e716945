"""Tracking: what the platform writes into MLflow about jobs, and what it reads back.

A job has one parent run; each attempt has a child run of its own, so write-once parameters and repeated steps of a
retry never clash. User code logs into the attempt's run. When the job ends, the parent gets the merged curves.
"""
