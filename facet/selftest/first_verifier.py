"""Defects of the verifier, held out until the first run, tuned on since."""

from collections.abc import Iterator

from facet.selftest.defect import BUILD, CONTRACT, GROUND, STRICT, WEAK, Defect, Plant
from facet.selftest.edits import (
    body_of,
    check,
    column,
    const,
    test_sh,
    tests,
    then,
    verifier_file,
    without_check,
)
from facet.types.task import Task, TextFile
from facet.types.verdict import Category, GateName


def first_verifier() -> tuple[Defect, ...]:
    """All of them."""
    return (*_says_wrong(), *_breaks(), *_flaky())


def _verifier(
    base: str, slug: str, kind: str, category: Category, gates: tuple[GateName, ...], plant: Plant
) -> Defect:
    return Defect(base, slug, kind, "verifier", category, gates, plant)


def _says_wrong() -> Iterator[Defect]:
    final: tuple[GateName, ...] = ("final_passes",)
    initial: tuple[GateName, ...] = ("initial_fails",)
    yield _verifier(
        "tables-database",
        "it reads the table under another ending",
        "wrong path in verifier",
        CONTRACT,
        final,
        lambda t: tests(f"TABLE = '{const(t, 'TABLE')}'", f"TABLE = '{const(t, 'TABLE')[:-3]}tsv'")(
            t
        ),
    )
    yield _verifier(
        "accounts",
        "it opens a database nobody has",
        "wrong path in verifier",
        GROUND,
        ("initial_fails", "verifier_runs"),
        tests("file:/app/ledger.db?", "file:/app/ledger.sqlite?"),
    )
    yield _verifier(
        "permissions-webpages",
        "a column has another name",
        "wrong schema",
        CONTRACT,
        final,
        lambda t: tests(f"COLUMNS = ['{column(t, 0)}'", "COLUMNS = ['CatalogueCode'")(t),
    )
    yield _verifier(
        "catalog",
        "it wants a certain interpreter",
        "over-strict check",
        STRICT,
        final,
        check(
            "script.python",
            'assert SCRIPT.is_file(), "sync.sh is missing"\n'
            "first = SCRIPT.read_text().splitlines()[0]\n"
            'assert first == "#!/usr/bin/env python3", "interpreter"',
        ),
    )
    yield _verifier(
        "logs-tables",
        "it wants an order that is left free",
        "over-strict check",
        STRICT,
        final,
        check(
            "refusals-order",
            "actual = [line.split('\\t')[0] for line in there(REFUSALS).splitlines()]\n"
            'assert actual == sorted(actual, reverse=True), f"order of {REFUSALS}"',
        ),
    )
    yield _verifier(
        "notes-reconcile",
        "it wants a mode that nobody asks for",
        "over-strict check",
        STRICT,
        final,
        check(
            "differences-mode",
            "there(DIFFERENCES)\n"
            'assert oct(os.stat(DIFFERENCES).st_mode & 0o777) == "0o600", f"mode of {DIFFERENCES}"',
        ),
    )
    yield _verifier(
        "orders",
        "it wants a line break at the end of JSON",
        "over-strict check",
        STRICT,
        final,
        check(
            "report.newline",
            "assert report()\n"
            'assert (OUT / "report.json").read_text().endswith("}\\n"), "end of report.json"',
        ),
    )
    yield _verifier(
        "reconcile-schedule",
        "a check looks at its own expectation",
        "vacuous check",
        WEAK,
        initial,
        body_of("report-sums", 'assert len(ROWS()) > 0, "rows"'),
    )
    yield _verifier(
        "webpages-series",
        "a check swallows its failure",
        "vacuous check",
        WEAK,
        initial,
        body_of(
            "notable-peak",
            "try:\n    assert json.loads(there(NOTABLE))\nexcept AssertionError:\n    pass",
        ),
    )
    yield _verifier(
        "accounts",
        "two checks want two headers",
        "unreachable state",
        CONTRACT,
        final,
        check("export.fields", 'assert lines()[0] == "kind\\towner\\tcents", "fields"'),
    )
    yield _verifier(
        "orders",
        "the total it wants counts a rejected order",
        "unreachable state",
        CONTRACT,
        final,
        tests('assert round(report()["total"], 2) == 460.5', 'assert report()["total"] == 455.5'),
    )
    yield _verifier(
        "accounts",
        "nothing looks at owner and mode",
        "weak verifier",
        WEAK,
        ("partials_fail",),
        then(without_check("export.owner"), without_check("export.mode")),
    )


