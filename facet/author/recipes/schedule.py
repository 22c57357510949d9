"""Scheduling: a job script that works on fresh input, its crontab and its lock."""

from facet.author.recipe import Recipe
from facet.author.sinks.schedule import Job

SCHEDULE = Recipe(
    name="schedule",
    title="script and schedule recurring jobs",
    family="scheduling",
    patterns=(
        r"\bcron(tab|job)?s?\b",
        r"\b(schedul\w+|recurring|periodic|nightly|every (day|morning|night|hour)|daily)\b.{0,50}"
        r"\b(task|job|run|report|check|script|update|backup|brief\w*|digest|summary)",
        r"\b(automat\w+)\b.{0,40}\b(scripts?|tasks?|workflows?|jobs?)\b",
        r"\b(shell|bash) scripts?\b",
    ),
    source=None,
    sink=Job(),
    sink_title="write the program that reports on it, and schedule it",
    tools=("python3", "cron"),
)
