"""Defects of the verifier, written after the rules; no rule is tuned on them."""

from collections.abc import Iterator

from facet.selftest.defect import BUILD, CONTRACT, STRICT, WEAK, Defect, Plant
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
from facet.types.task import TextFile
from facet.types.verdict import Category, GateName

type Gates = tuple[GateName, ...]

FINAL: Gates = ("final_passes",)
NOP: Gates = ("initial_fails",)
RUNS: Gates = ("verifier_runs",)
STABLE: Gates = ("stable",)
LOADS: Gates = ("loads",)


def held_out_verifier() -> Iterator[Defect]:
    """All of them."""
    for base, slug, kind, category, gates, plant in (*SAYS_WRONG, *BREAKS):
        yield Defect(base, slug, kind, "verifier", category, gates, plant, held_out=True)


SAYS_WRONG: tuple[tuple[str, str, str, Category, Gates, Plant], ...] = (
    (
        "service-logs",
        "it reads the alerts under another name",
        "wrong path in verifier",
        CONTRACT,
        FINAL,
        lambda t: tests(
            f"ALERTS = '{const(t, 'ALERTS')}'", "ALERTS = '/opt/helpdesk/reports/alarm.txt'"
        )(t),
    ),
    (
        "config-jsondata",
        "it reads the document in another folder",
        "wrong path in verifier",
        CONTRACT,
        FINAL,
        lambda t: tests(
            f"DOCUMENT = '{const(t, 'DOCUMENT')}'", "DOCUMENT = '/srv/library/export/tree.json'"
        )(t),
    ),
    (
        "catalog",
        "it looks at another mirror",
        "wrong path in verifier",
        CONTRACT,
        FINAL,
        tests('MIRROR = Path("/app/mirror")', 'MIRROR = Path("/app/copy")'),
    ),
    (
        "config-jsondata",
        "a column has another name",
        "wrong schema",
        CONTRACT,
        FINAL,
        lambda t: tests(f"'{column(t, 3)}', '{column(t, 4)}']", f"'{column(t, 3)}', 'book_name']")(
            t
        ),
    ),
    (
        "accounts",
        "a query names a column nobody was told",
        "wrong schema",
        CONTRACT,
        FINAL,
        tests(
            "SELECT cents FROM balance WHERE account = 4",
            "SELECT amount_cents FROM balance WHERE account = 4",
        ),
    ),
    (
        "series-notes",
        "it wants blank lines at the end of a page",
        "over-strict check",
        STRICT,
        FINAL,
        check("index-end", 'assert there(INDEX).endswith("\\n\\n"), f"end of {INDEX}"'),
    ),
    (
        "config-jsondata",
        "it wants the lookup on one line per entry",
        "over-strict check",
        STRICT,
        FINAL,
        check(
            "lookup-lines",
            "lines = there(LOOKUP).splitlines()\n"
            'assert len(lines) == len(ROWS()) + 2, f"lines of {LOOKUP}"',
        ),
    ),
    (
        "service-logs",
        "it wants a mode that nobody asks for",
        "over-strict check",
        STRICT,
        FINAL,
        check(
            "alerts-mode",
            "there(ALERTS)\nmode = oct(os.stat(ALERTS).st_mode & 0o777)\n"
            'assert mode == "0o640", f"mode of {ALERTS}"',
        ),
    ),
    (
        "reconcile-schedule",
        "it wants the program to be short",
        "over-strict check",
        STRICT,
        FINAL,
        check("job-short", 'assert len(there(JOB).splitlines()) <= 5, f"lines of {JOB}"'),
    ),
    (
        "tables-database",
        "it looks into the solution",
        "over-strict check",
        STRICT,
        FINAL,
        check(
            "store-module",
            "there(TABLE)\n"
            "with open('/solution/solve.sh') as source:\n"
            "    assert 'sqlite3 -batch' in source.read(), 'module used'",
        ),
    ),
    (
        "history-permissions",
        "it wants the refusals in an order that is left free",
        "over-strict check",
        STRICT,
        FINAL,
        check(
            "refusals-sorted",
            "actual = there(REFUSALS).splitlines()\n"
            "expected = sorted(actual, key=lambda line: line.split('\\t')[1], reverse=True)\n"
            'assert actual == expected, f"order of {REFUSALS}"',
        ),
    ),
    (
        "config-jsondata",
        "a check looks at a name only",
        "vacuous check",
        WEAK,
        NOP,
        body_of("lookup-order", 'assert LOOKUP.endswith(".json"), "ending"'),
    ),
    (
        "series-notes",
        "a check adds up what it expects",
        "vacuous check",
        WEAK,
        NOP,
        body_of("index-total", 'assert sum(row[3] for row in ROWS()) > 0, "total"'),
    ),
    (
        "service-logs",
        "a check asks nothing where a file is missing",
        "vacuous check",
        WEAK,
        NOP,
        body_of(
            "alerts-order",
            "if os.path.isfile(ALERTS):\n    assert there(ALERTS).splitlines(), 'alerts'",
        ),
    ),
    (
        "webpages-series",
        "two checks want two headers",
        "unreachable state",
        CONTRACT,
        FINAL,
        check(
            "series-fields",
            'assert there(SERIES).splitlines()[0] == "day,sum,count,mean,running", "fields"',
        ),
    ),
    (
        "catalog",
        "the value of the stock is another",
        "unreachable state",
        CONTRACT,
        FINAL,
        tests('value("value") == 53.0', 'value("value") == 54.5'),
    ),
    (
        "accounts",
        "a balance is to be what no booking gives",
        "unreachable state",
        CONTRACT,
        FINAL,
        tests('WHERE account = 1") == [(7500,)]', 'WHERE account = 1") == [(7501,)]'),
    ),
    (
        "catalog",
        "nothing looks at the prices",
        "weak verifier",
        WEAK,
        ("partials_fail",),
        without_check("catalog.prices"),
    ),
)
BREAKS: tuple[tuple[str, str, str, Category, Gates, Plant], ...] = (
    (
        "service-logs",
        "it reads the table while it loads",
        "crashing verifier",
        WEAK,
        RUNS,
        lambda t: tests(
            f"TABLE = '{const(t, 'TABLE')}'\n",
            f"TABLE = '{const(t, 'TABLE')}'\nLINES = open(TABLE).read().splitlines()\n",
        )(t),
    ),
    (
        "series-notes",
        "a check calls what is not defined",
        "crashing verifier",
        WEAK,
        FINAL,
        check("pages-extra", "there(INDEX)\nassert pages_of(PAGES) == GROUPS(), 'pages'"),
    ),
    (
        "config-jsondata",
        "it exits while it loads",
        "crashing verifier",
        WEAK,
        RUNS,
        tests("import csv\n", "import csv\nimport sys\n\nsys.exit(0)\n"),
    ),
    (
        "catalog",
        "it never ends",
        "crashing verifier",
        WEAK,
        RUNS,
        check("service.wait", "while True:\n    pass"),
    ),
    (
        "database-config",
        "it imports what the runner does not have",
        "undeclared dependency",
        BUILD,
        RUNS,
        tests("import csv\n", "import csv\nimport yaml\n"),
    ),
    (
        "permissions-webpages",
        "it imports a parser the runner does not have",
        "undeclared dependency",
        BUILD,
        RUNS,
        tests("import csv\n", "import csv\nimport lxml.html\n"),
    ),
    (
        "reconcile-schedule",
        "a check calls a tool that is not there",
        "undeclared dependency",
        BUILD,
        FINAL,
        check(
            "cron-lint",
            "there(CRON)\ndone = subprocess.run(['crontab-lint', CRON], timeout=20)\n"
            "assert done.returncode == 0, 'crontab-lint'",
        ),
    ),
    (
        "notes-reconcile",
        "a check asks a server",
        "network needed",
        BUILD,
        FINAL,
        check(
            "balance-rates",
            "from urllib.request import urlopen\nthere(BALANCE)\n"
            "rates = urlopen('http://rates.example.com/eur.json', timeout=5).read()\n"
            "assert rates, 'rates'",
        ),
    ),
    (
        "jsondata-archive",
        "test.sh installs a package",
        "network needed",
        BUILD,
        RUNS,
        test_sh(
            "#!/bin/bash\nset -euo pipefail\napt-get update -qq\napt-get install -y -qq xsv\n"
            'exec "$FACET_RUNNER" /tests\n'
        ),
    ),
    (
        "config-jsondata",
        "functions have names that are not collected",
        "zero checks",
        WEAK,
        RUNS,
        tests("\ndef test_", "\ndef _test_"),
    ),
    (
        "service-logs",
        "every check is skipped under a condition that always holds",
        "zero checks",
        WEAK,
        ("verifier_runs", "initial_fails"),
        tests(
            "import pytest\n",
            "import pytest\n\n"
            'pytestmark = pytest.mark.skipif(os.path.isdir("/app"), reason="in a container")\n',
        ),
    ),
    (
        "series-notes",
        "test.sh runs another folder",
        "no reward",
        WEAK,
        RUNS,
        test_sh('#!/bin/bash\nexec "$FACET_RUNNER" /tests/unit\n'),
    ),
    (
        "orders",
        "the reward is a word",
        "no reward",
        WEAK,
        RUNS,
        test_sh("#!/bin/bash\necho passed > /logs/verifier/reward.txt\n"),
    ),
    (
        "config-jsondata",
        "a helper script has CRLF line ends",
        "crlf",
        BUILD,
        LOADS,
        verifier_file(TextFile(path="helper.sh", data=b"#!/bin/bash\r\necho ready\r\n")),
    ),
    (
        "service-logs",
        "a line is indented wrongly",
        "syntax or layout",
        BUILD,
        LOADS,
        tests("import pytest\n", "import pytest\n  LIMIT = 5\n"),
    ),
    (
        "series-notes",
        "a check wants the machine to be young",
        "flaky by time",
        WEAK,
        STABLE,
        check(
            "index-age",
            "there(INDEX)\nlines = open('/proc/stat').read().splitlines()\n"
            "start = [int(line.split()[1]) for line in lines if line.startswith('btime ')][0]\n"
            "assert (date.today() - date.fromtimestamp(start)).days < 390, 'age'",
        ),
    ),
    (
        "config-jsondata",
        "a check empties what another reads",
        "flaky by order",
        WEAK,
        STABLE,
        then(
            tests("import pytest\n", "import pytest\n\nPENDING = ['document', 'lookup']\n"),
            check("stack-1", "there(DOCUMENT)\nassert PENDING.pop() == 'lookup', 'first'"),
            check("stack-2", "there(LOOKUP)\nassert PENDING.pop() == 'document', 'second'"),
        ),
    ),
    (
        "service-logs",
        "a check wants a zone by its name",
        "flaky by locale",
        WEAK,
        STABLE,
        check("events-zone", "import time\nthere(ALERTS)\nassert time.tzname[0] == 'UTC', 'zone'"),
    ),
    (
        "webpages-series",
        "a check needs luck",
        "flaky by chance",
        WEAK,
        ("final_passes", "stable"),
        check("series-luck", "there(SERIES)\nassert os.urandom(1)[0] < 110, 'luck'"),
    ),
)
