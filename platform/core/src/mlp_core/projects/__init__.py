"""Projects: the tenants, their limits and members."""
