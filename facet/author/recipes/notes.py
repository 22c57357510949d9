"""Markdown: extract entries from a journal of notes; write pages with front matter and an index."""

from facet.author.recipe import Recipe
from facet.author.sinks.notes import Pages
from facet.author.sources.notes import Notebook

NOTES = Recipe(
    name="notes",
    title="extract and publish Markdown notes",
    family="markdown",
    patterns=(
        r"\bmarkdown\b",
        r"\b(notes?|journal|wiki|knowledge base|documentation|meeting minutes|front ?matter)\b"
        r".{0,50}\b(files?|folder|index|extract\w*|summar\w+|organi\w+|writ\w+|creat\w+|generat\w+)",
        r"\b(tak|organi[sz]|summari[sz]|writ|generat|sync)\w*\b.{0,25}\b(notes|journal|wiki|docs"
        r"|documentation|memos?)\b",
        r"\b(obsidian|notion|MEMORY\.md|README)\b",
    ),
    source=Notebook(),
    sink=Pages(),
    source_title="extract the entries from the notebook",
    sink_title="publish them as Markdown pages with an index",
)
