"""Between the views and the rows: filters as SQL, result rows and events as values. Pure."""

import json
from typing import Any

from facet.store.rows import SkillRow, Stamped, TaskRow
from facet.types.decision import Decision
from facet.types.event import Event
from facet.types.payloads import DecisionMade
from facet.types.value import Value


def task_filter(
    run: str, status: str, text: str, skill: str, decision: str
) -> tuple[str, list[Any]]:
    """WHERE clause over the view `tasks`, and its values; "" filters nothing."""
    tests: list[str] = ["true"]
    values: list[Any] = []
    for column, value in (("run", run), ("status", status)):
        if value:
            tests.append(f"{column} = ?")
            values.append(value)
    if text:
        tests.append(
            "contains(lower(concat_ws(' ', key, title, name, theme, reason, "
            "array_to_string(skills, ' '))), ?)"
        )
        values.append(text.lower())
    if skill:
        tests.append("list_contains(skill_ids, ?)")
        values.append(skill)
    if decision == "none":
        tests.append("decision IS NULL")
    elif decision == "stale":
        tests.append("stale_decision IS NOT NULL")
    elif decision == "disputed":
        tests.append("disputed")
    elif decision:
        tests.append("decision = ?")
        values.append(decision)
    return " AND ".join(tests), values


def task_row(row: dict[str, Any]) -> TaskRow:
    """A row of the view `tasks`."""
    row["order"] = row.pop("ordering")
    return TaskRow.model_validate(row)


def skill_row(row: dict[str, Any]) -> SkillRow:
    """A row of the view `skills` with its counts."""
    names = ("name", "description", "kept", "rule", "reason", "path", "line", "excerpt")
    counts = ("contexts", "tasks", "blob")
    source = {"source": row["source"], "licence": row["licence"]}
    return SkillRow.model_validate(
        {
            "skill_id": row["skill"],
            "findings": json.loads(row["findings"]),
            "source": source,
            **{n: row[n] for n in (*names, *counts)},
        }
    )


def stamped[V: Value](event: Event, kind: type[V]) -> Stamped[V]:
    """An event's payload, parsed, with when and by whom it was written."""
    data = kind.from_json(event.data)
    return Stamped[V](id=event.id, at=event.at, person=event.person, data=data)


def decision_of(data: str) -> Decision:
    """The decision in the JSON payload of its event."""
    return DecisionMade.from_json(json.loads(data)).decision
