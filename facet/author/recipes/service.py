"""HTTP services: collect records from a paginated API that is not always ready."""

from facet.author.recipe import Recipe
from facet.author.sources.service import Api

SERVICE = Recipe(
    name="service",
    title="collect records from an HTTP API",
    family="http",
    patterns=(
        r"\b(REST|HTTP|public|web|official) APIs?\b",
        r"\bAPIs?\b.{0,30}\b(client|endpoints?|calls?|requests?|pagination|quer\w+)\b",
        r"\b(call|quer|fetch|request|pull)\w*\b.{0,40}\b(an?|the|via|from|its) .{0,30}\bAPIs?\b",
        r"\b(curl|paginat(ion|ed) (results|responses|endpoints))\b",
    ),
    source=Api(),
    sink=None,
    source_title="collect the records from the local service",
    tools=("curl", "python3"),
)
