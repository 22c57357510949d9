"""Defects of the tasks written by hand; the blame rules may be tuned on these."""

from collections.abc import Iterator

from facet.selftest.defect import (
    BUILD,
    CONTRACT,
    GROUND,
    RUNTIME,
    STRICT,
    WEAK,
    Defect,
    Plant,
)
from facet.selftest.edits import fixture, plan_with, planned, service, solve, tests, without
from facet.selftest.golden.orders import ORDERS_DIGEST
from facet.types.manifest import PlannedFile
from facet.types.task import Artifact, Task
from facet.types.verdict import Category, GateName

type Row = tuple[str, str, Category, GateName, Plant]

PATH, SCHEMA, VALUE = "wrong path in", "wrong schema", "wrong value in solution"
FINAL: GateName = "final_passes"
RUNS: GateName = "solution_runs"
NOP: GateName = "initial_fails"


def tuned_by_hand() -> Iterator[Defect]:
    """All of them."""
    for base, artifact, rows in TABLE:
        for slug, kind, category, gate, plant in rows:
            kind = f"{PATH} {artifact}" if kind == PATH else kind
            yield Defect(base, slug, kind, artifact, category, (gate,), plant)


def _rootless(task: Task) -> Task:
    """No login, and its files belong to root."""
    manifest = task.environment.manifest
    owned = manifest.files if manifest else ()
    plain = tuple(f.model_copy(update={"owner": "root"}) for f in owned)
    return plan_with(users=(), files=plain)(task)


