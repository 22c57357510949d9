"""What an actor's script leaves behind, and whether two of them left the same.

Bytes are compared by what they mean where that is known: JSON by value, SQLite by its dump, HTML by
start tags and text, other text without trailing blanks. The rest by hash, mode, owner and kind
(`facet.statediff`). A git repository counts by trees, messages, authors and references, since the
names of its objects follow from the time. The text of a program says nothing by itself: what it
does is in the state. Not covered: processes, ports, tmpfs and volumes.
"""

import hashlib
import json
import re
from html.parser import HTMLParser

from facet.errors import BuildError, EngineError
from facet.judge import Bench
from facet.sandbox.base import Sandbox
from facet.statediff import Difference, FinalState, StateEntry, differences, final_state, varying
from facet.trial import ActorSpec, look_after
from facet.types.value import Value

MOST_READ = 60  # files whose meaning is looked at
LONGEST_READ = 400_000  # bytes of one
LONGEST_PAGE = 100_000  # characters
PROGRAMS = (".py", ".sh", ".pl", ".rb", ".js", ".awk", ".c", ".go", ".rs")
SQLITE = b"SQLite format 3\0"
DUMP = """\
import sqlite3, sys
for line in sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True).iterdump():
    print(line)
"""


HTML = re.compile(r"\s*(<!doctype html|<html)", re.I)


REPOSITORY = re.compile(r"(/.*?\.git)(?:/|$)")
MOST_REPOSITORIES = 5
LOG = ("log", "--all", "--date-order", "--format=%T %s %an %ae %D")


class _Page(HTMLParser):
    """Start tags with their attributes, and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.told: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.told.append(f"<{tag} {sorted(attrs, key=str)}>")

    def handle_data(self, data: str) -> None:
        self.told += data.split()


class Observed(Value):
    """The final state of one actor; `meanings` by path, as digests."""

    state: FinalState
    meanings: dict[str, str] = {}
    programs: frozenset[str] = frozenset()  # paths of scripts


def observed(bench: Bench, actor: ActorSpec) -> Observed | None:
    """Run the script once more and look. None when that cannot be done. Raises EngineError."""
    image = bench.realized().image
    return look_after(bench.engine, image, bench.task, actor, _look)


def _look(sandbox: Sandbox) -> Observed | None:
    try:
        state = final_state(sandbox)
    except BuildError:
        return None  # no Python in there to look with
    files = [e.path for e in state.entries if e.kind == "file" and not repository(e.path)]
    files = files[:MOST_READ]
    meanings: dict[str, str] = {}
    programs = set()
    for path in files:
        try:
            data = sandbox.read(path, max_bytes=LONGEST_READ)
        except (OSError, ValueError):
            continue
        meanings[path] = _meaning(sandbox, path, data)
        if data.startswith(b"#!") or path.endswith(PROGRAMS):
            programs.add(path)
    found = sorted({r for e in state.entries if (r := repository(e.path))})
    for path in found[:MOST_REPOSITORIES]:
        meanings[path] = _history(sandbox, path)
    return Observed(state=state, meanings=meanings, programs=frozenset(programs))


def _meaning(sandbox: Sandbox, path: str, data: bytes) -> str:
    if not data.startswith(SQLITE):
        return meaning(data)
    try:
        done = sandbox.exec(["python3", "-I", "-c", DUMP, path], timeout_s=60, user="0:0")
    except EngineError:
        return ""
    whole = done.ok and not done.stdout.bytes_cut
    return _digest("sqlite", done.stdout.text) if whole else ""


def repository(path: str) -> str:
    """The `.git` folder that a path is or lies in, "" if none."""
    found = REPOSITORY.match(path)
    return found[1] if found else ""


def _history(sandbox: Sandbox, path: str) -> str:
    command = ["git", "-c", "safe.directory=*", f"--git-dir={path}", *LOG]
    try:
        done = sandbox.exec(command, timeout_s=60, user="0:0")
    except EngineError:
        return ""
    whole = done.ok and not done.stdout.bytes_cut
    return _digest("git", done.stdout.text) if whole else ""


def meaning(data: bytes) -> str:
    """Equal for equal JSON, and for text that differs in trailing blanks only; "" if unknown."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    try:
        if text[:1] in ("{", "["):
            return _digest("json", json.dumps(json.loads(text), sort_keys=True))
    except (ValueError, RecursionError):
        pass
    if HTML.match(text) and len(text) <= LONGEST_PAGE:
        try:
            return _digest("html", "\n".join(_Page(text).told))
        except (AssertionError, ValueError):
            return ""  # what the parser makes of broken declarations
    return _digest("text", "\n".join(line.rstrip() for line in text.rstrip().splitlines()))


def telling(oracle: Observed, again: Observed, other: Observed) -> tuple[Difference, ...] | None:
    """How `other` differs from the oracle, less what two oracle runs differ in; None = unknown."""
    if not (oracle.state.complete and again.state.complete and other.state.complete):
        return None
    loose = varying(oracle.state, again.state)
    found = differences(oracle.state, other.state, without=loose)
    files = tuple(d for d in found if not repository(d.path) and not _same(d, oracle, other))
    return (*files, *_histories(oracle, again, other))


def _histories(oracle: Observed, again: Observed, other: Observed) -> tuple[Difference, ...]:
    """Repositories whose history differs, less those that differ in any two runs."""
    kinds = (oracle.meanings, again.meanings, other.meanings)
    paths = sorted({p for known in kinds for p in known if repository(p) == p})
    out = []
    for path in paths:
        one, two, three = (known.get(path, "") for known in kinds)
        if one == two and one != three:
            left, right = (
                StateEntry(path=path, kind="dir", sha256=digest.removeprefix("git "))
                if digest
                else None
                for digest in (one, three)
            )
            out.append(Difference(path=path, left=left, right=right))
    return tuple(out)


def is_program_text(found: Difference, one: Observed, two: Observed) -> bool:
    """Do they differ only in what is written in a program that both have?"""
    return _alike(found) and found.path in one.programs and found.path in two.programs


def _same(found: Difference, one: Observed, two: Observed) -> bool:
    known = one.meanings.get(found.path)
    return _alike(found) and bool(known) and known == two.meanings.get(found.path)


def _alike(found: Difference) -> bool:
    """Files of one mode and owner on both sides."""
    left, right = found.left, found.right
    if left is None or right is None or left.kind != "file" or right.kind != "file":
        return False
    return (left.mode, left.owner) == (right.mode, right.owner)


def _digest(kind: str, text: str) -> str:
    return f"{kind} {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"
