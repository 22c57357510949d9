"""Is the value a check expects, or the one it found, stated by instruction or scenario? Pure."""

import re

from facet.blame.clues import Clues, Finding
from facet.blame.differences import DOWN, SCALES, differing, is_monotone, scale, value_of
from facet.contract.words import says_word
from facet.types.trial import CheckResult

NUMBERED = r"\b(?:code|status|exits?|mode|port|exactly|version|limit|at least|at most)"
"""Words after which a small number means something."""


def told_value(clues: Clues, check: CheckResult) -> Finding | None:
    """The instruction (or the scenario) states one of the two values."""
    if not check.expected:
        return None
    text = clues.task.instruction.text
    for where, name in (
        ("\n".join(clues.world.spans), "instruction"),
        (text, "instruction"),
        (clues.world.story, "scenario"),
    ):
        expected, actual = differing(check.expected, check.actual)
        wanted, found = _share(expected, where), _share(actual, where)
        if wanted is None or not where:
            continue
        if wanted == 1.0 and (found is None or found < 1.0):
            why = f"the {name} states what the check expects: {check.expected[:80]}"
            return Finding((why,), "solution", "contract mismatch")
        if found == 1.0 and wanted < 1.0:
            why = f"the {name} states what the solution gives: {check.actual[:80]}"
            return Finding((why,), "verifier", "contract mismatch")
    return _told_number(check, text)


def _told_number(check: CheckResult, text: str) -> Finding | None:
    """Small numbers only count where the text says what they are (`exit code 2`)."""
    wanted, found = value_of(check.expected), value_of(check.actual)
    if not (type(wanted) is int and type(found) is int):
        return None
    said = {n for n in (wanted, found) if re.search(rf"{NUMBERED}\W{{1,3}}{n}\b", text, re.I)}
    if said == {wanted}:
        why = f"the instruction states {wanted}, the result is {found}"
        return Finding((why,), "solution", "contract mismatch")
    if said == {found}:
        why = f"the instruction states {found}, the check wants {wanted}"
        return Finding((why,), "verifier", "contract mismatch")
    return None


def _share(shown: str, text: str) -> float | None:
    """Share of a value's telling parts that a text states; None when nothing in it is telling."""
    parts = [p for p in _parts(value_of(shown)) if len(p) >= 3 or (p.isdigit() and len(p) == 2)]
    if not parts or len(parts) > 40:
        return None
    return sum(any(says_word(text, form) for form in _forms(p)) for p in parts) / len(parts)


def _forms(part: str) -> tuple[str, ...]:
    """Ways to write the same: modes as 0o640, 0640 and 640."""
    if re.fullmatch(r"0o[0-7]{3,4}", part):
        return part, "0" + part[2:], part[2:]
    return (part,)


def _parts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [str(k) for k in value]
    if isinstance(value, list | tuple | set):
        return [str(v).strip() for v in value if isinstance(v, str | int | float)]
    if isinstance(value, bool) or value is None:
        return []
    return [str(value).strip()]


def told_scale(clues: Clues, check: CheckResult) -> Finding | None:
    """Hundredths or decimals: what does the instruction say where it speaks of this file?"""
    wanted = scale(check.expected, check.actual)
    if wanted is None:
        return None
    other = "decimals" if wanted == "hundredths" else "hundredths"
    for text in (*(clues.world.nearby(p) for p in check.paths), clues.task.instruction.text):
        mine, theirs = SCALES[wanted].search(text), SCALES[other].search(text)
        if bool(mine) == bool(theirs):
            continue
        if mine:
            return Finding((f"numbers are to be {wanted}",), "solution", "contract mismatch")
        return Finding((f"numbers are to be {other}",), "verifier", "contract mismatch")
    return None


def told_order(clues: Clues, check: CheckResult) -> Finding | None:
    """The check wants plain order where the instruction asks for another, or for none."""
    wanted, found = value_of(check.expected), value_of(check.actual)
    if not (is_monotone(check.expected) and isinstance(wanted, list) and isinstance(found, list)):
        return None
    if sorted(map(repr, wanted)) != sorted(map(repr, found)) or not check.paths:
        return None
    text = clues.world.nearby(check.paths[0])
    if not text:
        return None
    if not re.search(r"\b(sort\w*|order\w*|ascending|alphabetical\w*)\b", text, re.I):
        why = f"nobody asks for an order in {check.paths[0]}"
        return Finding((why,), "verifier", "over-constrained verifier")
    if DOWN.search(text) and wanted == sorted(wanted):
        why = "the instruction asks for the largest or newest first, the check for plain order"
        return Finding((why,), "verifier", "contract mismatch")
    return None


def unasked_mode(clues: Clues, check: CheckResult) -> Finding | None:
    """The check wants a mode that nobody asked for."""
    world = clues.world
    modes = re.findall(r"0o[0-7]{3,4}", check.expected)
    if not modes or any(
        world.word_told(form) or form in world.story for m in modes for form in _forms(m)
    ):
        return None
    why = f"nobody asks for mode {modes[0][2:]}"
    return Finding((why,), "verifier", "over-constrained verifier")
