"""Judge Harbor folders one after another: one verdict each, whatever the others are like.

A verdict is `valid`, `invalid` (judged and found wanting, with the blamed artifact), `broken` (the
folder cannot be read: every fault is listed) or `cannot run here` (why). Judging, blaming and the
engine are arguments.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from facet.errors import EngineError, EngineUnavailable, FacetError, TaskFolderError
from facet.exports import restored
from facet.lint import lint
from facet.sandbox.base import Engine
from facet.shell_parse import shell_suspects
from facet.taskdir import problems, read_task
from facet.types.task import Task
from facet.types.trial import CheckResult, CheckStatus, Trial
from facet.types.value import Value
from facet.types.verdict import Blame, Gate, Judgement
from facet.validation_reach import cannot_run, cannot_run_after, runnable

type State = Literal["valid", "invalid", "broken", "cannot run here"]
type Cell = CheckStatus | Literal["not run"]
type Tell = Callable[[str], None]


class CheckLine(Value):
    """One check in both states."""

    id: str
    title: str = ""
    guard: bool = False
    before: Cell  # untouched state
    after: Cell  # after the reference solution
    message: str = ""  # of the failure that matters: after the solution, else before


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
    seconds: float = 0.0

    @property
    def line(self) -> str:
        """The verdict in one line, as the command prints it."""
        blamed = f" [{self.blamed}]" if self.blamed else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.state}{blamed}{reason}"


class Judge(Protocol):
    """`facet.judge.judge`, as far as it is used here."""

    def __call__(
        self, task: Task, *, engine: Engine, progress: Tell | None = None
    ) -> Judgement: ...


def validate(
    paths: Sequence[Path],
    *,
    engine: Callable[[], Engine],
    judge: Judge,
    blame: Callable[[Task, Judgement], Blame],
    tell: Tell = lambda line: None,
    done: Callable[[Verdict], None] = lambda verdict: None,
) -> list[Verdict]:
    """A verdict per folder, in order; `done` hears each as it comes.

    `engine` is asked for only when a task is to be run; its EngineError (no Docker server, no base
    image) is raised then, before anything ran. Later trouble stays with its task.
    """
    read = [_read(path) for path in paths]
    ready: Engine | None = None
    if any(isinstance(task, Task) and not cannot_run(task) for task in read):
        ready = engine()
    verdicts = []
    for number, (path, task) in enumerate(zip(paths, read, strict=True), 1):
        place = f"[{number}/{len(paths)}] {path.name}"

        def told(line: str, place: str = place) -> None:
            tell(f"{place}: {line}")

        started = time.monotonic()
        if isinstance(task, Verdict):
            verdict = task
        else:
            verdict = _judged(path, task, ready, judge, blame, told)
        seconds = round(time.monotonic() - started, 2)
        verdict = verdict.model_copy(update={"seconds": seconds})
        told(verdict.line)
        done(verdict)
        verdicts.append(verdict)
    return verdicts


def _read(path: Path) -> Task | Verdict:
    try:
        return restored(read_task(path))
    except TaskFolderError as error:
        faults = tuple(str(f) for f in problems(path))
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        reason = (faults[0] if faults else str(error)) + more
        return Verdict(path=str(path), name=path.name, state="broken", reason=reason, faults=faults)


def _judged(
    path: Path,
    task: Task,
    engine: Engine | None,
    judge: Judge,
    blame: Callable[[Task, Judgement], Blame],
    tell: Tell,
) -> Verdict:
    base = Verdict(
        path=str(path),
        name=task.name,
        digest=task.digest,
        state="cannot run here",
        remarks=lint(task, shell_suspects).remarks,
    )
    if engine is None:
        return base.model_copy(update={"reason": cannot_run(task)})
    try:
        prepared, reason = runnable(task, engine.image)
        if reason:
            return base.model_copy(update={"reason": reason})
        judgement = judge(prepared, engine=engine, progress=tell)
    except EngineUnavailable as error:
        return base.model_copy(update={"reason": f"the Docker server is gone: {error}"})
    except EngineError as error:
        return base.model_copy(update={"reason": str(error)})
    except FacetError as error:
        return base.model_copy(update={"state": "invalid", "reason": str(error)})
    base = base.model_copy(update={"gates": judgement.gates, "checks": check_lines(judgement)})
    if judgement.valid:
        return base.model_copy(update={"state": "valid"})
    if reason := cannot_run_after(task, judgement):
        return base.model_copy(update={"reason": reason})
    gate = judgement.deciding
    found = blame(prepared, judgement)
    return base.model_copy(
        update={
            "state": "invalid",
            "reason": f"{gate.name}: {gate.evidence}" if gate else "no gate passed",
            "blamed": found.artifact or "nobody",
            "rule": found.rule,
        }
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
