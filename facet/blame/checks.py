"""A check that fails after the solution: which artifact stands alone? Pure.

Each look gives a finding with a weight; the heaviest look of a check counts, and over all failing
checks the artifact with the most weight is blamed. Looks are a table: name, weight, function.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from facet.blame.clues import MISSING_FILE, MISSING_KEY, Clues, Finding, first_match
from facet.blame.manners import (
    all_agree_against,
    contradicted,
    edge_of_text,
    free_words,
    manner_only,
    place_in_object,
)
from facet.blame.told import told_order, told_scale, told_value, unasked_mode
from facet.gates import describe, first_line
from facet.types.task import Artifact
from facet.types.trial import CheckResult
from facet.types.verdict import Category

MOST_CHECKS = 25
TEST_BUGS = (
    "NameError",
    "UnboundLocalError",
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "RecursionError",
    "ZeroDivisionError",
)
"""Errors that no content of a result excuses: a check must fail, not fall over."""
NO_EVIDENCE = 1
"""Weight of a vote that says no more than that the result is another than expected."""
EXECUTABLE = re.compile(r"\b(?:not|no|isn't) (?:an )?executable|Permission denied", re.I)
MANNER_OF_WORK = re.compile(
    r"solve\.sh|/solution\b|\.bash_history|HISTFILE|/proc/\d*|\bps -|\bwhich\b|shutil\.which"
)
EXISTS = re.compile(r"(?:\bexists?\b|is_file|is_dir|missing|not found|No such file|was not)", re.I)


@dataclass(frozen=True)
class Vote:
    """What one failing check says."""

    check: CheckResult
    look: str
    weight: int
    artifact: Artifact
    category: Category
    why: str


def votes(clues: Clues) -> tuple[Vote, ...]:
    """One vote per failing check that some look can settle."""
    oracle = clues.oracle
    found = []
    for check in (oracle.failing if oracle else ())[:MOST_CHECKS]:
        for look, weight, function in LOOKS:
            finding = function(clues, check)
            if finding is not None and finding.artifact is not None:
                found.append(
                    Vote(
                        check=check,
                        look=look,
                        weight=weight,
                        artifact=finding.artifact,
                        category=finding.category or "contract mismatch",
                        why=finding.evidence[0],
                    )
                )
                break
    return tuple(found)


def elect(found: tuple[Vote, ...]) -> Vote | None:
    """The heaviest vote of the artifact with the most weight; ties go to the earlier check.

    Votes without evidence of their own only count where there is no other.
    """
    if not found:
        return None
    telling = tuple(v for v in found if v.weight > NO_EVIDENCE)
    found = telling or found
    weight: dict[Artifact, int] = {}
    for vote in found:
        weight[vote.artifact] = weight.get(vote.artifact, 0) + vote.weight
    most = max(weight.values())
    winner = next(v.artifact for v in found if weight[v.artifact] == most)
    return max((v for v in found if v.artifact == winner), key=lambda v: v.weight)


# ---- looks, the surest first ------------------------------------------------------------------


def _test_bug(clues: Clues, check: CheckResult) -> Finding | None:
    """The check itself is broken code, or lacks a module."""
    kind = first_line(check.message).partition(":")[0].strip()
    if kind not in TEST_BUGS:
        return None
    module = re.search(r"No module named ['\"]?([\w.]+)", check.message)
    if module and clues.tools_told(module[1]):
        why = f"the plan promises module {module[1]}, the container lacks it"
        return Finding((why,), "environment", "infrastructure, build or dependency")
    category: Category = "weak verifier"
    if module:
        category = "infrastructure, build or dependency"
    return Finding((f"the check's own code raises {kind}",), "verifier", category)


def _reachable(clues: Clues, check: CheckResult) -> Finding | None:
    """Another way of solving passes this check, so it can be met."""
    for other in clues.others:
        if any(c.id == check.id and c.status == "passed" for c in other.checks):
            why = f"{other.label or other.actor} passes this check, solve.sh does not"
            return Finding((why,), "solution", "solution runtime")
    return None


def _manner_of_work(clues: Clues, check: CheckResult) -> Finding | None:
    """The check looks at how the work was done, not at what came of it."""
    text = " ".join((check.message, check.expected, *check.paths))
    need = clues.need(check)
    if need:
        text += " ".join(p for p, _ in need.paths) + " ".join(need.literals)
    if not MANNER_OF_WORK.search(text):
        return None
    why = "the check reads how the work was done (script, history or processes)"
    return Finding((why,), "verifier", "over-constrained verifier")


def _missing_path(clues: Clues, check: CheckResult) -> Finding | None:
    """The check does not find a path."""
    named = first_match(MISSING_FILE, check.message)
    if named and not re.search(r"[/.]", named) and "FileNotFoundError" in check.message:
        return _missing_tool(clues, named)
    if EXECUTABLE.search(check.message) and any(clues.world.made(p) for p in check.paths):
        return None
    paths = [clues.whole(named)] if named else []
    bare = check.expected in ("", "True", "is True")
    if not paths and EXISTS.search(check.message) and bare:
        paths = list(check.paths)
    need = clues.need(check)
    if not paths and need and bare:
        paths = [p for p, _ in need.paths if clues.world.made(p) is False]
        if any(clues.world.held(p) is not False for p in paths):
            paths = [p for p in paths if clues.world.held(p) is False]
        paths = [p for p in paths if ":" not in p]  # a search path is no path
    for path in paths:
        if finding := _path_finding(clues, path):
            return finding
    return None


def _missing_tool(clues: Clues, name: str) -> Finding:
    """The check starts a program that is not in the container."""
    if clues.tools_told(name):
        why = f"the task promises {name}, the container lacks it"
        return Finding((why,), "environment", "infrastructure, build or dependency")
    why = f"the check starts {name}, which nobody promised"
    return Finding((why,), "verifier", "infrastructure, build or dependency")


def _not_executable(clues: Clues, check: CheckResult) -> Finding | None:
    """The program is there and cannot be started."""
    made = [p for p in check.paths if clues.world.made(p)]
    if not made or not EXECUTABLE.search(check.message):
        return None
    if not re.search(r"\b(executable|program|script|command)\b", clues.task.instruction.text, re.I):
        return None
    why = f"{made[0]} is to be a program and cannot be started"
    return Finding((why,), "solution", "contract mismatch")


def _path_finding(clues: Clues, path: str) -> Finding | None:
    world = clues.world
    told, scripted = world.told(path), world.scripted(path)
    if world.made(path) is True or (world.held(path) is True and world.made(path) is None):
        return None
    if world.held(path) is True:
        return None  # it was there before: deleted or moved by the solution
    if not clues.is_output(path) and told and (scripted or world.manifest):
        need_env = scripted and not _made_like(clues, path)
        if need_env and not world.held(path):
            why = f"{path} is to be there from the start, and is not"
            return Finding((why,), "environment", "fixture, schema or path grounding")
    if told in ("exact", "parts"):
        why = f"the instruction asks for {path}, the solution does not make it"
        return Finding((why,), "solution", "contract mismatch")
    other = _made_like(clues, path)
    if other and world.told(other) in ("exact", "parts"):
        why = f"instruction and solution say {other}, the verifier reads {path}"
        return Finding((why,), "verifier", "contract mismatch")
    if told or scripted:
        return Finding((f"{path} is told but never made",), "solution", "contract mismatch")
    why = f"only the verifier speaks of {path}"
    return Finding((why,), "verifier", "fixture, schema or path grounding")


def _made_like(clues: Clues, path: str) -> str:
    """A path the solution made that resembles this one: same name, or same folder."""
    oracle = clues.oracle
    made = [c.path for c in (oracle.changes if oracle else ()) if c.change != "deleted"]
    pure = PurePosixPath(path)
    alike: tuple[Callable[[PurePosixPath], bool], ...] = (
        lambda p: p.name == pure.name,
        lambda p: p.parent == pure.parent and p.suffix == pure.suffix,
        lambda p: p.stem == pure.stem,
    )
    for resembles in alike:
        for other in made:
            if other != path and resembles(PurePosixPath(other)):
                return other
    return ""


def _missing_key(clues: Clues, check: CheckResult) -> Finding | None:
    """The check does not find a column or key."""
    key = first_match(MISSING_KEY, check.message)
    if not key:
        return None
    return _key_finding(clues, key)


def _key_finding(clues: Clues, key: str) -> Finding | None:
    world = clues.world
    told, scripted = world.word_told(key), world.word_scripted(key)
    if told and not scripted:
        why = f"the instruction asks for `{key}`, the solution does not write it"
        return Finding((why,), "solution", "contract mismatch")
    if not told and not scripted:
        why = f"only the verifier speaks of `{key}`"
        return Finding((why,), "verifier", "contract mismatch")
    if scripted and told:
        return Finding(
            (f"`{key}` is told but missing in the result",), "solution", "solution runtime"
        )
    why = f"solution and verifier say `{key}`, the instruction does not"
    return Finding((why,), "instruction", "contract mismatch")


def _names(clues: Clues, check: CheckResult) -> Finding | None:
    """A name in the check that only the verifier, or everybody but the solution, speaks of."""
    need = clues.need(check)
    world = clues.world
    names = [
        (n, world.word_told(n), world.word_scripted(n))
        for n in (need.names if need else ())
        if not world.word_held(n) and n not in world.story
    ]
    for name, _, scripted in names:
        if world.name_told(name) and not scripted:
            why = f"the instruction asks for `{name}`, the solution does not speak of it"
            return Finding((why,), "solution", "contract mismatch")
    for name, told, scripted in names:
        if not told and not scripted:
            why = f"only the verifier speaks of `{name}`"
            return Finding((why,), "verifier", "contract mismatch")
    return None


def _unmet_need(clues: Clues, check: CheckResult) -> Finding | None:
    """The contract matrix names a row this check stands or falls with."""
    for wrong in clues.matrix.disagreements:
        row = clues.matrix.row(wrong.kind, wrong.value)
        if row and any(m.check == check.id for m in row.cell("verifier")):
            return Finding((f"{wrong.kind} {wrong.value}: {wrong.why}",), wrong.artifact)
    return None


def _broken_in_both(clues: Clues, check: CheckResult) -> Finding | None:
    """It crashes before and after the work: its own code is off."""
    before = next((c for c in clues.nop.checks if c.id == check.id), None) if clues.nop else None
    if check.status != "error" or before is None or before.status != "error":
        return None
    if first_line(before.message) != first_line(check.message):
        return None
    why = f"crashes alike before and after the work: {first_line(check.message, 120)}"
    return Finding((why,), "verifier", "weak verifier")


def _broken_guard(clues: Clues, check: CheckResult) -> Finding | None:
    """A guard held before the work and does not after it: the work broke it."""
    before = next((c for c in clues.nop.checks if c.id == check.id), None) if clues.nop else None
    if before is None or before.status != "passed":
        return None
    why = "holds on the untouched state, the solution breaks it"
    return Finding((why,), "solution", "solution runtime")


def _other_value(clues: Clues, check: CheckResult) -> Finding | None:
    """The result is there and has another value than a check that reads the inputs expects."""
    if check.status == "error" and not check.actual:
        return None
    if not (check.expected or check.message):
        return None
    why = "the result is there and is another than the check computes"
    return Finding((why,), "solution", "solution runtime")


LOOKS: tuple[tuple[str, int, Callable[[Clues, CheckResult], Finding | None]], ...] = (
    ("test_bug", 5, _test_bug),
    ("guard_broken_by_the_work", 5, _broken_guard),
    ("reachable_by_another_way", 5, _reachable),
    ("manner_of_work", 5, _manner_of_work),
    ("contradicted_by_a_check", 5, contradicted),
    ("cannot_be_started", 4, _not_executable),
    ("path_not_found", 4, _missing_path),
    ("key_not_found", 4, _missing_key),
    ("broken_in_both_states", 4, _broken_in_both),
    ("solutions_agree", 4, all_agree_against),
    ("order_told", 4, told_order),
    ("scale_told", 4, told_scale),
    ("place_in_an_object", 4, place_in_object),
    ("edge_of_a_text", 4, edge_of_text),
    ("manner_only", 4, manner_only),
    ("value_told", 3, told_value),
    ("mode_nobody_asked_for", 3, unasked_mode),
    ("name_in_the_check", 3, _names),
    ("matrix_row", 2, _unmet_need),
    ("words_nobody_used", 2, free_words),
    ("value_differs", 1, _other_value),
)
"""Name, weight and function of every look at a failing check, the surest first."""


def vote_line(vote: Vote) -> str:
    """A vote as one line of evidence."""
    return f"{describe(vote.check)} [{vote.look}: {vote.why}]"
