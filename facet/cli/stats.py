"""`facet stats`: the funnel of a run, what it cost, and why everything else fell out."""

from collections import Counter
from typing import Annotated

import typer

from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    notice,
    open_workspace,
    result,
    result_json,
    table,
)
from facet.errors import InputError
from facet.funnel import Funnel
from facet.store import Store


def stats(
    run: Annotated[
        str, typer.Option("--run", help="Run id (default: the latest; 'all' = everything).")
    ] = "",
    drops: Annotated[
        int, typer.Option("--drops", help="How many dropped items to list one by one.", min=0)
    ] = 50,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the funnel of a run, with the reason of every drop.

    Example: facet stats --run 20260101-demo --drops 200
    """
    with Store.open(open_workspace(workspace, create=False), wait_s=0) as store:
        notice(store)
        runs = store.runs()
        chosen = "" if run == "all" or not runs else run or runs[0].run
        if chosen and all(r.run != chosen for r in runs):
            raise InputError(
                f"no run {chosen!r} here: `facet sql 'SELECT run FROM runs'` lists them"
            )
        numbers = store.funnel(chosen)
        row = next((r for r in runs if r.run == chosen), None)
        calls = store.calls(chosen)
        health = store.health()
    if as_json:
        result_json(
            {
                "run": row.to_json() if row else None,
                "funnel": numbers.to_json(),
                "calls": [c.to_json() for c in calls],
                "journal": health.to_json(),
            }
        )
        return
    if row:
        result(f"run {row.run}: {row.status}, model {row.model}, order {row.order}")
    rows = [
        (s.unit, s.name, s.count, _share(s.count, s.of), s.first_time, s.after_repair, s.meaning)
        for s in numbers.steps
    ]
    result(table(rows, ("unit", "step", "count", "of", "first time", "repaired", "meaning")))
    _print_drops(numbers, drops)
    if calls:
        cost = [(c.role, c.calls, c.cached, c.failed, _dollars(c.dollars)) for c in calls]
        result("\n" + table(cost, ("model call", "calls", "cached", "failed", "dollars")))
    if health.skipped or health.unknown:
        result(f"\njournal: {health.skipped} torn lines skipped, {health.unknown} unknown records")
    result("\n" + summary(numbers))


def _print_drops(numbers: Funnel, limit: int) -> None:
    if not numbers.drops:
        return
    count = Counter((d.unit, d.step) for d in numbers.drops)
    result("\n" + table([(u, s, n) for (u, s), n in sorted(count.items())], ("dropped", "by", "n")))
    if limit:
        shown = [(d.unit, d.id, d.step, d.reason[:160]) for d in numbers.drops[:limit]]
        result("\n" + table(shown, ("dropped", "which", "by", "reason")))
        if len(numbers.drops) > limit:
            result(f"… and {len(numbers.drops) - limit} more: --drops N or --json")


def summary(numbers: Funnel) -> str:
    """The last line: seeds, valid tasks, what is open."""
    seeds, valid = numbers.step("seed", "accepted"), numbers.step("seed", "valid")
    skills = numbers.step("skill", "kept")
    parts = [
        f"{skills.count} of {skills.of} skills kept",
        f"{valid.count} of {seeds.count} seeds became valid tasks "
        f"({valid.first_time} first time, {valid.after_repair} after repair)",
        f"{len(numbers.drops)} dropped with a reason",
    ]
    if numbers.working:
        parts.append(f"{numbers.working} not ended")
    return ", ".join(parts)


def _share(count: int, of: int) -> str:
    return f"{of} ({count / of:.0%})" if of else "0"


def _dollars(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"
