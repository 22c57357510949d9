"""The observable final state of a container, and what differs between two of them.

A state is what differs from the image: path, type, mode, owner, link target and content hash. Times
are left out, so are places that differ in any two runs (`NOISE`). A mutant whose state equals the
oracle's, less what differs between two oracle runs, changed nothing anybody can observe. Not
covered: processes, ports, tmpfs and volumes. The container's own Python looks: end the processes of
an actor that is not trusted first, and take no verdict of trust from it.
"""

import re
from collections.abc import Collection
from typing import Literal

from facet.probe import MAX_PATHS, Question, probe
from facet.sandbox.base import Sandbox
from facet.types.value import Value

NOISE = re.compile(
    r"/(proc|sys|dev|tmp|run|var/tmp|var/run|var/log/facet|logs|tests|solution|oracle)(/|$)"
    r"|/facet-[0-9a-f]{8,}(/|$)|/facet-probe-|(^|.*/)__pycache__(/|$)|.*\.pyc$"
    r"|(^|.*/)\.(bash_history|viminfo|lesshst|python_history|wget-hsts|sqlite_history)$"
    r"|/etc/(hosts|hostname|resolv\.conf|mtab)$|/var/cache/|/var/lib/apt/lists/"
)
"""Paths whose content says nothing about the work."""


class StateEntry(Value):
    """One path that differs from the image."""

    path: str
    kind: Literal["file", "dir", "link", "other", "gone"]
    mode: str = ""
    owner: str = ""  # user:group
    sha256: str = ""  # of a file; "" if it could not be read
    target: str = ""  # of a link


class FinalState(Value):
    """Everything that differs from the image, sorted by path."""

    entries: tuple[StateEntry, ...]
    complete: bool = True  # False: more paths changed than are looked at

    def by_path(self) -> dict[str, StateEntry]:
        """Entries by path."""
        return {entry.path: entry for entry in self.entries}


class Difference(Value):
    """A path on which two states disagree; None = as in the image there."""

    path: str
    left: StateEntry | None
    right: StateEntry | None

    @property
    def line(self) -> str:
        """One line for people."""
        return f"{self.path}: {_short(self.left)} | {_short(self.right)}"


def final_state(sandbox: Sandbox, *, limit: int = MAX_PATHS) -> FinalState:
    """Look at every changed path of a running container.

    Raises EngineError (ours) or BuildError (the container cannot be looked into).
    """
    changed = [c for c in sandbox.changes(limit=20 * limit) if not NOISE.match(c.path)]
    complete = len(changed) <= limit
    changed = changed[:limit]
    there = tuple(c.path for c in changed if c.change != "deleted")
    seen = probe(sandbox, Question(paths=there, heads=0)).files if there else {}
    entries = []
    for change in changed:
        found = seen.get(change.path)
        if found is None:
            entries.append(StateEntry(path=change.path, kind="gone"))
            continue
        entries.append(
            StateEntry.model_validate(
                {
                    "path": change.path,
                    "kind": found.kind,
                    "mode": found.mode if found.kind != "link" else "",
                    "owner": f"{found.owner}:{found.group}",
                    "sha256": found.sha256,
                    "target": found.target,
                }
            )
        )
    return FinalState(
        entries=tuple(sorted(entries, key=lambda entry: entry.path)), complete=complete
    )


def differences(
    left: FinalState, right: FinalState, *, without: Collection[str] = ()
) -> tuple[Difference, ...]:
    """Paths on which the states disagree, sorted, less `without`.

    A folder that one state merely touched (its own mode and owner as the other found them) is no
    difference; a file that could not be read equals nothing.
    """
    one, two = left.by_path(), right.by_path()
    out = []
    for path in sorted({*one, *two}):
        a, b = one.get(path), two.get(path)
        if path in without or (a == b and not _unread(a)):
            continue
        if (a is None and b and b.kind == "dir" and _holds(path, two)) or (
            b is None and a and a.kind == "dir" and _holds(path, one)
        ):
            continue  # listed only because of what lies in it, which is compared itself
        out.append(Difference(path=path, left=a, right=b))
    return tuple(out)


def varying(first: FinalState, second: FinalState) -> frozenset[str]:
    """Paths that differ between two runs of the same actor: no evidence of anything."""
    return frozenset(d.path for d in differences(first, second))


def equivalent(left: FinalState, right: FinalState, *, without: Collection[str] = ()) -> bool:
    """The same observable state? False where either was too large to be looked at whole."""
    whole = left.complete and right.complete
    return whole and not differences(left, right, without=without)


def _holds(path: str, entries: dict[str, StateEntry]) -> bool:
    inside = path.rstrip("/") + "/"
    return any(other.startswith(inside) for other in entries)


def _unread(entry: StateEntry | None) -> bool:
    return entry is not None and entry.kind == "file" and not entry.sha256


def _short(entry: StateEntry | None) -> str:
    if entry is None:
        return "as in the image"
    words = [entry.kind, entry.mode, entry.owner, entry.sha256[:12], entry.target]
    return " ".join(word for word in words if word)
