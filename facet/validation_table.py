"""Tables of verdicts for a terminal; third-party text is shown as text, never as markup."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from facet.validation import CheckLine, Verdict

COLOURS = {
    "passed": "green",
    "valid": "green",
    "failed": "red",
    "error": "red",
    "invalid": "red",
    "broken": "red",
    "not_reached": "dim",
    "not reached": "dim",
    "not run": "dim",
    "cannot run here": "yellow",
    "not_assessed": "yellow",
}
WIDEST_PIPE = 160  # columns when nobody watches


def print_states(verdict: Verdict) -> None:
    """Check x state: one row per check, before and after the reference solution."""
    if not verdict.checks:
        return
    rows = [(c.id + _mark(c), c.title, c.before, c.after) for c in verdict.checks]
    _print(("check", "what it tests", "before", "after"), rows)


def _mark(check: CheckLine) -> str:
    if check.course == "never passes":
        return " (never passes)"
    return " (guard)" if check.guard else ""


def print_gates(verdict: Verdict) -> None:
    """Every gate with its answer and evidence."""
    if verdict.gates:
        _print(
            ("gate", "answer", "evidence"), [(g.name, g.status, g.evidence) for g in verdict.gates]
        )


def print_many(verdicts: Sequence[Verdict]) -> None:
    """One row per task, and one below it per step of a task in several steps."""
    rows: list[Sequence[str]] = []
    names = Counter(verdict.name for verdict in verdicts)
    for verdict in verdicts:
        alone = verdict.name and names[verdict.name] == 1
        shown = verdict.name if alone else verdict.path  # copies of one task are told apart
        rows.append(_row(verdict, shown, f"{verdict.seconds:.1f}"))
        rows += [_row(step, f"  step {step.name}", "") for step in verdict.steps]
    _print(("task", "verdict", "blamed", "why", "s"), rows)


def _row(verdict: Verdict, name: str, seconds: str) -> Sequence[str]:
    bases = f" (on other bases: {', '.join(verdict.bases)})" if verdict.bases else ""
    return name, verdict.state, verdict.blamed, verdict.reason + bases, seconds


def _print(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = WIDEST_PIPE
    table = Table(*header, box=None, pad_edge=False, header_style="bold")
    for column in table.columns:
        column.overflow = "fold"
    for row in rows:
        table.add_row(*(Text(plain(cell), style=COLOURS.get(cell, "")) for cell in row))
    console.print(table)


def plain(text: str) -> str:
    """One line that a terminal shows as it stands: control characters become spaces."""
    return "".join(c if c.isprintable() else " " for c in text)
