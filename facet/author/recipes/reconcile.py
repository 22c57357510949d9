"""Reconciliation: take only what a second list confirms; compare a table with a register."""

from facet.author.recipe import Recipe
from facet.author.sinks.reconcile import Register
from facet.author.sources.reconcile import Confirmed

RECONCILE = Recipe(
    name="reconcile",
    title="reconcile records across sources",
    family="reconciliation",
    patterns=(
        r"\breconcil\w+\b",
        r"\b(dedup\w*|duplicates?|deduplication)\b",
        r"\b(compar|match|cross-?check)\w*\b.{0,40}\b(sources|records|lists|datasets|prices)\b",
        r"\b(ledgers?|bookkeeping|accounting|invoices?|expenses?|receipts|bank transactions)\b",
    ),
    source=Confirmed(),
    sink=Register(),
    source_title="reconcile the entries with the confirmations",
    sink_title="compare the table with the register",
)
