"""The walk of one recipe pair through every ask, as `facet selftest` does it."""

from facet.selftest.walk import Caller, Walked, context_for, seed_for, skill_for, walk

__all__ = ["Caller", "Walked", "context_for", "seed_for", "skill_for", "walk"]
