"""Small alterations of text: values, operators, paths, modes. Pure; positions are bytes."""

import re
from collections.abc import Iterator
from typing import Literal

from facet.types.value import Value

type Kind = Literal["drop", "reorder", "value", "path", "permission"]
KINDS: tuple[Kind, ...] = ("drop", "value", "path", "permission", "reorder")
"""How a mutant differs, in the order they are chosen from."""

WATCHED = re.compile(rb"/(app|srv|etc|opt|var|home|root|data|workspace|usr/local|mnt|work)(/|$)")
"""Paths that tasks speak of; /tmp, /dev, /proc and the system's own programs are left alone."""
PATH = re.compile(rb"/[\w.@%+-]+(?:/[\w.@%+-]+)*")
MODE = re.compile(rb"0?[0-7]{3}")
SWAPS: tuple[tuple[bytes, bytes], ...] = (
    (rb"<=(?![<=])", b"<"),
    (rb">=(?![>=])", b">"),
    (rb"==", b"!="),
    (rb"!=", b"=="),
    (rb"\bNOT IN\b", b"IN"),
    (rb"\bDESC\b", b"ASC"),
    (rb"\bASC\b", b"DESC"),
    (rb"\bAND\b", b"OR"),
    (rb"\bDISTINCT ", b""),
    (rb"\bSUM\(", b"MAX("),
    (rb"\bMAX\(", b"MIN("),
    (rb"\bCOUNT\(", b"SUM("),
    (rb"\btrue\b", b"false"),
    (rb"\bfalse\b", b"true"),
    (rb"\byes\b", b"no"),
    (rb"\bno\b(?=[\s;]*$)", b"yes"),
)
NUMBER = re.compile(rb"(?<![\w.$#%&<>\\/-])(?:[1-9]\d{0,8}|0)(?![\w.%:/\\-])")
MOST = 60  # alterations of one text


class Edit(Value):
    """Replace the bytes from `start` to `end`."""

    kind: Kind
    start: int
    end: int
    new: bytes
    what: str  # for people
    tier: int = 1  # 0 = tells most, chosen first


def altered_path(path: bytes) -> bytes:
    """The path of a neighbour that nobody asked for."""
    head, slash, name = path.rpartition(b"/")
    stem, dot, ending = name.rpartition(b".")
    return head + slash + (stem + b"-other" + dot + ending if stem else name + b"-other")


def altered_mode(mode: bytes) -> bytes:
    """Executable -> not; otherwise writable by everybody (or, if it is, readable by nobody)."""
    bits = int(mode, 8)
    new = bits & ~0o111 if bits & 0o111 else bits | 0o066
    if new == bits:
        new = bits & ~0o066
    digits = oct(new)[2:].rjust(3, "0").encode()
    return digits.rjust(len(mode), b"0")


def altered_number(number: bytes) -> bytes:
    """The next one."""
    return str(int(number) + 1).encode()


def path_edits(data: bytes, at: int = 0, tier: int = 1) -> Iterator[Edit]:
    """Every watched path of a text, made another; `at` is where the text stands."""
    for found in list(PATH.finditer(data))[:MOST]:
        if found.start() and data[found.start() - 1 : found.start()] in b"\\<:.}*":
            continue
        if not WATCHED.match(found[0]) or found[0].count(b"/") < 2:
            continue
        shown = found[0].decode("ascii", "replace")
        new = altered_path(found[0])
        yield Edit(
            kind="path",
            start=at + found.start(),
            end=at + found.end(),
            new=new,
            what=f"{shown} -> {new.decode('ascii', 'replace')}",
            tier=tier,
        )


def value_edits(data: bytes, at: int = 0, tier: int = 1) -> Iterator[Edit]:
    """Numbers and operators of a text, altered."""
    hits: list[tuple[int, int, bytes]] = []
    for found in NUMBER.finditer(data):
        hits.append((found.start(), found.end(), altered_number(found[0])))
    for pattern, new in SWAPS:
        for found in re.finditer(pattern, data):
            hits.append((found.start(), found.end(), new))
    for start, end, new in sorted(hits)[:MOST]:
        old = data[start:end].decode("utf-8", "replace")
        what = f"{old.strip()} -> {new.decode('utf-8', 'replace').strip() or 'nothing'}"
        yield Edit(kind="value", start=at + start, end=at + end, new=new, what=what, tier=tier)


def line_edits(data: bytes, at: int = 0, tier: int = 1) -> Iterator[Edit]:
    """Every line of a text that says something, dropped."""
    place = 0
    lines = data.split(b"\n")
    for line in lines[:MOST]:
        told = line.strip()
        if told and not told.startswith(b"#") and len(lines) > 2:
            shown = told.decode("utf-8", "replace")[:60]
            end = min(place + len(line) + 1, len(data))
            yield Edit(
                kind="drop",
                start=at + place,
                end=at + end,
                new=b"",
                what=f"without the line {shown!r}",
                tier=tier,
            )
        place += len(line) + 1
