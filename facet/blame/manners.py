"""Does a check ask for a manner that nobody settled, or against what others settled? Pure."""

import ast
import re

from facet.blame.clues import Clues, Finding
from facet.blame.differences import REGULATES, is_cut, keeps_order, manner, regulated, value_of
from facet.types.trial import CheckResult

SHORTEST_TEXT = 6  # characters of a text that two checks cannot both speak of by chance
PLACE = re.compile(r"\b(?:list|tuple)\(.{1,80}\)\[-?\d+\]|\bnext\(iter\(")
FREE_ORDER = re.compile(
    r"\b(any order|order (?:does not matter|is free|is not important)|no particular order)", re.I
)


def manner_only(clues: Clues, check: CheckResult) -> Finding | None:
    """Expected and actual differ in manner only: is the manner settled?"""
    if not check.expected or not check.actual:
        return None
    kind = manner(check.expected, check.actual)
    text = clues.task.instruction.text
    near = "\n".join(clues.world.nearby(p) for p in check.paths[:3])
    if kind == "order" and FREE_ORDER.search(near):
        why = "differs in order only, which the instruction leaves free for this file"
        return Finding((why,), "verifier", "over-constrained verifier")
    cut = is_cut(check.expected, check.actual, text)
    if cut is not None:
        why = f"numbers are to be cut off; {'the check' if cut else 'the solution'} rounds them"
        return Finding((why,), "verifier" if cut else "solution", "contract mismatch")
    if kind == "substance":
        return None
    if kind == "order" and regulated(kind, text):
        right, wanted = keeps_order(check.actual, text), keeps_order(check.expected, text)
        if right and wanted is False:
            why = "the solution keeps the order that the instruction asks for"
            return Finding((why,), "verifier", "over-constrained verifier")
    if regulated(kind, text):
        found = REGULATES[kind].search(text)
        why = f"differs in {kind}, which the instruction settles ({found[0] if found else ''})"
        return Finding((why,), "solution", "contract mismatch")
    why = f"differs in {kind} only, which the instruction leaves free"
    return Finding((why,), "verifier", "over-constrained verifier")


def contradicted(clues: Clues, check: CheckResult) -> Finding | None:
    """Another check passes by wanting the very text that this one refuses."""
    actual = value_of(check.actual)
    oracle = clues.oracle
    if not isinstance(actual, str) or len(actual) < SHORTEST_TEXT or oracle is None:
        return None
    for other in oracle.checks:
        need = clues.need(other) if other.status == "passed" else None
        if need and repr(actual)[:400] in need.literals:
            why = f"check {other.id} wants {check.actual[:80]}, this one refuses it"
            return Finding((why,), "verifier", "contract mismatch")
    return None


def place_in_object(clues: Clues, check: CheckResult) -> Finding | None:
    """The check asks at which place of an object a name stands."""
    source = clues.source(check)
    expected, actual = value_of(check.expected), value_of(check.actual)
    if not (isinstance(expected, str) and isinstance(actual, str) and PLACE.search(source)):
        return None
    world = clues.world
    if not (world.name_told(expected) and world.name_told(actual)):
        return None
    why = f"asks whether `{expected}` stands before `{actual}`, which nobody settles"
    return Finding((why,), "verifier", "over-constrained verifier")


def edge_of_text(clues: Clues, check: CheckResult) -> Finding | None:
    """The check wants a blank or a bracket at the edge of a text that nobody speaks of."""
    if not re.search(r"\b(ends|starts)with\b", check.message):
        return None
    edges = [
        node.args[0].value
        for node in ast.walk(ast.parse(clues.source(check)))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("endswith", "startswith")
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]
    text = clues.task.instruction.text
    if not edges or any(re.search(r"\w", e) for e in edges) or regulated("spaces", text):
        return None
    why = f"wants {edges[0]!r} at the edge of a text, which nobody asks for"
    return Finding((why,), "verifier", "over-constrained verifier")


def free_words(clues: Clues, check: CheckResult) -> Finding | None:
    """The check wants words that nobody else ever used."""
    expected = check.expected.removeprefix("contains ").removeprefix("does not contain ")
    value = value_of(expected)
    if not isinstance(value, str) or not (words := re.findall(r"[A-Za-z]{4,}", value)):
        return None
    world = clues.world
    known = [
        w
        for w in words
        if world.word_told(w) or world.word_scripted(w) or world.word_held(w) or w in world.story
    ]
    if len(known) == len(words):
        return None
    strange = next(w for w in words if w not in known)
    return Finding(
        (f"only the verifier speaks of “{strange}”",), "verifier", "over-constrained verifier"
    )


def all_agree_against(clues: Clues, check: CheckResult) -> Finding | None:
    """Independent solutions give the same value, the check wants another."""
    same = [
        c
        for t in clues.others
        if t.actor == "alternative"
        for c in t.checks
        if c.id == check.id and c.status == "failed" and c.actual == check.actual
    ]
    if not same or not check.actual:
        return None
    why = f"{len(same) + 1} solutions agree on {check.actual[:80]}"
    return Finding((why,), "verifier", "over-constrained verifier")
