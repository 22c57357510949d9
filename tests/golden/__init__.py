"""The good tasks written by hand; they are part of `facet selftest`."""

from facet.selftest.golden import accounts, catalog, good_tasks, orders

__all__ = ["accounts", "catalog", "good_tasks", "orders"]
