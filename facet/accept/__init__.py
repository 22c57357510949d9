"""Acceptance of a delivery as a buyer does it: a spec, its criteria, one report."""
