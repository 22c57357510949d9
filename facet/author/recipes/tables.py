"""Delimited tables: clean an export; summarise a table by group and by month."""

from facet.author.recipe import Recipe
from facet.author.sinks.tables import Summary
from facet.author.sources.tables import Export

TABLES = Recipe(
    name="tables",
    title="clean and summarise delimited tables",
    family="tables",
    patterns=(
        r"\b(csv|tsv|spreadsheet|excel|xlsx)\b",
        r"\b(clean|normali[sz]e|transform|pivot|aggregate)\w*\b.{0,40}\b(data|table|rows|columns)\b",
        r"\bdata ?frame|\bpandas\b",
    ),
    source=Export(),
    sink=Summary(),
    source_title="clean the raw export into one table",
    sink_title="summarise it by group and month",
    tools=("python3", "awk"),
)
