"""Events of the journal: everything that ever happened, human or machine."""

from typing import Any, Literal

from facet.types.value import Value

EventKind = Literal[
    "run.started",
    "run.finished",  # payload: status finished|cancelled|budget|failed, counts
    "run.log",
    "skill.read",  # one skill, kept or dropped, with findings
    "skill.unreadable",
    "context",
    "pair.judged",
    "seed",
    "stage.started",
    "stage.done",  # payload: stage, key (inputs digest), output (JSON) or blob
    "stage.failed",
    "model.call",  # one ledger row
    "environment.built",
    "environment.round",
    "task.written",  # a task bundle stored under its digest
    "task.judged",  # a Judgement
    "task.validated",  # a verdict of `facet validate` on one folder
    "task.blamed",
    "task.round",
    "task.ended",  # payload: ending, reason
    "trial",
    "decision",
    "note",
    "probe",
]


class Event(Value):
    """One journal record."""

    id: str  # unique; the same id twice is the same event
    at: str  # UTC, ISO 8601 with microseconds
    kind: EventKind
    run: str = ""
    seed: str = ""  # Seed.id
    task: str = ""  # task digest
    person: str = ""
    data: dict[str, Any] = {}
