"""What of a Ray head's HTTP interface a dashboard needs, and what keeps its pages apart from the platform's. Pure."""

from __future__ import annotations

import re

_FILES = r"|index\.html|favicon\.ico|static/[\w./-]+|speedscope-[\w.]+/[\w./-]*"
_STATE = (
    r"actors|jobs|nodes|placement_groups|workers|tasks|objects|runtime_envs|cluster_events|cluster_metadata"
    r"|runtime_env_redaction|platform_events|logs|logs/(file|stream)|(tasks|actors|objects)/summarize|tasks/timeline"
)
_API = (
    r"authentication_mode|version|ray/version|cluster_status|profiling_enabled|gcs_healthz|grafana_health"
    r"|prometheus_health|component_activities|serve/applications/|jobs/|jobs/[\w-]+|jobs/[\w-]+/logs"
    rf"|data/datasets/[\w-]+|train/v2/runs|train/v2/runs/v1|v0/({_STATE})"
)
_OPEN = re.compile(
    rf"({_FILES}|nodes|nodes/[\w-]+|logical/actors|logical/actors/[\w-]+|events|timezone|usage_stats_enabled"
    rf"|cluster_id|api/({_API}))"
)
"""Reading alone. Ray also kills actors, halts processes for a profile and waits on demand by GET: those stay shut."""

POLICY = (
    "sandbox allow-scripts allow-forms allow-modals allow-downloads; default-src 'self' data: blob:; "
    "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""The head is a tenant's: whatever it serves runs without an origin, so without the reader's cookies and storage."""

STORAGE = """<script>
(() => {
  const storage = () => {
    const kept = new Map()
    return {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => { kept.set(String(key), String(value)) },
      removeItem: (key) => { kept.delete(String(key)) },
      clear: () => { kept.clear() },
      key: (index) => [...kept.keys()][index] ?? null,
      get length() { return kept.size },
    }
  }
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, { value: storage(), configurable: true })
  }
  Object.defineProperty(document, "cookie", { get: () => "", set: () => {}, configurable: true })
})()
</script>
"""
"""A page without an origin has no storage and no cookies, and Ray's fails where it asks: it gets empty ones."""
_HEAD = re.compile(rb"<head[^>]*>", re.IGNORECASE)


def is_open(method: str, path: str) -> bool:
    return method in ("GET", "HEAD") and ".." not in path and _OPEN.fullmatch(path) is not None


def with_storage(page: bytes) -> bytes:
    """The page with the script of `STORAGE` before all of its own."""
    match = _HEAD.search(page)
    at = match.end() if match else 0
    return page[:at] + STORAGE.encode() + page[at:]
