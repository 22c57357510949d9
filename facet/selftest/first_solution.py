"""Defects of the solution, held out until the first run, tuned on since."""

from collections.abc import Iterator

from facet.selftest.defect import BUILD, CONTRACT, GROUND, RUNTIME, Defect, Plant
from facet.selftest.edits import (
    SECOND_HALF,
    const,
    first_half,
    first_input,
    partial,
    solve,
    solve_last,
    solve_line,
)
from facet.types.verdict import Category, GateName


def first_solution() -> Iterator[Defect]:
    """All of them."""

    def sol(
        base: str, slug: str, kind: str, category: Category, gate: GateName, plant: Plant
    ) -> Defect:
        return Defect(base, slug, kind, "solution", category, (gate,), plant)

    yield sol(
        "webpages-series",
        "the table is written to another folder",
        "wrong path in solution",
        CONTRACT,
        "final_passes",
        lambda t: solve(f"TABLE = '{const(t, 'TABLE')}'", "TABLE = '/app/tmp/table.jsonl'")(t),
    )
    yield sol(
        "history-permissions",
        "it reads a repository of its own making up",
        "wrong path in solution",
        GROUND,
        "solution_runs",
        solve("REPOSITORY = '/data/energy/inbox/", "REPOSITORY = '/data/repos/"),
    )
    yield sol(
        "notes-reconcile",
        "a key of the balance has another name",
        "wrong schema",
        CONTRACT,
        "final_passes",
        solve('"agreed":', '"matching":'),
    )
    yield sol(
        "jsondata-archive",
        "it stops after the first half",
        "solution partial",
        CONTRACT,
        "final_passes",
        first_half,
    )
    yield sol(
        "accounts",
        "orphans are copied and not removed",
        "solution partial",
        RUNTIME,
        "final_passes",
        solve("DELETE FROM entry WHERE account NOT IN (SELECT id FROM account);\n", ""),
    )
    yield sol(
        "logs-tables",
        "a mean is rounded where it is to be cut off",
        "wrong value in solution",
        CONTRACT,
        "final_passes",
        solve("mean = total // count", "mean = -(-total // count)"),
    )
    yield sol(
        "database-config",
        "it changes an input",
        "side effect of solution",
        RUNTIME,
        "final_passes",
        lambda t: solve_last(f"echo >> {first_input(t)}")(t),
    )
    yield sol(
        "tables-database",
        "it imports what is not there",
        "undeclared dependency",
        BUILD,
        "solution_runs",
        solve_line("import csv\n", "import csv\nimport pandas\n"),
    )
    yield sol(
        "archive-history",
        "an `if` is never closed",
        "syntax or layout",
        RUNTIME,
        "solution_runs",
        solve_last("if [ -d /app ]; then\n  echo done"),
    )
    yield sol(
        "permissions-webpages",
        "it downloads a style sheet",
        "network needed",
        BUILD,
        "solution_runs",
        solve_line(
            SECOND_HALF,
            f"curl -fsS https://example.org/page.css -o /tmp/page.css\n{SECOND_HALF}",
        ),
    )
    yield sol(
        "reconcile-schedule",
        "the program is left without its execute bit",
        "wrong value in solution",
        CONTRACT,
        "final_passes",
        lambda t: solve_last(f"chmod 0644 {const(t, 'JOB')}")(t),
    )
    yield sol(
        "orders",
        "a partial crashes",
        "partial proves nothing",
        RUNTIME,
        "partials_fail",
        partial("#!/bin/bash\nset -e\nmkdir -p /app/out\ncat /app/data/prices.csv\n"),
    )
    yield sol(
        "catalog",
        "a partial has CRLF line ends",
        "crlf",
        BUILD,
        "loads",
        partial("#!/bin/bash\r\nmkdir -p /app/mirror\r\n"),
    )
