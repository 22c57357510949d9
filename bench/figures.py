"""The arithmetic of the benchmark and its tables. Pure; seconds are wall clock."""

from collections.abc import Mapping, Sequence
from statistics import median

from facet.types.value import Value

FLOOR, OURS = "floor", "facet"
BEST, PLAIN, STOCK = "harbor best", "harbor stock", "harbor stock, no STOPSIGNAL"
WAYS: Mapping[str, str] = {
    OURS: "facet validate DIR --json, as a process",
    BEST: "one job for both agents (-c job.yaml, -n 2), STOPSIGNAL SIGKILL set",
    PLAIN: "two jobs, one per agent, settings as they come; the folders as exported",
    STOCK: "two jobs, one per agent, settings as they come; our STOPSIGNAL line taken out",
    FLOOR: "build + test + solve + test, in a container that is already running",
}
"""Every way that is measured, in the order in which a round takes them."""


class Lap(Value):
    """One way, once, over all tasks."""

    way: str
    round: int
    seconds: float
    valid: tuple[tuple[str, bool | None], ...] = ()  # per task; None = no verdict came of it


class Row(Value):
    """One way over all rounds."""

    way: str
    seconds: float  # median lap
    per_task: float
    times_facet: float | None  # how many times facet's lap this one took
    times_floor: float | None
    laps: tuple[float, ...]


def rows(laps: Sequence[Lap], tasks: int) -> tuple[Row, ...]:
    """A row per way that was measured, in the order of `WAYS`. `tasks` is at least 1."""
    by_way = {way: tuple(lap.seconds for lap in laps if lap.way == way) for way in WAYS}
    middle = {way: median(found) for way, found in by_way.items() if found}
    return tuple(
        Row(
            way=way,
            seconds=round(seconds, 2),
            per_task=round(seconds / tasks, 2),
            times_facet=ratio(seconds, middle.get(OURS)),
            times_floor=ratio(seconds, middle.get(FLOOR)),
            laps=tuple(round(s, 2) for s in by_way[way]),
        )
        for way, seconds in middle.items()
    )


def ratio(seconds: float, base: float | None) -> float | None:
    """`seconds` / `base` to two places; None where there is nothing to compare with."""
    return round(seconds / base, 2) if base else None


def disagreements(laps: Sequence[Lap]) -> tuple[str, ...]:
    """One line per task on whose validity two laps that give verdicts differ."""
    said: dict[str, dict[str, bool | None]] = {}
    for lap in laps:
        for name, valid in lap.valid:
            said.setdefault(name, {})[f"{lap.way}, round {lap.round}"] = valid
    words = {True: "valid", False: "invalid", None: "no verdict"}
    return tuple(
        f"{name}: " + "; ".join(f"{where}: {words[valid]}" for where, valid in found.items())
        for name, found in sorted(said.items())
        if len(set(found.values())) > 1
    )


class Part(Value):
    """Where our time goes: one kind of work, summed over all tasks of a lap."""

    name: str
    seconds: float
    calls: int


def shares(parts: Sequence[Part], pace: float) -> tuple[tuple[str, float, int, float], ...]:
    """(name, seconds a task, calls a task rounded, share of all work), longest first.

    `pace` is the number of tasks; parts overlap in time (two trials run at once), so shares are of
    the work, not of the clock.
    """
    total = sum(p.seconds for p in parts) or 1.0
    ordered = sorted(parts, key=lambda p: -p.seconds)
    return tuple(
        (p.name, round(p.seconds / pace, 3), round(p.calls / pace), round(p.seconds / total, 3))
        for p in ordered
    )


def table(head: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    """Columns aligned by spaces; None is "-", numbers stand to the right."""
    cells = [list(head)] + [["-" if c is None else str(c) for c in line] for line in lines]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    number = [
        bool(lines) and all(isinstance(line[i], int | float | None) for line in lines)
        for i in range(len(head))
    ]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, number, strict=True)
        ).rstrip()
        for row in cells
    )
