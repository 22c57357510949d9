"""Permissions: trust only safely kept files; lay out folders with exact rights."""

from facet.author.recipe import Recipe
from facet.author.sinks.permissions import Layout
from facet.author.sources.permissions import Drop

PERMISSIONS = Recipe(
    name="permissions",
    title="audit and set file permissions",
    family="permissions",
    patterns=(
        r"\b(chmod|chown|file (permissions|modes?)|least privilege|world-writable)\b",
        r"\b(permissions?|access (rights|controls?))\b.{0,40}\b(audit|check|fix|set|review|files?)",
        r"\b(audit|harden|secur)\w*\b.{0,40}\b(permissions?|file ?systems?|server|host|linux)\b",
        r"\bsecurity (audit|hardening)\w*\b",
    ),
    source=Drop(),
    sink=Layout(),
    source_title="read what may be trusted from the drop folder",
    sink_title="lay it out in folders with exact permissions",
    tools=("stat", "chmod", "chown", "python3"),
)
