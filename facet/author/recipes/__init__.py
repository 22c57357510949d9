"""The library of capability recipes, one file each."""

from facet.author.recipe import Recipe
from facet.author.recipes.archive import ARCHIVE
from facet.author.recipes.config import CONFIG
from facet.author.recipes.database import DATABASE
from facet.author.recipes.history import HISTORY
from facet.author.recipes.jsondata import JSONDATA
from facet.author.recipes.logs import LOGS
from facet.author.recipes.notes import NOTES
from facet.author.recipes.permissions import PERMISSIONS
from facet.author.recipes.reconcile import RECONCILE
from facet.author.recipes.schedule import SCHEDULE
from facet.author.recipes.series import SERIES
from facet.author.recipes.service import SERVICE
from facet.author.recipes.tables import TABLES
from facet.author.recipes.webpages import WEBPAGES

RECIPES: tuple[Recipe, ...] = (
    TABLES,
    DATABASE,
    LOGS,
    CONFIG,
    JSONDATA,
    ARCHIVE,
    HISTORY,
    PERMISSIONS,
    RECONCILE,
    NOTES,
    WEBPAGES,
    SERIES,
    SCHEDULE,
    SERVICE,
)


def recipe(name: str) -> Recipe | None:
    """The recipe of this name or title."""
    wanted = name.strip().lower()
    return next((r for r in RECIPES if wanted in (r.name, r.title.lower())), None)


def fits(first: Recipe, second: Recipe) -> str:
    """Why the second cannot follow the first; "" when it can."""
    if first.name == second.name:
        return "both skills call for the same work"
    if first.source is None:
        return f"'{first.title}' yields no records that the second could go on with"
    if second.sink is None:
        return f"'{second.title}' makes nothing out of records"
    return ""


def pairs() -> tuple[tuple[Recipe, Recipe], ...]:
    """All ordered pairs that fit."""
    return tuple((a, b) for a in RECIPES for b in RECIPES if not fits(a, b))
