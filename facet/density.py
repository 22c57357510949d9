"""How much a task's checks can tell: counted, dead and effective checks, and what they look at.

Pure. A check that never fails in any state of a judgement is dead and not counted; guards are not
counted either. Checks that always fail together count once among the effective ones.
"""

import ast
from collections.abc import Iterable
from typing import Literal

from facet.check_source import CheckSource, check_sources, find_check, strings
from facet.types.task import Task
from facet.types.trial import Trial
from facet.types.value import Value
from facet.types.verdict import Judgement

CheckClass = Literal["state", "behaviour", "command text"]
HOW = ("solve.sh", ".bash_history", "/solution/")
RUNNERS = ("run", "Popen", "check_output", "check_call", "call", "urlopen", "connect", "system")


class Density(Value):
    """Counts over one judgement; `classes` counts the counted checks."""

    checks: int  # all that were reported
    counted: tuple[str, ...]  # failed in some graded state, and no guard
    dead: tuple[str, ...]  # never failed in any state, and no guard
    guards: tuple[str, ...]
    effective: int  # distinct columns of failures
    classes: dict[CheckClass, int] = {}


def density(task: Task, judgement: Judgement, more: Iterable[Trial] = ()) -> Density:
    """Count over the trials of a judgement and further ones (rollouts, mutants)."""
    trials = [t for t in (*judgement.trials, *more) if t.outcome == "graded"]
    seen = {c.id: c for t in trials for c in t.checks}
    failed = {c.id for t in trials for c in t.failing}
    guards = tuple(id for id, c in seen.items() if c.guard)
    counted = tuple(id for id in seen if id in failed and id not in guards)
    dead = tuple(id for id in seen if id not in failed and id not in guards)
    classes: dict[CheckClass, int] = {}
    sources = check_sources(task.verifier.files)
    for id in counted:
        source = find_check(sources, id)
        if source is not None:
            kind = class_of(source)
            classes[kind] = classes.get(kind, 0) + 1
    return Density(
        checks=len(seen),
        counted=counted,
        dead=dead,
        guards=guards,
        effective=effective_checks(trials),
        classes=classes,
    )


def effective_checks(trials: Iterable[Trial]) -> int:
    """Distinct failure columns: checks that fail in exactly the same trials count once."""
    graded = [t for t in trials if t.outcome == "graded"]
    columns: dict[str, list[int]] = {}
    for number, trial in enumerate(graded):
        for check in trial.failing:
            columns.setdefault(check.id, []).append(number)
    return len({tuple(column) for column in columns.values()})


def class_of(source: CheckSource) -> CheckClass:
    """What a check looks at: the wording of commands, something it runs, or the state left."""
    if any(word in text for _, _, text in strings(source) for word in HOW):
        return "command text"
    for _, node in source.walk():
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            database = name == "connect" and "sqlite3" in ast.unparse(node.func)
            if name in RUNNERS and not database:
                return "behaviour"
    return "state"
