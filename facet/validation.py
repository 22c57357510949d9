"""Judge Harbor folders one after another: one verdict each, whatever the others are like.

A verdict is `valid`, `invalid` (judged and found wanting, with the blamed artifact), `broken` (the
folder cannot be read: every fault is listed) or `cannot run here` (why). A task in several steps
has a verdict per step and is valid only if all are. Judging, blaming and the engine are arguments.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from facet.errors import EngineError, EngineUnavailable, FacetError, TaskFolderError
from facet.exports import restored
from facet.judge_apart import Build, Judge, blame_apart, judge_one
from facet.judge_steps import StepJudged, judge_steps
from facet.lint import lint
from facet.realize import realize
from facet.sandbox.base import Engine
from facet.shell_parse import shell_suspects
from facet.taskdir import problems, read_task
from facet.types.apart import steps_of
from facet.types.task import Task
from facet.types.trial import CheckResult, CheckStatus, Trial
from facet.types.value import Value
from facet.types.verdict import Blame, Gate, Judgement
from facet.validation_bases import with_bases
from facet.validation_reach import cannot_run, cannot_run_after, runnable

type State = Literal["valid", "invalid", "broken", "cannot run here", "not reached"]
type Cell = CheckStatus | Literal["not run"]
type Course = Literal["turns", "guard", "breaks", "never passes", "not known"]
type Tell = Callable[[str], None]
type Blaming = Callable[[Task, Judgement], Blame]


class CheckLine(Value):
    """One check in both states."""

    id: str
    title: str = ""
    guard: bool = False
    before: Cell  # untouched state
    after: Cell  # after the reference solution
    message: str = ""  # of the failure that matters: after the solution, else before

    @property
    def course(self) -> Course:
        """What the solution did to it. One that never passes was not fixed by the solution."""
        if "not run" in (self.before, self.after) or "skipped" in (self.before, self.after):
            return "not known"
        if self.before == "passed":
            return "guard" if self.after == "passed" else "breaks"
        return "turns" if self.after == "passed" else "never passes"


class Verdict(Value):
    """What was found about one folder."""

    path: str
    name: str = ""
    state: State
    reason: str = ""  # one line; "" for a valid task
    blamed: str = ""  # artifact (or "scenario") of an invalid task
    rule: str = ""  # by which rule
    digest: str = ""
    gates: tuple[Gate, ...] = ()
    checks: tuple[CheckLine, ...] = ()
    faults: tuple[str, ...] = ()  # of a broken folder, all of them
    remarks: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()  # `OLD=NEW` of every base image that was replaced
    steps: tuple["Verdict", ...] = ()  # of a task in several steps; `name` is the step's
    recorded: bool = False  # taken from an earlier validation of the same content
    seconds: float = 0.0

    @property
    def line(self) -> str:
        """The verdict in one line, as the command prints it."""
        blamed = f" [{self.blamed}]" if self.blamed else ""
        reason = f": {self.reason}" if self.reason else ""
        bases = f" (on other bases: {', '.join(self.bases)})" if self.bases else ""
        return f"{self.state}{blamed}{reason}{bases}"


def validate(
    paths: Sequence[Path],
    *,
    engine: Callable[[], Engine],
    judge: Judge,
    blame: Blaming,
    tell: Tell = lambda line: None,
    done: Callable[[Verdict], None] = lambda verdict: None,
    known: Callable[[Path], Verdict | None] = lambda path: None,
    bases: Mapping[str, str] | None = None,
    build: Build = realize,
    clock: Callable[[], float] = time.monotonic,
) -> list[Verdict]:
    """A verdict per folder, in order; `done` hears each as it comes, before the next one starts.

    `known` gives the verdict of an earlier validation, which is taken as it is. `engine` is asked
    for only when a task is to be run; its EngineError (no Docker server, no base image) is raised
    then, before anything ran. Later trouble stays with its task.
    """
    ready: list[Engine] = []

    def once() -> Engine:
        if not ready:
            ready.append(engine())
        return ready[0]

    bench = _Bench(once, judge, blame, dict(bases or {}), build)
    verdicts: list[Verdict] = []
    began = clock()
    judged = 0
    for number, path in enumerate(paths, 1):
        place = f"[{number}/{len(paths)}] {path.name}"

        def told(line: str, place: str = place) -> None:
            tell(f"{place}: {line}")

        started = clock()
        verdict = known(path)
        if verdict is None:
            verdict = bench.verdict(path, told)
            verdict = verdict.model_copy(update={"seconds": round(clock() - started, 2)})
            judged += 1
        verdicts.append(verdict)
        done(verdict)
        told(verdict.line + progress_note(verdicts, len(paths), judged, clock() - began))
    return verdicts


def progress_note(verdicts: Sequence[Verdict], total: int, judged: int, seconds: float) -> str:
    """Counts, rate and how long the rest takes; "" for a single folder. Recorded ones are free."""
    if total < 2:
        return ""
    counts = Counter(v.state for v in verdicts)
    told = ", ".join(f"{n} {state}" for state, n in sorted(counts.items()))
    left = total - len(verdicts)
    if not judged or seconds <= 0:
        return f" -- {told}"
    rate = f"{judged / seconds * 60:.1f}/min"
    rest = f", about {left * seconds / judged / 60:.0f} min left" if left else ""
    return f" -- {told}; {rate}{rest}"


def _read(path: Path) -> Task | Verdict:
    try:
        return restored(read_task(path))
    except TaskFolderError as error:
        faults = tuple(str(f) for f in problems(path))
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        reason = (faults[0] if faults else str(error)) + more
        return Verdict(path=str(path), name=path.name, state="broken", reason=reason, faults=faults)


class _Bench:
    """What every folder of one validation is judged with."""

    def __init__(
        self,
        engine: Callable[[], Engine],
        judge: Judge,
        blame: Blaming,
        bases: dict[str, str],
        build: Build,
    ) -> None:
        self.engine, self.judge, self.blame = engine, judge, blame
        self.bases, self.build = bases, build

    def verdict(self, path: Path, tell: Tell) -> Verdict:
        """One folder's verdict. Raises EngineUnavailable or BaseMissing when nothing can run."""
        task = _read(path)
        if isinstance(task, Verdict):
            return task
        base = Verdict(
            path=str(path),
            name=task.name,
            digest=task.digest,
            state="cannot run here",
            remarks=lint(task, shell_suspects).remarks,
        )
        try:
            task, replaced = with_bases(task, self.bases)
            base = base.model_copy(update={"bases": replaced})
            if reason := cannot_run(task):
                return base.model_copy(update={"reason": reason})
        except FacetError as error:
            return base.model_copy(update={"state": "broken", "reason": str(error)})
        engine = self.engine()
        try:
            return self._judged(base, task, engine, tell)
        except EngineUnavailable as error:
            return base.model_copy(update={"reason": f"the Docker server is gone: {error}"})
        except EngineError as error:
            return base.model_copy(update={"reason": str(error)})
        except FacetError as error:
            return base.model_copy(update={"state": "invalid", "reason": str(error)})

    def _judged(self, base: Verdict, task: Task, engine: Engine, tell: Tell) -> Verdict:
        prepared, reason = runnable(task, engine.image)
        if reason:
            return base.model_copy(update={"reason": reason})
        if not steps_of(task):
            judgement = judge_one(
                prepared, engine=engine, judge=self.judge, tell=tell, build=self.build
            )
            return self._found(base, prepared, judgement)
        rows: list[Verdict] = []
        left: tuple[str, ...] = ()
        for step in judge_steps(
            prepared, engine=engine, judge=self.judge, tell=tell, build=self.build
        ):
            row = self._step(base, step, left)
            rows.append(row)
            tell(f"step {step.name}: {row.line}")
            left += step.left
        return _together(base, tuple(rows))

    def _step(self, base: Verdict, step: StepJudged, left: tuple[str, ...]) -> Verdict:
        row = Verdict(
            path=f"{base.path}/steps/{step.name}",
            name=step.name,
            digest=step.task.digest,
            state="not reached",
            reason=step.reason,
            bases=base.bases,
        )
        if step.judgement is None:
            return row
        row = self._found(row, step.task, step.judgement)
        if row.state == "invalid" and left:
            why = f"an earlier step leaves processes running, which are not carried: {left[0]}"
            return row.model_copy(
                update={"state": "cannot run here", "reason": f"{why} ({row.reason})", "blamed": ""}
            )
        remarks = tuple(f"left running, not carried to the next step: {c}" for c in step.left)
        return row.model_copy(update={"remarks": (*row.remarks, *remarks)})

    def _found(self, base: Verdict, task: Task, judgement: Judgement) -> Verdict:
        base = base.model_copy(
            update={
                "gates": judgement.gates,
                "checks": check_lines(judgement),
                "reason": "",
                "remarks": (*base.remarks, *tampering(judgement)),
            }
        )
        if judgement.valid:
            return base.model_copy(update={"state": "valid"})
        if reason := cannot_run_after(task, judgement):
            return base.model_copy(update={"state": "cannot run here", "reason": reason})
        gate = judgement.deciding
        found = blame_apart(judgement) or self.blame(task, judgement)
        return base.model_copy(
            update={
                "state": "invalid",
                "reason": f"{gate.name}: {gate.evidence}" if gate else "no gate passed",
                "blamed": found.artifact or "nobody",
                "rule": found.rule,
            }
        )


