"""Ray dashboards: where the head of a cluster answers, and who may look at it."""
