"""Defects of walked tasks and of the strict gates; the blame rules may be tuned on these."""

from collections.abc import Iterator

from facet.selftest.defect import BUILD, CONTRACT, GROUND, RUNTIME, STRICT, WEAK, Defect
from facet.selftest.edits import (
    body_of,
    check,
    column,
    const,
    context_file,
    first_input,
    moved,
    partial,
    planned,
    solve_last,
    solve_line,
    test_sh,
    tests,
    then,
    told,
    without,
    without_check,
)
from facet.types.manifest import PlannedFile
from facet.types.task import text_file


def tuned_more() -> Iterator[Defect]:
    """All of them."""
    yield from _said()
    yield from _world()
    yield from _verifier()


def _said() -> Iterator[Defect]:
    yield Defect(
        "tables-database",
        "the table is told to go elsewhere",
        "wrong path in instruction",
        "instruction",
        CONTRACT,
        ("contract_agrees",),
        lambda t: told(const(t, "TABLE"), "/var/tmp/table.csv")(t),
    )
    yield Defect(
        "jsondata-archive",
        "the stream is told to lie elsewhere",
        "input instructed elsewhere",
        "instruction",
        GROUND,
        ("contract_agrees",),
        lambda t: told(first_input(t), "/srv/incoming/events.jsonl")(t),
    )
    yield Defect(
        "reconcile-schedule",
        "a column is told under another name",
        "wrong schema",
        "instruction",
        CONTRACT,
        ("contract_agrees",),
        lambda t: told(f"`{column(t, 3)}`", "`grand_total`")(t),
    )
    yield Defect(
        "orders",
        "a solution is a partial of itself",
        "partial proves nothing",
        "solution",
        CONTRACT,
        ("partials_fail",),
        lambda t: partial(t.solution.script)(t),
    )
    yield Defect(
        "archive-history",
        "it exits with an error at the end",
        "wrong value in solution",
        "solution",
        RUNTIME,
        ("solution_runs",),
        solve_last("exit 4"),
    )
    yield Defect(
        "webpages-series",
        "it imports what is not there",
        "undeclared dependency",
        "solution",
        BUILD,
        ("solution_runs",),
        solve_line("import csv\n", "import csv\nimport bs4\n"),
    )


def _world() -> Iterator[Defect]:
    yield Defect(
        "jsondata-archive",
        "the stream is missing",
        "missing fixture",
        "environment",
        GROUND,
        ("initial_fails",),
        lambda t: without(first_input(t))(t),
    )
    yield Defect(
        "reconcile-schedule",
        "the entries lie elsewhere",
        "wrong path in environment",
        "environment",
        GROUND,
        ("initial_fails",),
        lambda t: moved(first_input(t), "/app/bakery/old/entries.psv")(t),
    )
    yield Defect(
        "logs-tables",
        "an instruction of the Dockerfile is misspelt",
        "broken build",
        "environment",
        BUILD,
        ("builds",),
        lambda t: context_file(
            text_file(
                "Dockerfile",
                t.environment.files.text("Dockerfile").replace("COPY [", "COPPY ["),
            )
        )(t),
    )
    yield Defect(
        "notes-reconcile",
        "the solution lies in the image",
        "answer leaked",
        "environment",
        WEAK,
        ("sealed",),
        lambda t: planned(
            PlannedFile(path="/opt/backup/solve.sh", data=t.solution.script.encode())
        )(t),
    )


def _verifier() -> Iterator[Defect]:
    yield Defect(
        "database-config",
        "it reads the refusals elsewhere",
        "wrong path in verifier",
        "verifier",
        CONTRACT,
        ("final_passes",),
        lambda t: tests(
            f"REFUSALS = '{const(t, 'REFUSALS')}'", "REFUSALS = '/app/results/refusals.txt'"
        )(t),
    )
    yield Defect(
        "history-permissions",
        "it wants a page nobody asked for",
        "over-strict check",
        "verifier",
        STRICT,
        ("final_passes",),
        check("layout-readme", 'assert os.path.isfile(LAYOUT + "/README"), "README"'),
    )
    yield Defect(
        "permissions-webpages",
        "a check is true whatever happens",
        "vacuous check",
        "verifier",
        WEAK,
        ("initial_fails",),
        body_of("table-order", "assert COLUMNS"),
    )
    yield Defect(
        "webpages-series",
        "test.sh gives the full reward",
        "no reward",
        "verifier",
        WEAK,
        ("verifier_runs", "initial_fails"),
        test_sh("#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n"),
    )
    yield Defect(
        "accounts",
        "no check is collected",
        "zero checks",
        "verifier",
        WEAK,
        ("verifier_runs",),
        tests("import pytest\n", "import pytest\n\ncollect_ignore = []\n__test__ = False\n"),
    )
    yield Defect(
        "catalog",
        "nothing looks at the usage",
        "weak verifier",
        "verifier",
        WEAK,
        ("partials_fail",),
        without_check("script.usage"),
    )
    yield Defect(
        "tables-database",
        "a check asks for the year",
        "flaky by time",
        "verifier",
        WEAK,
        ("stable",),
        check(
            "table-year",
            "import time\nthere(TABLE)\n"
            "with open('/proc/stat') as stat_file:\n"
            "    booted = next(int(x.split()[1]) for x in stat_file if x.startswith('btime'))\n"
            "age = time.time() - booted\n"
            "assert age < 300 * 86400, 'age'",
        ),
    )
    yield Defect(
        "orders",
        "checks share a list",
        "flaky by order",
        "verifier",
        WEAK,
        ("stable",),
        then(
            tests("import pytest\n", "import pytest\n\nDONE = []\n"),
            *(check(f"report.step{n}", f"assert report()\nDONE.append({n})") for n in range(1, 6)),
            check("report.all", 'assert report()\nassert sorted(DONE) == [1, 2, 3, 4, 5], "steps"'),
        ),
    )
    yield Defect(
        "catalog",
        "a check compares local time",
        "flaky by locale",
        "verifier",
        WEAK,
        ("stable",),
        check(
            "catalog.zone",
            'import time\nassert lines("catalog.csv")\n'
            'assert time.strftime("%z") == "+0000", "zone"',
        ),
    )
