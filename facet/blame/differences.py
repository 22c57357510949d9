"""How two values differ: in manner (order, case, spaces, rounding, type) or in substance. Pure.

Values come as text, usually Python reprs; what does not parse is compared as text.
"""

import ast
import math
import re
from typing import Any, Literal

Manner = Literal["order", "case", "spaces", "rounding", "type", "extra", "substance"]

REGULATES: dict[Manner, re.Pattern[str]] = {
    "order": re.compile(
        r"\b(sort(?:ed|ing)?|order(?:ed)?|ascending|descending|alphabetical\w*|newest|oldest"
        r"|largest|smallest|highest|lowest|first|chronological\w*)\b",
        re.I,
    ),
    "case": re.compile(r"\b(lower|upper|capital\w*)[ -]?case\w*|\bcase\b|\bcapitali[sz]ed\b", re.I),
    "spaces": re.compile(
        r"\b(newline|line break|trailing|whitespace|blank|indent\w*|spaces?)\b", re.I
    ),
    "rounding": re.compile(
        r"\b(round\w*|decimals?|digits?|places|precision|hundredths|cents)\b", re.I
    ),
    "type": re.compile(r"\b(strings?|integers?|numbers?|numeric|quoted|floats?)\b", re.I),
    "extra": re.compile(r"\b(only|exactly|nothing else|no other|no further)\b", re.I),
}
"""Words by which an instruction settles a manner; without them it left the choice free."""

NUMERAL = re.compile(r"-?\d+\.\d+")
SCALES = {
    "hundredths": re.compile(r"\b(hundredths|cents)\b", re.I),
    "decimals": re.compile(r"\b(decimals?|after a point|decimal places)\b", re.I),
}
CUTS = re.compile(r"\b(cut off|truncat\w+|not rounded|round\w* down|floor\w*)\b", re.I)
LONGEST = 20_000
DOWN = re.compile(
    r"\b(descending|(?:newest|largest|highest|latest) first|high(?:est)? to low)", re.I
)
UP = re.compile(r"\b(ascending|alphabetical\w*|(?:oldest|smallest|lowest) first)", re.I)
SORTED = re.compile(r"\bsort(?:ed)?\b", re.I)  # ascending unless said otherwise


def value_of(text: str) -> Any:
    """The value a repr stands for; the text itself where it is none."""
    if len(text) > LONGEST:
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return text


def manner(expected: str, actual: str) -> Manner:
    """What kind of difference lies between two shown values."""
    left, right = value_of(expected), value_of(actual)
    return _manner(left, right)


def _manner(left: Any, right: Any) -> Manner:
    if _number(left) and _number(right):
        return "rounding" if _close(float(left), float(right)) else "substance"
    if isinstance(left, str) and isinstance(right, str):
        return _text_manner(left, right)
    if isinstance(left, str) != isinstance(right, str) and str(left) == str(right):
        return "type"
    if isinstance(left, dict) and isinstance(right, dict):
        return _dict_manner(left, right)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return _list_manner(list(left), list(right))
    if isinstance(left, set) and isinstance(right, set) and left < right:
        return "extra"
    if _number_text(left) is not None and _number_text(left) == _number_text(right):
        return "type"
    return "substance"


def _text_manner(left: str, right: str) -> Manner:
    if "".join(left.split()) == "".join(right.split()):
        return "spaces"
    if left.split() != right.split() and left.lower().split() == right.lower().split():
        return "case"
    lines, others = left.splitlines(), right.splitlines()
    if len(lines) > 1 and sorted(lines) == sorted(others):
        return "order"
    one, two = _number_text(left), _number_text(right)
    if one is not None and two is not None and _close(one, two):
        return "rounding"
    words, theirs = re.split(r"[\s,;]+", left), re.split(r"[\s,;]+", right)
    if len(words) == len(theirs) and words != theirs:
        pairs = [(a, b) for a, b in zip(words, theirs, strict=True) if a != b]
        numbers = [(_number_text(a), _number_text(b)) for a, b in pairs]
        if all(a is not None and b is not None and _close(a, b) for a, b in numbers):
            return "rounding"
    return "substance"


