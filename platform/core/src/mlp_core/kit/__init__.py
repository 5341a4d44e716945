"""Tools that know no domain: ids, clock, database sessions, pages, live fan-out."""
