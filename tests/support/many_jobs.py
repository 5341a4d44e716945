"""Very many jobs of one project, as one statement."""

from __future__ import annotations

MANY_JOBS = """
    INSERT INTO jobs (id, project_id, name, kind, spec, phase, ended_at, created_by, created_by_id, created_at, due_at)
    SELECT 'job_' || upper(substr(md5(:project || n), 1, 26)), :project, 'name-' || n % 1000, 'script',
           '{"entrypoint": ["true"]}', CASE WHEN n % 2 = 0 THEN 'succeeded' ELSE 'cancelled' END,
           now() - n * interval '1 second', 'bench', 'usr_bench', now() - n * interval '1 second', NULL
    FROM generate_series(1, CAST(:jobs AS integer)) AS n
"""
"""`project` is its id, `jobs` how many; all of them have ended, a second apart, with a thousand names."""
