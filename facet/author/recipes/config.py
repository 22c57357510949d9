"""Configuration: merge INI drop-ins into records; write records as INI and TOML settings."""

from facet.author.recipe import Recipe
from facet.author.sinks.config import Settings
from facet.author.sources.config import DropIns

CONFIG = Recipe(
    name="config",
    title="merge and generate configuration files",
    family="configuration",
    patterns=(
        r"\b(config(uration)? files?|\.ini\b|toml files?|dotfiles?|\.env files?|settings files?)\b",
        r"\b(merge|migrat|generat|validat|manag|edit|convert)\w*\b.{0,40}\bconfig(uration)?s?\b",
        r"\bconfig(uration)? (management|migration|validation|drift|templates?)\b",
        r"\b(ya?ml|environment variables?)\b.{0,40}\b(config|settings|manifest)",
    ),
    source=DropIns(),
    sink=Settings(),
    source_title="merge the configuration drop-ins into one table",
    sink_title="generate settings per group from it",
)
