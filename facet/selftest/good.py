"""The good tasks: three by hand, thirteen walks of the embedded author. No gate may object."""

from functools import cache

from facet.author.recipes import recipe
from facet.selftest.golden import accounts, catalog, orders
from facet.selftest.walk import walk
from facet.types.task import Settings, Task

BY_HAND = {"orders": orders.task, "accounts": accounts.task, "catalog": catalog.task}
BY_AUTHOR = (
    ("logs", "tables"),
    ("tables", "database"),
    ("database", "config"),
    ("jsondata", "archive"),
    ("archive", "history"),
    ("history", "permissions"),
    ("permissions", "webpages"),
    ("notes", "reconcile"),
    ("webpages", "series"),
    ("reconcile", "schedule"),
    ("config", "jsondata"),
    ("series", "notes"),
    ("service", "logs"),
)
NAMES: tuple[str, ...] = (*BY_HAND, *(f"{first}-{second}" for first, second in BY_AUTHOR))
"""Short names of the good tasks."""
LIMITS = Settings(agent_timeout_sec=120, verifier_timeout_sec=60)


@cache
def good_task(name: str) -> Task:
    """The good task of this name; the same bytes on every machine. Raises KeyError."""
    if name in BY_HAND:
        return BY_HAND[name]()
    pair = next((p for p in BY_AUTHOR if "-".join(p) == name), None)
    first, second = (recipe(pair[0]), recipe(pair[1])) if pair else (None, None)
    if first is None or second is None:
        raise KeyError(f"no good task is called {name!r}")
    return walk(first, second).task.model_copy(update={"settings": LIMITS})