ORDERS_SOLUTION: tuple[Row, ...] = (
    (
        "output under another name",
        PATH,
        CONTRACT,
        FINAL,
        solve("out/report.json", "out/summary.json"),
    ),
    (
        "columns renamed",
        SCHEMA,
        CONTRACT,
        FINAL,
        solve('"order_id", "region", "amount"', '"id", "region", "amount"'),
    ),
    ("no rounding", VALUE, CONTRACT, FINAL, solve("{a:.2f}", "{a:.3f}")),
    (
        "sorted the wrong way",
        VALUE,
        CONTRACT,
        FINAL,
        solve("good.sort()", "good.sort(reverse=True)"),
    ),
    ("case kept", VALUE, CONTRACT, FINAL, solve(".strip().lower()", ".strip()")),
    ("mode too strict", VALUE, CONTRACT, FINAL, solve("chmod 0644", "chmod 0600")),
    ("one reason wrong", VALUE, CONTRACT, FINAL, solve('"duplicate"', '"repeated"')),
    (
        "input overwritten",
        "side effect of solution",
        RUNTIME,
        FINAL,
        solve("chmod 0644", "echo > /app/data/orders.csv; chmod 0644"),
    ),
    ("folder not made", "solution partial", RUNTIME, RUNS, solve("mkdir -p /app/out\n", "")),
    (
        "input path made up",
        PATH,
        GROUND,
        RUNS,
        solve('"/app/data/orders.csv"', '"/app/input/sales.csv"'),
    ),
    ("column misspelt", SCHEMA, GROUND, RUNS, solve('row["amount"]', 'row["amnt"]')),
    (
        "tool nobody promised",
        "undeclared dependency",
        BUILD,
        RUNS,
        solve("chmod 0644", "miller --version; chmod 0644"),
    ),
    ("syntax error", "syntax or layout", RUNTIME, RUNS, solve("seen.add(ident)", "seen.add(ident")),
    (
        "reads the network",
        "network needed",
        BUILD,
        RUNS,
        solve("mkdir -p", "curl -fsS https://example.org/x; mkdir -p"),
    ),
    ("crlf", "crlf", BUILD, "loads", solve("set -euo pipefail\n", "set -euo pipefail\r\n")),
)
ORDERS_VERIFIER: tuple[Row, ...] = (
    (
        "reads another file name",
        PATH,
        CONTRACT,
        FINAL,
        tests('"report.json"', '"reports.json"'),
    ),
    (
        "reads another folder",
        PATH,
        CONTRACT,
        FINAL,
        tests('Path("/app/out")', 'Path("/app/output")'),
    ),
    (
        "key nobody names",
        SCHEMA,
        CONTRACT,
        FINAL,
        tests('report()["orders"]', 'report()["order_count"]'),
    ),
    (
        "other columns",
        SCHEMA,
        CONTRACT,
        FINAL,
        tests('"order_id,region,amount", "header', '"id,region,amount", "header'),
    ),
    (
        "order left free",
        "over-strict check",
        STRICT,
        FINAL,
        tests("== 5", "== 5 and list(report())[0] == 'rejected'"),
    ),
    (
        "mode nobody asked for",
        "unreachable state",
        CONTRACT,
        FINAL,
        tests('{"0o644"}', '{"0o600"}'),
    ),
    (
        "word nobody used",
        "over-strict check",
        STRICT,
        FINAL,
        tests('["negative"]', '["below-zero"]'),
    ),
    (
        "crashing helper",
        "crashing verifier",
        WEAK,
        FINAL,
        tests("json.loads(path.read_text())", "jsn.loads(path.read_text())"),
    ),
    (
        "crashes at import",
        "crashing verifier",
        WEAK,
        "verifier_runs",
        tests("import hashlib", "import hashlb"),
    ),
    (
        "vacuous check",
        "vacuous check",
        WEAK,
        NOP,
        tests('assert report()["orders"] == 5', "assert True or report()"),
    ),
    (
        "reads the script",
        "over-strict check",
        STRICT,
        FINAL,
        tests(
            '["invalid"], "order 1007"',
            "['invalid'] and 'awk' in Path('/solution/solve.sh').read_text()",
        ),
    ),
    (
        "does not parse",
        "syntax or layout",
        BUILD,
        "loads",
        tests("def report():", "def report(:"),
    ),
    (
        "guard that was never true",
        "unreachable state",
        CONTRACT,
        NOP,
        tests(f'"{ORDERS_DIGEST}"', '"0" * 64'),
    ),
)
ORDERS_ENVIRONMENT: tuple[Row, ...] = (
    ("fixture missing", "missing fixture", GROUND, NOP, without("/app/data/orders.csv")),
    (
        "column missing",
        SCHEMA,
        GROUND,
        NOP,
        fixture("/app/data/orders.csv", b"amount", b"value"),
    ),
    ("setup fails", "broken build", BUILD, "builds", plan_with(setup=("false",))),
    (
        "work folder is a file",
        "unreachable state",
        GROUND,
        RUNS,
        planned(PlannedFile(path="/app/out", data=b"x")),
    ),
)
ACCOUNTS_SOLUTION: tuple[Row, ...] = (
    (
        "index under another name",
        SCHEMA,
        CONTRACT,
        FINAL,
        solve("entry_by_day", "entry_day_idx"),
    ),
    ("owner not set", VALUE, CONTRACT, FINAL, solve('chown "$owner"', "chown root")),
    ("wrong variable", VALUE, RUNTIME, RUNS, solve("$CLOSING_DAY", "$CLOSE_DATE")),
    (
        "table misspelt",
        SCHEMA,
        GROUND,
        RUNS,
        solve("DELETE FROM entry", "DELETE FROM entries"),
    ),
    ("unknown login", VALUE, RUNTIME, RUNS, solve('chown "$owner"', "chown reporter")),
    (
        "fee not booked",
        "solution partial",
        RUNTIME,
        FINAL,
        solve("-$fee FROM balance", "0 FROM balance"),
    ),
)
ACCOUNTS_VERIFIER: tuple[Row, ...] = (
    (
        "index of another name",
        SCHEMA,
        CONTRACT,
        FINAL,
        tests("name = 'entry_by_day'", "name = 'idx_entry_day'"),
    ),
    (
        "owner nobody asked for",
        "unreachable state",
        CONTRACT,
        FINAL,
        tests('== "ledger"', '== "www-data"'),
    ),
    (
        "file nobody asked for",
        PATH,
        CONTRACT,
        FINAL,
        tests("/app/export/charged.txt", "/app/export/fees.txt"),
    ),
    ("mode nobody asked for", "unreachable state", CONTRACT, FINAL, tests('"0o640"', '"0o600"')),
)
ACCOUNTS_ENVIRONMENT: tuple[Row, ...] = (
    ("login missing", "login or variable missing", GROUND, RUNS, _rootless),
    ("variable missing", "login or variable missing", GROUND, RUNS, plan_with(env=())),
    ("policy missing", "missing fixture", GROUND, RUNS, without("/app/policy.conf")),
    (
        "table missing",
        SCHEMA,
        GROUND,
        NOP,
        fixture("/app/seed.sql", b"entry", b"posting"),
    ),
    ("database never made", "missing fixture", GROUND, NOP, plan_with(setup=())),
)
CATALOG_SOLUTION: tuple[Row, ...] = (
    ("wrong port", "wrong path in", RUNTIME, RUNS, solve(":8099", ":8090")),
    (
        "not executable",
        "solution partial",
        RUNTIME,
        RUNS,
        solve("chmod 0755 /app/bin/sync.sh\n", ""),
    ),
    (
        "run for another folder",
        PATH,
        CONTRACT,
        FINAL,
        solve("sync.sh /app/mirror\n", "sync.sh /app/copy\n"),
    ),
    (
        "key renamed",
        SCHEMA,
        CONTRACT,
        FINAL,
        solve('"out_of_stock": gone', '"sold_out": gone'),
    ),
)
CATALOG_VERIFIER: tuple[Row, ...] = (
    ("other port", PATH, CONTRACT, NOP, tests("8099", "8098")),
    (
        "key nobody names",
        SCHEMA,
        CONTRACT,
        FINAL,
        tests('value("out_of_stock")', 'value("sold_out")'),
    ),
    (
        "script of another name",
        PATH,
        CONTRACT,
        FINAL,
        tests("bin/sync.sh", "bin/mirror.sh"),
    ),
    (
        "exit code nobody asked for",
        "unreachable state",
        CONTRACT,
        FINAL,
        tests("run().returncode == 2", "run().returncode == 64"),
    ),
)
CATALOG_ENVIRONMENT: tuple[Row, ...] = (
    ("service not declared", "service not started", BUILD, NOP, plan_with(services=())),
    (
        "service does not start",
        "service not started",
        BUILD,
        "manifest_realized",
        service(command="exec false"),
    ),
    ("served file missing", "missing fixture", GROUND, NOP, without("/srv/catalog/prices.json")),
)
TABLE: tuple[tuple[str, Artifact, tuple[Row, ...]], ...] = (
    ("orders", "solution", ORDERS_SOLUTION),
    ("orders", "verifier", ORDERS_VERIFIER),
    ("orders", "environment", ORDERS_ENVIRONMENT),
    ("accounts", "solution", ACCOUNTS_SOLUTION),
    ("accounts", "verifier", ACCOUNTS_VERIFIER),
    ("accounts", "environment", ACCOUNTS_ENVIRONMENT),
    ("catalog", "solution", CATALOG_SOLUTION),
    ("catalog", "verifier", CATALOG_VERIFIER),
    ("catalog", "environment", CATALOG_ENVIRONMENT),
)
"""Base task, artifact that is changed, and its rows."""
