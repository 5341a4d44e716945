"""Housekeeping: what keeps storage and tables small without ever touching what something live still needs.

Everything here spans tenants, works for the platform and never for a caller, and is safe to run twice, at once or
after a crash at any point. Objects are removed through the outbox, after the commit that lets go of them.
"""
