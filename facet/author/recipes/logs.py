"""Logs: pull events out of rotated logs; write events as logs by month, with alerts."""

from facet.author.recipe import Recipe
from facet.author.sinks.logs import Events
from facet.author.sources.logs import Rotated

LOGS = Recipe(
    name="logs",
    title="parse logs and write event logs",
    family="logs",
    patterns=(
        r"\b(log ?files?|access logs?|server logs?|syslog|journalctl|log (lines?|entries))\b",
        r"\b(pars|analy[sz]|tail|grep|search|inspect|monitor|filter|review)\w*\b.{0,40}\blogs?\b",
        r"\blogs?\b.{0,30}\b(analysis|parsing|rotation|aggregation|monitoring)\b",
    ),
    source=Rotated(),
    sink=Events(),
    source_title="pull the bookings out of the logs",
    sink_title="write them as monthly event logs with alerts",
    tools=("python3", "grep", "awk"),
)
