"""Rows that the store's queries return: frozen, named, with units; nothing of DuckDB in them."""

from typing import Any, Literal

from facet.types.decision import Decision, Verdict
from facet.types.manifest import RealizedManifest
from facet.types.payloads import (
    EnvironmentRound,
    NoteWritten,
    ProbeRun,
    StageRecord,
    TaskEnded,
    TaskJudged,
    TaskWritten,
    TrialRun,
)
from facet.types.skill import ScreenFinding, SkillSource
from facet.types.value import Value
from facet.types.verdict import Blame, Ending, Round

TaskStatus = Literal["working", "valid", "exhausted", "unexplained", "discarded", "owed"]
RunStatus = Literal["running", "interrupted", "finished", "cancelled", "budget", "failed"]


class TaskRow(Value):
    """One seed's task as it stands now; there is a row from the moment the seed is accepted."""

    key: str  # "<run>/<seed id>", stable over repairs
    run: str
    seed: str
    digest: str  # current task digest; "" while none is written
    name: str = ""  # "<org>/<slug>"
    title: str = ""
    theme: str = ""
    model: str = ""
    order: str = ""
    status: TaskStatus
    reason: str = ""  # of the ending
    stage: str = ""  # last stage started or done
    gate: str = ""  # first gate of the latest judgement that did not pass; "" if all did
    blamed: str = ""  # artifact of the latest blame
    skills: tuple[str, ...] = ()  # names
    skill_ids: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    checks: int = 0  # counted checks of the latest judgement
    rounds: int = 0  # task repair rounds
    environment_rounds: int = 0
    first_time_valid: bool = False
    seconds: float = 0.0  # from start to ending
    created: str  # UTC, ISO 8601
    updated: str
    decision: Verdict | None = None  # latest on the current digest
    decided_by: str = ""
    stale_decision: Verdict | None = None  # latest on an older digest, if none is current
    opinions: int = 0  # people with a current decision
    disputed: bool = False  # approve and reject both stand on the current digest


class Stamped[V: Value](Value):
    """A payload with when and by whom its event was written."""

    id: str
    at: str
    person: str = ""
    data: V


class BuiltRow(Value):
    """An environment that was built and probed."""

    environment: str  # artifact digest
    realized: RealizedManifest
    seconds: float
    rounds: int


class TaskHistory(Value):
    """Everything that happened to one task, each list in time order."""

    task: TaskRow
    stages: tuple[Stamped[StageRecord], ...] = ()  # done and failed
    environments: tuple[Stamped[BuiltRow], ...] = ()
    environment_rounds: tuple[Stamped[EnvironmentRound], ...] = ()
    written: tuple[Stamped[TaskWritten], ...] = ()
    judged: tuple[Stamped[TaskJudged], ...] = ()  # `blob` = the whole Judgement
    blames: tuple[Stamped[Blame], ...] = ()
    rounds: tuple[Stamped[Round], ...] = ()
    ended: tuple[Stamped[TaskEnded], ...] = ()
    trials: tuple[Stamped[TrialRun], ...] = ()
    decisions: tuple[Stamped[Decision], ...] = ()  # all, withdrawn and stale ones too
    notes: tuple[Stamped[NoteWritten], ...] = ()
    probes: tuple[Stamped[ProbeRun], ...] = ()


class DecisionRow(Value):
    """The latest decision of one person on one task (withdrawn ones are not listed)."""

    id: str  # event id
    at: str
    decision: Decision
    current: bool  # False: the task has another digest now


class RunRow(Value):
    """One run with its progress."""

    run: str
    started: str
    finished: str = ""
    status: RunStatus  # "running" only while its process holds the lock
    model: str = ""
    order: str = ""
    count: int = 0  # tasks asked for
    seed: int = 0
    seeds: int = 0  # accepted so far
    ended: int = 0
    valid: int = 0
    endings: dict[Ending, int] = {}
    checks: float | None = None  # mean counted checks of valid tasks; None = no valid task
    calls: int = 0  # model calls, cached ones included
    cached_calls: int = 0
    tokens: int = 0  # input + output, cached calls left out
    dollars: float | None = None  # None = a price was unknown
    seconds: float = 0.0  # from start to the last event
    reason: str = ""


class SkillRow(Value):
    """One skill as last read; `blob` is the whole Skill, "" for an unreadable one."""

    skill_id: str
    name: str = ""
    description: str = ""
    kept: bool
    rule: str = ""  # first rule that dropped it, "unreadable" for unreadable ones
    reason: str = ""
    path: str = ""  # file inside the package
    line: int | None = None
    excerpt: str = ""
    findings: tuple[ScreenFinding, ...] = ()
    source: SkillSource = SkillSource()
    contexts: int = 0
    tasks: int = 0  # seeds that use it
    blob: str = ""


class CheckRow(Value):
    """One check of one digest over the trials of its latest judgement."""

    digest: str
    check: str
    title: str
    guard: bool
    actor: str
    label: str
    status: str
    message: str


class CallStats(Value):
    """Model calls of one role."""

    role: str
    calls: int
    cached: int
    failed: int
    input_tokens: int
    output_tokens: int
    dollars: float | None
    latency_s: float  # mean of calls that were made


class Health(Value):
    """How the store stands."""

    events: int
    files: int  # journal files
    skipped: int  # torn or damaged journal lines
    unknown: int  # records of kinds this version does not know
    in_memory: bool
    notice: str = ""  # a line for people; "" when all is well


class Result(Value):
    """What a query gave: column names and rows of plain values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False  # there were more rows than the limit
