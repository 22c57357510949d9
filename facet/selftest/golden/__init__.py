"""Small good tasks, written by hand: known valid, used wherever a real task is needed.

Each builds on the base image, carries partials that must fail, and has about eighteen checks.
Golden defects are planted by changing one artifact of these (`Task.replace`).
"""

from facet.selftest.golden import accounts, catalog, orders
from facet.types.task import Task


def good_tasks() -> list[Task]:
    """Three good tasks: files only; database, users and modes; a running service."""
    return [orders.task(), accounts.task(), catalog.task()]
