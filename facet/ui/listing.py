"""The queue's rows: what a task's status is, why it stands where it does, and its neighbours."""

import streamlit as st

from facet.store.rows import TaskRow
from facet.ui.text import line, md
from facet.ui.words import ARTIFACT_LOOK, STATUS

FILTERS: tuple[str, ...] = ("to review", "approved", "rejected", "not valid", "in work")
"""Groups of statuses that the queue offers, in the order of the work."""

GROUPS: dict[str, str] = {
    "working": "in work",
    "to review": "to review",
    "stale": "to review",
    "split": "to review",
    "unsure": "to review",
    "approved": "approved",
    "rejected": "rejected",
    "exhausted": "not valid",
    "unexplained": "not valid",
    "discarded": "not valid",
    "owed": "in work",
}
"""Status -> group."""


def status_of(row: TaskRow) -> str:
    """The key of `STATUS` for a task: machine's ending first, then what people said."""
    if row.disputed:
        return "split"
    if row.decision == "approve":
        return "approved"
    if row.decision == "reject":
        return "rejected"
    if row.decision == "unsure":
        return "unsure"
    if row.status != "valid":
        return row.status
    return "stale" if row.stale_decision in ("approve", "reject") else "to review"


def why(row: TaskRow) -> str:
    """One plain line: why it stands where it does."""
    if row.decision in ("approve", "reject", "unsure") and row.decided_by:
        people = f" and {row.opinions - 1} more" if row.opinions > 1 else ""
        return f"by {row.decided_by}{people}" + ("; people differ" if row.disputed else "")
    if row.status == "working":
        return f"at {row.stage}" if row.stage else "waiting"
    if row.status != "valid":
        gate = f" at {row.gate.replace('_', ' ')}" if row.gate else ""
        return line(row.reason or f"ended{gate}", 200)
    rounds = []
    if row.environment_rounds:
        rounds.append("environment" + _times(row.environment_rounds))
    if row.rounds:
        rounds.append((row.blamed or "task") + _times(row.rounds))
    made = f"valid after repair of {' and '.join(rounds)}" if rounds else ""
    stale = "; an older version was decided" if row.stale_decision else ""
    return (made or "valid at first try") + stale


def _times(count: int) -> str:
    return "" if count == 1 else f" ({count} rounds)"


def pick(rows: list[TaskRow], groups: list[str], text: str) -> list[TaskRow]:
    """Rows of these groups (none = all) whose words contain `text`."""
    wanted = text.lower().strip()

    def fits(row: TaskRow) -> bool:
        if groups and GROUPS[status_of(row)] not in groups:
            return False
        words = " ".join((row.key, row.title, row.theme, row.name, row.reason, *row.skills))
        return wanted in words.lower()

    return [r for r in rows if fits(r)]


def neighbours(rows: list[TaskRow], key: str) -> tuple[str, str, str]:
    """Keys of the previous and next task in the list, and "3 of 14"."""
    keys = [r.key for r in rows]
    if key not in keys:
        return "", keys[0] if keys else "", f"not among {len(keys)}"
    at = keys.index(key)
    before = keys[at - 1] if at else ""
    after = keys[at + 1] if at + 1 < len(keys) else ""
    return before, after, f"{at + 1} of {len(keys)}"


def next_to_review(rows: list[TaskRow], key: str = "") -> str:
    """The first task behind this one (then from the start) that waits for a decision."""
    keys = [r.key for r in rows]
    start = keys.index(key) + 1 if key in keys else 0
    for row in (*rows[start:], *rows[:start]):
        if row.key != key and status_of(row) in ("to review", "stale"):
            return row.key
    return ""


def status_badge(row: TaskRow) -> None:
    """The status as a badge; its colour never stands alone."""
    look = STATUS[status_of(row)]
    st.badge(look.word, icon=look.icon, color=look.color, help=look.meaning)


def task_title(row: TaskRow) -> str:
    """A title for Markdown: the task's own words, escaped."""
    return md(row.title or " + ".join(row.skills) or row.key, 120)


def blamed_badge(row: TaskRow) -> str:
    """Markdown of the artifact that was blamed last, "" if none."""
    look = ARTIFACT_LOOK.get(row.blamed)
    return f":{look.color}-badge[{look.icon} {look.word} blamed]" if look and row.rounds else ""
