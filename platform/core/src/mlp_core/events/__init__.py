"""Events: one line of a resource's history, written in the transaction of the change it tells of."""
