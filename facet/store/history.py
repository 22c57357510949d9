"""One task's events as a typed history. Pure: events in, value out.

An event whose payload this version cannot parse is left out; the others still show.
"""

from collections.abc import Iterable

from pydantic import ValidationError

from facet.store.rows import BuiltRow, Stamped, TaskHistory, TaskRow
from facet.types.decision import Decision
from facet.types.event import Event, EventKind
from facet.types.payloads import (
    PAYLOADS,
    DecisionMade,
    EnvironmentBuilt,
    EnvironmentRound,
    NoteWritten,
    ProbeRun,
    StageRecord,
    TaskBlamed,
    TaskEnded,
    TaskJudged,
    TaskRound,
    TaskWritten,
    TrialRun,
)
from facet.types.value import Value
from facet.types.verdict import Blame, Round

FIELDS: dict[EventKind, str] = {
    "stage.done": "stages",
    "stage.failed": "stages",
    "environment.built": "environments",
    "environment.round": "environment_rounds",
    "task.written": "written",
    "task.judged": "judged",
    "task.blamed": "blames",
    "task.round": "rounds",
    "task.ended": "ended",
    "trial": "trials",
    "decision": "decisions",
    "note": "notes",
    "probe": "probes",
}
"""Which list of a history the events of a kind go to."""


def build_history(task: TaskRow, events: Iterable[Event]) -> TaskHistory:
    """Sort one task's events (in time order) into its history."""
    lists: dict[str, list[Value]] = {}
    for event in events:
        field = FIELDS.get(event.kind)
        if field is None:
            continue
        try:
            payload = PAYLOADS[event.kind].from_json(event.data)
        except ValidationError:
            continue
        lists.setdefault(field, []).append(_stamp(event, payload))
    return TaskHistory.model_validate({"task": task, **lists})


def _stamp(event: Event, payload: Value) -> Value:
    head = {"id": event.id, "at": event.at, "person": event.person}
    match payload:
        case StageRecord():
            return Stamped[StageRecord](**head, data=payload)
        case EnvironmentBuilt():
            built = BuiltRow(**{n: getattr(payload, n) for n in BuiltRow.model_fields})
            return Stamped[BuiltRow](**head, data=built)
        case EnvironmentRound():
            return Stamped[EnvironmentRound](**head, data=payload)
        case TaskWritten():
            return Stamped[TaskWritten](**head, data=payload)
        case TaskJudged():
            return Stamped[TaskJudged](**head, data=payload)
        case TaskBlamed():
            return Stamped[Blame](**head, data=payload.blame)
        case TaskRound():
            return Stamped[Round](**head, data=payload.round)
        case TaskEnded():
            return Stamped[TaskEnded](**head, data=payload)
        case TrialRun():
            return Stamped[TrialRun](**head, data=payload)
        case DecisionMade():
            return Stamped[Decision](**head, data=payload.decision)
        case NoteWritten():
            return Stamped[NoteWritten](**head, data=payload)
        case ProbeRun():
            return Stamped[ProbeRun](**head, data=payload)
        case _:
            raise TypeError(type(payload).__name__)
