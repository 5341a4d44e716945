"""The outbox: effects asked for in the transaction that causes them, and carried out after its commit."""
