"""Git: gather entries from a history; put records under version control."""

from facet.author.recipe import Recipe
from facet.author.sinks.history import Versioned
from facet.author.sources.history import Journal

HISTORY = Recipe(
    name="history",
    title="read and write Git histories",
    family="git",
    patterns=(
        r"\bgit (log|history|commits?|repositor\w+|rebase|bisect|blame|tags?|state|worktrees?)\b",
        r"\b(commit (messages?|history)|conventional commits?|changelogs?)\b",
        r"\brelease notes (from|based on)\b",
        r"\bversion control\b|\bgit-backed\b",
    ),
    source=Journal(),
    sink=Versioned(),
    source_title="gather the entries from a Git history",
    sink_title="put them into a Git repository, one commit per group",
    tools=("git", "python3"),
)
