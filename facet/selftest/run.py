"""Judge good tasks and planted defects, blame the latter, and mark what comes out.

Judging and blaming are arguments: the run is tested with neither Docker nor a model. Trouble of
ours is asked once more, then counts as wrong: not assessed is never right.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from facet.gates import SYNTHESIS
from facet.selftest.catalogue import DEFECTS
from facet.selftest.defect import Defect
from facet.selftest.good import NAMES, good_task
from facet.selftest.mark import GoodMark, Mark, Report, good_mark, mark
from facet.types.task import Task
from facet.types.verdict import Blame, GateName, Judgement

type Judge = Callable[[Task, Sequence[GateName]], Judgement]
type Blaming = Callable[[Task, Judgement], Blame]
type Tell = Callable[[str], None]

GOOD_GATES: tuple[GateName, ...] = (*SYNTHESIS, "contract_agrees", "stable", "sealed")
"""Asked of every good task."""
QUICK_GATES: tuple[GateName, ...] = (*SYNTHESIS, "contract_agrees")
"""Asked of good tasks in a quick run."""
QUICK_GOOD: tuple[str, ...] = ("orders", "accounts", "catalog", "logs-tables", "notes-reconcile")
SLOW_KINDS = ("flaky by time", "flaky by order", "flaky by locale", "flaky by chance")
"""Kinds whose gate runs many trials; a quick run leaves them out."""


def quick_defects() -> tuple[Defect, ...]:
    """The first defect of every kind that is not slow; held-out ones only where there is no other.

    What runs every day is what rules get tuned on, so the held-out ones are kept from it.
    """
    chosen: dict[str, Defect] = {}
    for defect in DEFECTS:
        if defect.kind not in SLOW_KINDS:
            chosen.setdefault(defect.kind, defect)
    return tuple(d for d in DEFECTS if d in chosen.values())


def gates_for(defect: Defect) -> tuple[GateName, ...]:
    """The gates of synthesis, and those that this defect needs beyond them."""
    return (*SYNTHESIS, *defect.beyond)


def run_selftest(
    judge: Judge,
    blame: Blaming,
    *,
    defects: Sequence[Defect] = DEFECTS,
    good: Sequence[str] = NAMES,
    good_gates: Sequence[GateName] = GOOD_GATES,
    workers: int = 2,
    tell: Tell = lambda line: None,
) -> Report:
    """Judge all of them, `workers` at a time, in the given order."""
    total = len(defects) + len(good)

    def told(number: int, line: str) -> None:
        tell(f"{number}/{total} {line}")

    errors: list[BaseException] = []  # of ours: the first one ends the run

    def begun[T, R](work: Callable[[T], R], item: T) -> R:
        if errors:
            raise errors[0]
        try:
            return work(item)
        except BaseException as error:
            errors.append(error)
            raise

    one_good = partial(begun, partial(_good, judge, good_gates, told))
    one_defect = partial(begun, partial(_defect, judge, blame, told))
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        goods = pool.map(one_good, enumerate(good, start=1))
        marks = pool.map(one_defect, enumerate(defects, start=len(good) + 1))
        return Report(marks=tuple(marks), good=tuple(goods))
    finally:
        pool.shutdown(cancel_futures=True)  # interrupted: what has begun ends, nothing else begins


def _good(
    judge: Judge,
    gates: Sequence[GateName],
    tell: Callable[[int, str], None],
    item: tuple[int, str],
) -> GoodMark:
    number, name = item
    started = time.monotonic()
    found = _judged(judge, good_task(name), gates)
    done = good_mark(name, found, time.monotonic() - started)
    tell(number, f"good task {name}: {done.status} {done.evidence}".rstrip())
    return done


def _defect(
    judge: Judge,
    blame: Blaming,
    tell: Callable[[int, str], None],
    item: tuple[int, Defect],
) -> Mark:
    number, defect = item
    started = time.monotonic()
    task = defect.task
    found = _judged(judge, task, gates_for(defect))
    done = mark(defect, found, blame(task, found), time.monotonic() - started)
    tell(number, f"{defect.id}: {outcome(done)}")
    return done


def _judged(judge: Judge, task: Task, gates: Sequence[GateName]) -> Judgement:
    """One more try where the engine failed us."""
    found = judge(task, gates)
    if found.deciding is not None and found.deciding.status == "not_assessed":
        found = judge(task, gates)
    return found


def outcome(done: Mark) -> str:
    """One mark in a few words: what is wrong with it, or that nothing is."""
    wrong = [name for name, good in done.right.items() if not good]
    if not wrong:
        return f"right ({done.gate}, {done.artifact}, {done.category})"
    wanted = f"{'/'.join(done.expected_gates)}, {done.expected_artifact}, {done.expected_category}"
    found = f"{done.gate or done.status}, {done.artifact or 'nobody'}, {done.category or 'none'}"
    return f"wrong {' and '.join(wrong)}: found {found} by {done.rule}; planted {wanted}"
