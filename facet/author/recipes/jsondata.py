"""JSON: flatten an event stream of nested objects; build a nested document with totals."""

from facet.author.recipe import Recipe
from facet.author.sinks.jsondata import Document
from facet.author.sources.jsondata import Stream

JSONDATA = Recipe(
    name="jsondata",
    title="flatten and build JSON data",
    family="json",
    patterns=(
        r"\b(jsonl|ndjson|json lines|jq)\b",
        r"\bjson\b.{0,40}\b(output|report|data|files?|format|export|schema|pars|object|payload)",
        r"\b(output|return|export|pars|convert|emit|produc)\w*\b.{0,40}\bjson\b",
        r"\b(webhook|event) payloads?\b",
    ),
    source=Stream(),
    sink=Document(),
    source_title="flatten the event stream into a table",
    sink_title="build one nested JSON document from it",
    tools=("python3", "jq"),
)
