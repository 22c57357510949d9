"""Defects of the solution, written after the rules; no rule is tuned on them."""

from collections.abc import Iterator

from facet.selftest.defect import BUILD, CONTRACT, GROUND, RUNTIME, Defect, Plant
from facet.selftest.edits import (
    const,
    first_half,
    first_input,
    partial,
    solve,
    solve_last,
    solve_line,
)
from facet.types.verdict import Category, GateName

FINAL: GateName = "final_passes"
RUNS: GateName = "solution_runs"
FIRST = "set -euo pipefail\n"


def held_out_solution() -> Iterator[Defect]:
    """All of them."""
    for base, slug, kind, category, gate, plant in ROWS:
        yield Defect(base, slug, kind, "solution", category, (gate,), plant, held_out=True)


def elsewhere(name: str, old: str, new: str) -> Plant:
    """The constant of this name in solve.sh with another path."""
    return solve(f"{name} = Path('{old}", f"{name} = Path('{new}")


ROWS: tuple[tuple[str, str, str, Category, GateName, Plant], ...] = (
    (
        "service-logs",
        "it asks at another port",
        "wrong path in solution",
        RUNTIME,
        RUNS,
        solve("127.0.0.1:8112", "127.0.0.1:8211"),
    ),
    (
        "service-logs",
        "the logs go to another folder",
        "wrong path in solution",
        CONTRACT,
        FINAL,
        lambda t: elsewhere("EVENTS", const(t, "EVENTS"), "/opt/helpdesk/reports/logs")(t),
    ),
    (
        "series-notes",
        "the pages go to another folder",
        "wrong path in solution",
        CONTRACT,
        FINAL,
        lambda t: elsewhere("PAGES", const(t, "PAGES"), "/app/bakery/out/pages")(t),
    ),
    (
        "config-jsondata",
        "the lookup has another name",
        "wrong path in solution",
        CONTRACT,
        FINAL,
        lambda t: elsewhere("LOOKUP", const(t, "LOOKUP"), "/srv/library/export/lookup.json")(t),
    ),
    (
        "tables-database",
        "it reads an export of its own making up",
        "wrong path in solution",
        GROUND,
        RUNS,
        lambda t: solve(f"'{first_input(t)}'", "'/opt/helpdesk/raw/export-2024.txt'")(t),
    ),
    (
        "series-notes",
        "a key of the front matter has another name",
        "wrong schema",
        CONTRACT,
        FINAL,
        solve("'items' + f", "'entries' + f"),
    ),
    (
        "webpages-series",
        "a key of the facts has another name",
        "wrong schema",
        CONTRACT,
        FINAL,
        solve('"peak_day"', '"best_day"'),
    ),
    (
        "config-jsondata",
        "amounts are numbers where they are to be strings",
        "wrong value in solution",
        CONTRACT,
        FINAL,
        solve(
            "def shown(value):\n    return decimal(value)", "def shown(value):\n    return value"
        ),
    ),
    (
        "config-jsondata",
        "letters are escaped",
        "wrong value in solution",
        CONTRACT,
        FINAL,
        solve("json.dump(document, out, ensure_ascii=False", "json.dump(document, out"),
    ),
    (
        "notes-reconcile",
        "small differences are listed as well",
        "wrong value in solution",
        CONTRACT,
        FINAL,
        solve("TOLERANCE = 25", "TOLERANCE = 0"),
    ),
    (
        "jsondata-archive",
        "the packed files have another mode",
        "wrong value in solution",
        CONTRACT,
        FINAL,
        solve("MODE = '0600'", "MODE = '0644'"),
    ),
    (
        "history-permissions",
        "the folders end up with another owner",
        "wrong value in solution",
        CONTRACT,
        FINAL,
        lambda t: solve_last(f"chown -R root:root {const(t, 'LAYOUT')}")(t),
    ),
    (
        "permissions-webpages",
        "rows above the limit are not marked",
        "wrong value in solution",
        CONTRACT,
        FINAL,
        solve("value >= HIGH", "value > 10 * HIGH"),
    ),
    (
        "service-logs",
        "it stops after the first half",
        "solution partial",
        CONTRACT,
        FINAL,
        first_half,
    ),
    (
        "archive-history",
        "it stops after the first half",
        "solution partial",
        CONTRACT,
        FINAL,
        first_half,
    ),
    (
        "service-logs",
        "it removes an input",
        "side effect of solution",
        RUNTIME,
        FINAL,
        lambda t: solve_last(f"rm {first_input(t)}")(t),
    ),
    (
        "logs-tables",
        "it sorts an input in its place",
        "side effect of solution",
        RUNTIME,
        FINAL,
        lambda t: solve_last(f"sort -r -o {first_input(t)} {first_input(t)}")(t),
    ),
    (
        "reconcile-schedule",
        "it imports what is not there",
        "undeclared dependency",
        BUILD,
        RUNS,
        solve_line("import csv\n", "import csv\nimport requests\n"),
    ),
    (
        "archive-history",
        "it calls a tool that is not there",
        "undeclared dependency",
        BUILD,
        RUNS,
        solve_line(FIRST, f"{FIRST}xsv --version\n"),
    ),
    (
        "series-notes",
        "it downloads a template",
        "network needed",
        BUILD,
        RUNS,
        solve_line(
            FIRST, f"{FIRST}curl -fsSL http://templates.example.com/page.md -o /tmp/page.md\n"
        ),
    ),
    (
        "service-logs",
        "a line has a CRLF end",
        "crlf",
        BUILD,
        "loads",
        solve(FIRST, FIRST[:-1] + "\r\n"),
    ),
    (
        "config-jsondata",
        "a bracket is never closed",
        "syntax or layout",
        RUNTIME,
        RUNS,
        solve("groups = sorted({", "groups = sorted(({"),
    ),
    (
        "jsondata-archive",
        "its last command fails",
        "solution partial",
        RUNTIME,
        RUNS,
        solve_last("grep -q finished /etc/hostname"),
    ),
    (
        "webpages-series",
        "a partial crashes",
        "partial proves nothing",
        RUNTIME,
        "partials_fail",
        partial("#!/bin/bash\nset -e\ncp /opt/helpdesk/old/series.csv /opt/helpdesk/\n"),
    ),
    (
        "reconcile-schedule",
        "a partial is the whole",
        "partial proves nothing",
        CONTRACT,
        "partials_fail",
        lambda t: partial(t.solution.script + "\n")(t),
    ),
    (
        "orders",
        "it gives up long after the start of the machine",
        "flaky by time",
        RUNTIME,
        "stable",
        solve_last(
            "started=$(awk '/^btime/ {print $2}' /proc/stat)\n"
            "[ $(( $(date +%s) - started )) -lt 31536000 ] || exit 9"
        ),
    ),
)