def _breaks() -> Iterator[Defect]:
    runs: tuple[GateName, ...] = ("verifier_runs",)
    yield _verifier(
        "orders",
        "it reads a result while it loads",
        "crashing verifier",
        WEAK,
        runs,
        tests(
            'OUT = Path("/app/out")\n',
            'OUT = Path("/app/out")\nFOUND = json.loads((OUT / "report.json").read_text())\n',
        ),
    )
    yield _verifier(
        "database-config",
        "a check ends the process",
        "crashing verifier",
        WEAK,
        runs,
        check("last", "os._exit(3)"),
    )
    yield _verifier(
        "archive-history",
        "a check divides by zero after the work",
        "crashing verifier",
        WEAK,
        ("final_passes",),
        check(
            "table-share",
            "lines = there(TABLE).splitlines()\nempty = [line for line in lines if not line]\n"
            'assert len(lines) / len(empty) > 0, "share"',
        ),
    )
    yield _verifier(
        "jsondata-archive",
        "it imports what the runner does not have",
        "undeclared dependency",
        BUILD,
        runs,
        tests("import csv\n", "import csv\nimport numpy\n"),
    )
    yield _verifier(
        "tables-database",
        "a check calls a tool that is not there",
        "undeclared dependency",
        BUILD,
        ("final_passes",),
        check(
            "table-lint",
            "there(TABLE)\ncode, out, err = run('csvlint', TABLE)\nassert code == 0, 'csvlint'",
        ),
    )
    yield _verifier(
        "history-permissions",
        "test.sh has CRLF line ends",
        "crlf",
        BUILD,
        ("loads",),
        _crlf_test_sh,
    )
    yield _verifier(
        "permissions-webpages",
        "a bracket is never closed",
        "syntax or layout",
        BUILD,
        ("loads",),
        tests("def there(path):", "def there(path:"),
    )
    yield _verifier(
        "webpages-series",
        "it fetches what it expects",
        "network needed",
        BUILD,
        runs,
        tests(
            "import pytest\n",
            "import pytest\nfrom urllib.request import urlopen\n\n"
            'WANTED = urlopen("http://example.org/expected.json", timeout=5).read()\n',
        ),
    )
    yield _verifier(
        "reconcile-schedule",
        "test.sh installs its test runner",
        "network needed",
        BUILD,
        runs,
        test_sh(
            "#!/bin/bash\nset -e\npython3 -m pip install -q pytest-json-ctrf==0.3.5\n"
            'exec "$FACET_RUNNER" /tests\n'
        ),
    )
    yield _verifier(
        "logs-tables",
        "no function is called test_",
        "zero checks",
        WEAK,
        runs,
        tests("\ndef test_", "\ndef check_"),
    )
    yield _verifier(
        "notes-reconcile",
        "every check is skipped",
        "zero checks",
        WEAK,
        ("verifier_runs", "initial_fails"),
        tests(
            "import pytest\n", 'import pytest\n\npytestmark = pytest.mark.skip(reason="later")\n'
        ),
    )
    yield _verifier(
        "database-config",
        "test.sh runs nothing",
        "no reward",
        WEAK,
        runs,
        test_sh("#!/bin/bash\necho all good\n"),
    )
    yield _verifier(
        "catalog",
        "two reward files disagree",
        "no reward",
        WEAK,
        runs,
        test_sh(
            "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\necho '{\"reward\": 0}' >"
            " /logs/verifier/reward.json\n"
        ),
    )


def _crlf_test_sh(task: Task) -> Task:
    old = task.verifier.files.get("test.sh")
    if old is None:
        raise ValueError("the verifier has no test.sh")
    data = old.data.replace(b"\n", b"\r\n")
    return verifier_file(TextFile(path="test.sh", data=data, executable=True))(task)


def _flaky() -> Iterator[Defect]:
    stable: tuple[GateName, ...] = ("stable",)
    yield _verifier(
        "archive-history",
        "a check fails when the machine was not started this year",
        "flaky by time",
        WEAK,
        stable,
        check(
            "table-recent",
            "import time\nthere(TABLE)\n"
            "with open('/proc/stat') as stat_file:\n"
            "    booted = next(int(x.split()[1]) for x in stat_file if x.startswith('btime'))\n"
            "assert time.time() - booted < 365 * 86400, 'written long after the start'",
        ),
    )
    yield _verifier(
        "permissions-webpages",
        "a check needs what earlier checks left behind",
        "flaky by order",
        WEAK,
        stable,
        _leans_on_others,
    )
    yield _verifier(
        "jsondata-archive",
        "a check holds in one time zone only",
        "flaky by locale",
        WEAK,
        stable,
        check(
            "table-midnight",
            "import time\nthere(TABLE)\n"
            "assert time.localtime(0)[3] == 0, 'hour of the first second'",
        ),
    )
    yield _verifier(
        "logs-tables",
        "a check throws dice",
        "flaky by chance",
        WEAK,
        ("final_passes", "stable"),
        check(
            "table-sample",
            "import random\nthere(TABLE)\nassert random.random() < 0.4, 'sample'",
        ),
    )


def _leans_on_others(task: Task) -> Task:
    steps: list[Plant] = [tests("import pytest\n", "import pytest\n\nSEEN = []\n")]
    steps += [
        check(f"page-{n}", f"assert there(PAGE), 'page'\nSEEN.append({n})") for n in range(1, 6)
    ]
    steps.append(check("page-all", "there(PAGE)\nassert len(SEEN) == 5, 'pages seen'"))
    return then(*steps)(task)
