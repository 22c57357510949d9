"""Containers behind one contract (`base`): the real one (`docker`) and the test double (`fake`)."""
