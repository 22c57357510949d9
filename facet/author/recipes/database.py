"""SQLite: pull records out of a normalised database; load a table into one with constraints."""

from facet.author.recipe import Recipe
from facet.author.sinks.database import Load
from facet.author.sources.database import Dump

DATABASE = Recipe(
    name="database",
    title="query and load SQLite databases",
    family="sqlite",
    patterns=(
        r"\bsqlite\w*\b",
        r"\bSQL\b|\bsql quer",
        r"\b(database|postgres\w*|mysql|duckdb)\b.{0,60}\b(quer|schema|table|migrat|index|record)",
    ),
    source=Dump(),
    sink=Load(),
    source_title="pull the entries out of a SQLite database",
    sink_title="load them into a new SQLite database with constraints and a view",
    tools=("python3", "sqlite3"),
)