def _dict_manner(left: dict[Any, Any], right: dict[Any, Any]) -> Manner:
    if all(k in right and right[k] == v for k, v in left.items()) and len(right) > len(left):
        return "extra"
    if left.keys() != right.keys():
        return "substance"
    kinds = {_manner(left[k], right[k]) for k in left if left[k] != right[k]}
    return kinds.pop() if len(kinds) == 1 else "substance"


def _list_manner(left: list[Any], right: list[Any]) -> Manner:
    key = repr
    if sorted(left, key=key) == sorted(right, key=key):
        return "order"
    if len(left) != len(right):
        return "substance"
    kinds = {_manner(a, b) for a, b in zip(left, right, strict=True) if a != b}
    return kinds.pop() if len(kinds) == 1 else "substance"


def regulated(kind: Manner, instruction: str) -> bool:
    """Does the instruction settle this manner?"""
    pattern = REGULATES.get(kind)
    return pattern is not None and pattern.search(instruction) is not None


def keeps_order(shown: str, instruction: str) -> bool | None:
    """Are these values in the order the instruction asks for? None = cannot tell."""
    value = value_of(shown)
    if isinstance(value, str):
        value = value.split("\n")
    if not isinstance(value, list | tuple) or len(value) < 2:
        return None
    down, up = DOWN.search(instruction), UP.search(instruction)
    if (down and up) or not (down or up or SORTED.search(instruction)):
        return None
    try:
        ordered = sorted(value, reverse=bool(down))
    except TypeError:
        return None
    return list(value) == ordered


def differing(expected: str, actual: str) -> tuple[str, str]:
    """The parts of two shown values that differ, where both have the same shape."""
    left, right = value_of(expected), value_of(actual)
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        keys = [k for k in left if left[k] != right[k]]
        return repr([left[k] for k in keys]), repr([right[k] for k in keys])
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
        return repr([a for a, _ in pairs]), repr([b for _, b in pairs])
    return expected, actual


def scale(expected: str, actual: str) -> Literal["hundredths", "decimals"] | None:
    """What the check expects, where all numbers differ by a factor of one hundred."""
    left, right = (value_of(part) for part in differing(expected, actual))
    pairs = _number_pairs(left, right)
    if not pairs:
        return None
    if all(math.isclose(a, b * 100) for a, b in pairs):
        return "hundredths"
    return "decimals" if all(math.isclose(a * 100, b) for a, b in pairs) else None


def _number_pairs(left: Any, right: Any) -> list[tuple[float, float]]:
    if not (isinstance(left, list) and isinstance(right, list) and len(left) == len(right)):
        left, right = [left], [right]
    pairs = [(_number_text(a), _number_text(b)) for a, b in zip(left, right, strict=True)]
    good = [(a, b) for a, b in pairs if a is not None and b is not None and a != 0]
    return good if len(good) == len(pairs) else []


def is_monotone(shown: str) -> bool:
    """Is this a list in plain ascending or descending order?"""
    value = value_of(shown)
    if not isinstance(value, list) or len(value) < 3:
        return False
    try:
        return value in (sorted(value), sorted(value, reverse=True))
    except TypeError:
        return False


def is_cut(expected: str, actual: str, instruction: str) -> bool | None:
    """Where numbers are to be cut off, not rounded: is the actual value the cut one?

    None where nothing is to be cut, or where they differ by more than one in the last place.
    """
    if not CUTS.search(instruction):
        return None
    wanted, found = NUMERAL.findall(expected), NUMERAL.findall(actual)
    pairs = [(a, b) for a, b in zip(wanted, found, strict=False) if a != b]
    if not pairs or len(wanted) != len(found):
        return None
    last = [1.01 * 10.0 ** -len(a.partition(".")[2]) for a, _ in pairs]
    gaps = [abs(float(b)) - abs(float(a)) for a, b in pairs]
    if any(abs(gap) > one for gap, one in zip(gaps, last, strict=True)):
        return None
    if all(gap < 0 for gap in gaps):
        return True
    return False if all(gap > 0 for gap in gaps) else None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number_text(value: Any) -> float | None:
    try:
        number = float(str(value).strip().rstrip("%").replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _close(left: float, right: float) -> bool:
    """Equal after rounding to two places, or within a hundredth of a percent."""
    if float(left).is_integer() and float(right).is_integer():
        return left == right
    return math.isclose(left, right, rel_tol=1e-4, abs_tol=0.00501)