def _together(base: Verdict, rows: tuple[Verdict, ...]) -> Verdict:
    """The verdict over all steps: the first step that is not valid decides."""
    first = next((r for r in rows if r.state != "valid"), None)
    gates = first.gates if first else rows[-1].gates
    checks = tuple(c.model_copy(update={"id": f"{r.name}: {c.id}"}) for r in rows for c in r.checks)
    base = base.model_copy(update={"steps": rows, "gates": gates, "checks": checks})
    if first is None:
        return base.model_copy(update={"state": "valid", "reason": ""})
    return base.model_copy(
        update={
            "state": first.state,
            "reason": f"step {first.name}: {first.reason}",
            "blamed": first.blamed,
            "rule": first.rule,
        }
    )


def tampering(judgement: Judgement) -> tuple[str, ...]:
    """What a trial's actor left where the verifier's files belong: removed, and said so."""
    return tuple(
        f"{trial.actor} left {seen.path} before grading; it was removed and counts for nothing"
        for trial in judgement.trials
        for seen in trial.tamper
    )


def check_lines(judgement: Judgement) -> tuple[CheckLine, ...]:
    """Every check of the nop and the oracle trial, in the order the verifier gave them."""
    before = _by_id(judgement.trial("nop"))
    after = _by_id(judgement.trial("oracle"))
    lines = []
    for id in {**after, **before}:
        first, second = before.get(id), after.get(id)
        known = second or first
        assert known is not None
        failing = next((c for c in (second, first) if c and c.status in ("failed", "error")), None)
        lines.append(
            CheckLine(
                id=id,
                title=known.title,
                guard=known.guard,
                before=first.status if first else "not run",
                after=second.status if second else "not run",
                message=failing.message if failing else "",
            )
        )
    return tuple(lines)


def _by_id(trial: Trial | None) -> dict[str, CheckResult]:
    return {check.id: check for check in trial.checks} if trial else {}
