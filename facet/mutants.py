"""Mutants of solve.sh: one step dropped, moved or altered. Bounded, deterministic, never run here.

A good verifier notices each that changes the outcome (gate `mutants_die`). Shell is split by its
grammar in a child process; Python in heredocs and `-c` by its own; a script that no parser survives
is taken line by line. Not covered: files that solve.sh calls.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator

from facet.mutants_python import python_edits
from facet.mutants_shell import Part, shell_parts
from facet.mutants_text import (
    KINDS,
    MODE,
    Edit,
    Kind,
    altered_mode,
    altered_number,
    line_edits,
    path_edits,
    value_edits,
)
from facet.types.task import TextFile
from facet.types.value import Value

MOST_MUTANTS = 200
KEPT = re.compile(
    r"set|shopt|trap|exit|sleep|:|true|export|declare|local|readonly|unset|source|\.|mkdir|umask|cd"
)
"""Steps that are not dropped or moved: without them nothing observable changes, or all crashes."""
TALKS = ("echo", "printf")
FLAGGED = ("sort", "uniq", "grep", "head", "tail")
PYTHON = re.compile(r"python[\d.]*")


class Mutant(Value):
    """One altered solution."""

    kind: Kind
    line: int  # of solve.sh, from 1
    what: str  # one line for people
    script: TextFile

    @property
    def label(self) -> str:
        """Kind, place and a digest: equal labels mean equal scripts."""
        digest = hashlib.sha256(self.script.data).hexdigest()[:8]
        return f"{self.kind} line {self.line} {digest}"


def mutants_of(script: TextFile, limit: int = MOST_MUTANTS) -> tuple[Mutant, ...]:
    """Different mutants, those that tell most first, kinds in turn; never the script itself."""
    data = script.data
    made: dict[bytes, Mutant] = {}
    for edit in _in_turn(edits(data), data):
        new = data[: edit.start] + edit.new + data[edit.end :]
        if new == data or new in made:
            continue
        made[new] = Mutant(
            kind=edit.kind,
            line=data.count(b"\n", 0, edit.start) + 1,
            what=" ".join(edit.what.split())[:200],
            script=script.model_copy(update={"data": new}),
        )
        if len(made) >= limit:
            break
    return tuple(made.values())


def edits(data: bytes, deeper: int = 1) -> list[Edit]:
    """Everything that can be altered in a script, and in `deeper` levels of scripts it writes."""
    first = data.split(b"\n", 1)[0]
    if first.startswith(b"#!") and b"python" in first:
        return python_edits(data)
    parts = shell_parts(data)
    if not parts:
        return [*line_edits(data), *path_edits(data), *value_edits(data)]
    return [
        *_steps(data, [p for p in parts if p.role == "statement"]),
        *(edit for p in parts if p.role == "word" for edit in _word(data, p)),
        *(edit for p in parts if p.role == "heredoc" for edit in _heredoc(data, p, deeper)),
    ]


def _steps(data: bytes, steps: list[Part]) -> Iterator[Edit]:
    for step in steps:
        if not _acts(data, step):
            continue
        told = f"without {_shown(data, step)!r}"
        new = b":"
        if step.inside == "pipeline":
            new = b"cat"
            if data[: step.start].rstrip()[-1:] != b"|":
                continue
        yield Edit(
            kind="drop", start=step.start, end=step.end, new=new, what=told, tier=step.depth > 2
        )
    for first, second in _neighbours(steps):
        if not (_acts(data, first) and _acts(data, second)):
            continue
        moved = data[second.start : second.end] + data[first.end : second.start]
        yield Edit(
            kind="reorder",
            start=first.start,
            end=second.end,
            new=moved + data[first.start : first.end],
            what=f"{_shown(data, second)!r} before {_shown(data, first)!r}",
            tier=first.depth > 2,
        )


def _neighbours(steps: list[Part]) -> Iterator[tuple[Part, Part]]:
    last: dict[tuple[int, str], Part] = {}
    for step in steps:
        if step.inside in ("list", "pipeline", "if_statement"):
            continue
        place = (step.block, step.inside)
        before = last.get(place)
        if before is not None and before.end <= step.start:
            yield before, step
        last[place] = step


def _acts(data: bytes, step: Part) -> bool:
    if step.kind in ("function_definition", "variable_assignment", "declaration_command"):
        return False
    if step.kind == "redirected_statement":
        return True
    if KEPT.fullmatch(step.command) or (step.command in TALKS and step.kind == "command"):
        return False
    return bool(data[step.start : step.end].strip())


def _word(data: bytes, part: Part) -> Iterator[Edit]:
    raw = data[part.start : part.end]
    quote = raw[:1] if raw[:1] in b"'\"" and raw[-1:] == raw[:1] and len(raw) > 1 else b""
    inner = raw[len(quote) : len(raw) - len(quote)] if quote else raw
    at = part.start + len(quote)
    if part.command in ("set", "exit", "sleep", "trap", "shopt", "mktemp"):
        return
    if PYTHON.fullmatch(part.command) and quote == b"'" and b"(" in inner:
        yield from python_edits(inner, at)
        return
    asked = part.command in ("chmod", "install", "umask") and MODE.fullmatch(inner)
    if asked:
        new = altered_mode(inner)
        told = f"mode {inner.decode()} -> {new.decode()}"
        yield Edit(kind="permission", start=at, end=at + len(inner), new=new, what=told, tier=0)
    elif part.command == "chmod" and inner in (b"+x", b"a+x", b"u+x"):
        new = inner.replace(b"+", b"-")
        told = f"{inner.decode()} -> {new.decode()}"
        yield Edit(kind="permission", start=at, end=at + len(inner), new=new, what=told, tier=0)
    elif part.command == "chown" and re.fullmatch(rb"[a-z_][\w-]*(:[\w-]*)?", inner):
        told = f"owner {inner.decode()} -> nobody"
        yield Edit(
            kind="permission", start=at, end=at + len(inner), new=b"nobody", what=told, tier=0
        )
    elif re.fullmatch(rb"\d{1,9}", inner) and not quote:
        new = altered_number(inner)
        told = f"{inner.decode()} -> {new.decode()}"
        yield Edit(kind="value", start=at, end=at + len(inner), new=new, what=told, tier=0)
    elif part.command in FLAGGED and re.fullmatch(rb"-[a-zA-Z]+", inner):
        told = f"{part.command} without {inner.decode()}"
        yield Edit(kind="value", start=part.start, end=part.end, new=b"", what=told, tier=0)
    else:
        writes = part.inside == "file_redirect"
        yield from path_edits(inner, at, 0 if writes else 1)
        if part.kind in ("string", "raw_string") and part.command not in TALKS:
            yield from value_edits(inner, at, 1)


def _heredoc(data: bytes, part: Part, deeper: int) -> Iterator[Edit]:
    body = data[part.start : part.end]
    first = body.split(b"\n", 1)[0]
    if deeper and first.startswith(b"#!") and first.rstrip().endswith(b"sh"):
        for edit in edits(body, deeper - 1):
            place = {"start": part.start + edit.start, "end": part.start + edit.end}
            yield edit.model_copy(update=place)
        return
    if PYTHON.fullmatch(part.command) or (first.startswith(b"#!") and b"python" in first):
        yield from python_edits(body, part.start)
        return
    yield from line_edits(body, part.start, 1)
    yield from value_edits(body, part.start, 1)
    yield from path_edits(body, part.start, 1)


def _shown(data: bytes, part: Part) -> str:
    text = data[part.start : part.end].decode("utf-8", "replace")
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line.strip()[:60] + (" ..." if len(text.splitlines()) > 1 else "")


def _in_turn(found: Iterable[Edit], data: bytes) -> Iterator[Edit]:
    """Kinds in turn; within a kind by tier, then spread over the script by a digest."""
    salt = hashlib.sha256(data).digest()

    def place(edit: Edit) -> tuple[int, bytes]:
        named = f"{edit.kind} {edit.start} {edit.end} ".encode() + edit.new
        return edit.tier, hashlib.sha256(salt + named).digest()

    queues: list[list[Edit]] = [[] for _ in KINDS]
    for edit in found:
        queues[KINDS.index(edit.kind)].append(edit)
    ordered = [sorted(queue, key=place) for queue in queues]
    for turn in range(max((len(queue) for queue in ordered), default=0)):
        for queue in ordered:
            if turn < len(queue):
                yield queue[turn]
