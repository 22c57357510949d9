"""Does a rewrite make the verifier easier to satisfy?  A repair may not.

Two looks: at the source (checks removed or loosened, guards added, fewer asserts, skips, swallowed
errors, partial solutions dropped), and at what ran (a probe that failed must still fail). Checks
that the complaint names may change in manner, never vanish or lose their last assertion. Pure.
"""

import ast
from collections.abc import Collection

from facet.check_source import CheckSource, check_sources
from facet.types.task import Solution, Task, Verifier
from facet.types.trial import Trial
from facet.types.value import Value
from facet.types.verdict import Judgement

PROBING = ("nop", "partial", "mutant", "probe")


class Strictness(Value):
    """How hard a check is to satisfy, counted over everything it reaches."""

    asserts: int = 0  # assert statements that can fail, raises of AssertionError, pytest.fail
    exact: int = 0  # comparisons with == in them
    escapes: int = 0  # skips, expected failures, swallowed errors, `or` and early returns in tests
    weight: float = 1.0
    guard: bool = False


def weakened(before: Task, after: Task, named: Collection[str] = ()) -> tuple[str, ...]:
    """Why the rewrite weakens the proof; empty when it does not.

    `named` are the ids of the checks the complaint speaks of.
    """
    return (
        *_verifier_weakened(before.verifier, after.verifier, frozenset(named)),
        *_solution_weakened(before.solution, after.solution),
    )


def revived(before: Judgement, after: Judgement) -> tuple[str, ...]:
    """Probes that were graded and failed before, and now get the full reward."""
    failed = {_key(t) for t in before.trials if _failed(t)}
    return tuple(
        f"{t.actor} {t.label}".strip() + " used to fail and now scores full reward"
        for t in after.trials
        if _key(t) in failed and t.full
    )


def strictness(source: CheckSource) -> Strictness:
    """Count what makes this check strict."""
    asserts = exact = escapes = 0
    for _, node in source.walk():
        if isinstance(node, ast.Assert):
            asserts += not _always_true(node.test)
            exact += sum(
                isinstance(op, ast.Eq)
                for inner in ast.walk(node.test)
                if isinstance(inner, ast.Compare)
                for op in inner.ops
            )
            escapes += sum(
                isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or)
                for inner in ast.walk(node.test)
            )
        elif isinstance(node, ast.Raise) and "AssertionError" in ast.dump(node):
            asserts += 1
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            asserts += called == "pytest.fail"
            escapes += called in ("pytest.skip", "pytest.xfail", "pytest.importorskip")
        elif isinstance(node, ast.ExceptHandler):
            escapes += not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    for decorator in source.node.decorator_list:
        escapes += any(word in ast.unparse(decorator) for word in ("skip", "xfail"))
    escapes += sum(isinstance(node, ast.Return) for node in ast.walk(source.node))
    return Strictness(
        asserts=asserts, exact=exact, escapes=escapes, weight=source.weight, guard=source.guard
    )


def _verifier_weakened(before: Verifier, after: Verifier, named: frozenset[str]) -> tuple[str, ...]:
    if before == after:
        return ()
    old = {s.id: s for s in check_sources(before.files)}
    new = {s.id: s for s in check_sources(after.files)}
    reasons = [f"check {id} was removed" for id in old if id not in new]
    for id, source in old.items():
        if id in new:
            reasons += _check_weakened(id, strictness(source), strictness(new[id]), id in named)
    return tuple(reasons)


def _check_weakened(id: str, old: Strictness, new: Strictness, named: bool) -> list[str]:
    reasons = []
    if new.asserts == 0 < old.asserts:
        reasons.append(f"check {id} asserts nothing any more")
    elif not named:
        if new.asserts < old.asserts:
            reasons.append(f"check {id} has {new.asserts} asserts, it had {old.asserts}")
        if new.exact < old.exact:
            reasons.append(f"check {id} was loosened: {new.exact} exact comparisons of {old.exact}")
        if new.guard and not old.guard:
            reasons.append(f"check {id} was made a guard")
        if new.weight < old.weight:
            reasons.append(f"check {id} weighs {new.weight:g}, it weighed {old.weight:g}")
    if new.escapes > old.escapes:
        reasons.append(f"check {id} got a way out (skip, swallowed error, `or` or early return)")
    return reasons


def _solution_weakened(before: Solution, after: Solution) -> tuple[str, ...]:
    if len(after.partials) >= len(before.partials):
        return ()
    return (f"{len(before.partials) - len(after.partials)} partial solutions were dropped",)


def _always_true(test: ast.expr) -> bool:
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(_always_true(value) for value in test.values)
    return isinstance(test, ast.Tuple) and bool(test.elts)


def _failed(trial: Trial) -> bool:
    return trial.actor in PROBING and trial.outcome == "graded" and not trial.full


def _key(trial: Trial) -> tuple[str, str]:
    return trial.actor, trial.label
