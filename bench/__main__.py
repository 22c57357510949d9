"""`python -m bench`: measure, print ratios. Exit code 1 only where verdicts differ."""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bench import harbor
from bench.disk import left_after
from bench.figures import (
    BEST,
    FLOOR,
    OURS,
    PLAIN,
    STOCK,
    WAYS,
    Lap,
    disagreements,
    rows,
    shares,
    table,
)
from bench.ours import floor, parts, validated
from bench.tasks import MOST, chosen, write
from facet.base_images import base_ready, ensure_runner
from facet.errors import FacetError
from facet.sandbox.docker import DockerEngine
from facet.types.task import Task

LABEL = "bench"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as asked; prints to stdout, progress to stderr."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--tasks", type=int, default=10, help=f"how many (1 to {MOST}, 10)")
    parser.add_argument("--rounds", type=int, default=3, help="laps of every way (3)")
    parser.add_argument("--no-harbor", action="store_true", help="only us and the floor")
    parser.add_argument("--disk", type=int, metavar="N", help="only: what N laps of ours leave")
    parser.add_argument("--json", action="store_true", help="one JSON value on stdout")
    asked = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="facet-bench-") as folder:
            if asked.disk:
                return disk(Path(folder), asked.tasks, asked.disk, as_json=asked.json)
            command = None if asked.no_harbor else harbor.command()
            return measure(Path(folder), asked.tasks, asked.rounds, command, as_json=asked.json)
    except FacetError as error:
        print(f"bench: {error}", file=sys.stderr)
        return error.exit_code


def disk(folder: Path, count: int, laps: int, *, as_json: bool) -> int:
    """Print what `laps` validations of each task leave behind."""
    plain, _ = write(chosen(count), folder)
    left = left_after(plain, folder / "workspace", laps)
    if as_json:
        print(json.dumps(left.to_json()))
        return 0
    print(f"after {left.validations} validations ({machine()}):")
    for name, size in (
        ("image layers of this Docker server", left.layers_bytes),
        ("volumes of this Docker server", left.volumes_bytes),
        ("workspace", left.workspace_bytes),
    ):
        print(f"  {name}: {size / 2**20:+.1f} MiB")
    print(
        f"  with our label: {left.containers} containers, {left.networks} networks,"
        f" {left.images} images"
    )
    return 0


def measure(folder: Path, count: int, rounds: int, command: Path | None, *, as_json: bool) -> int:
    """Rounds of every way, one after another, then where our time goes."""
    tasks = chosen(count)
    plain, slow = write(tasks, folder)
    before = machine()
    laps: list[Lap] = []
    with closing(DockerEngine(LABEL)) as engine:
        base_ready(engine)
        engine.reap()
        ensure_runner(engine)
        for number in range(1, rounds + 1):
            for way, lap in ways(engine, tasks, plain, slow, folder / str(number), command):
                print(f"round {number} of {rounds}: {way}", file=sys.stderr)
                seconds, valid = lap()
                laps.append(Lap(way=way, round=number, seconds=seconds, valid=valid))
        clock, spent = parts(engine, tasks)
    measured, differ = rows(laps, count), disagreements(laps)
    if as_json:
        report = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": [before, machine()],
            "tasks": count,
            "rounds": rounds,
            "ways": [row.to_json() for row in measured],
            "parts": {"clock_s": round(clock, 3), "work": [p.to_json() for p in spent]},
            "verdicts_differ": differ,
        }
        print(json.dumps(report, indent=1))
        return 1 if differ else 0
    print(f"{count} tasks, {rounds} rounds; at the start {before}, at the end {machine()}\n")
    head = ("way", "seconds", "a task", "x facet", "x floor", "laps")
    lines = [
        (r.way, r.seconds, r.per_task, r.times_facet, r.times_floor, " ".join(map(str, r.laps)))
        for r in measured
    ]
    print(table(head, lines) + "\n")
    print("\n".join(f"{way}: {text}" for way, text in WAYS.items()) + "\n")
    print(f"where our time goes ({clock / count:.2f} s a task by the clock, in one process):\n")
    print(table(("work", "s a task", "calls", "share"), shares(spent, count)) + "\n")
    print("\n".join(differ) or f"all ways that give verdicts agree on all {count} tasks")
    return 1 if differ else 0


type Given = tuple[float, tuple[tuple[str, bool | None], ...]]
type Way = tuple[str, Callable[[], Given]]


def ways(
    engine: DockerEngine,
    tasks: Sequence[Task],
    plain: Path,
    slow: Path,
    scratch: Path,
    command: Path | None,
) -> list[Way]:
    """Name and lap of every way, in the order of one round."""
    names = harbor.names(plain)

    def by_harbor(run: Callable[[Path, Path, Path], float], folder: Path, jobs: Path) -> Given:
        assert command is not None
        try:
            seconds = run(command, folder, jobs)
            return seconds, harbor.verdicts(jobs, names)
        finally:
            harbor.forget(jobs)

    found: list[Way] = [(OURS, lambda: validated(plain, scratch / "workspace"))]
    if command is not None:
        found += [
            (BEST, lambda: by_harbor(harbor.one_job, plain, scratch / "best")),
            (PLAIN, lambda: by_harbor(harbor.two_jobs, plain, scratch / "plain")),
            (STOCK, lambda: by_harbor(harbor.two_jobs, slow, scratch / "stock")),
        ]
    found.append((FLOOR, lambda: (sum(floor(engine, task) for task in tasks), ())))
    return found


def machine() -> str:
    """Time, cores and load, which explain every figure."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{time.strftime('%H:%M', time.gmtime())} UTC, {os.cpu_count()} cores, load {load}"


if __name__ == "__main__":
    sys.exit(main())
