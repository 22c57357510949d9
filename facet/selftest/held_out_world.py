"""Defects of instruction and environment, written after the rules; no rule is tuned on them."""

import gzip
from collections.abc import Iterator

from facet.selftest.defect import BUILD, CONTRACT, GROUND, WEAK, Defect, Plant
from facet.selftest.edits import (
    column,
    const,
    dockerfile,
    files,
    first_input,
    fixture,
    lines_without,
    plan,
    plan_with,
    planned,
    service,
    told,
    without,
)
from facet.types.manifest import Manifest, PlannedFile
from facet.types.verdict import Category, GateName

NOP: GateName = "initial_fails"
RUNS: GateName = "solution_runs"
REAL: GateName = "manifest_realized"


def held_out_world() -> Iterator[Defect]:
    """All of them."""
    for base, slug, kind, category, gates, plant in ENVIRONMENT:
        yield Defect(base, slug, kind, "environment", category, gates, plant, held_out=True)
    for base, slug, kind, category, plant in INSTRUCTION:
        yield Defect(
            base, slug, kind, "instruction", category, ("contract_agrees",), plant, held_out=True
        )


def _renamed_login(manifest: Manifest) -> Manifest:
    users = tuple(u.model_copy(update={"name": "accounting"}) for u in manifest.users)
    owned = tuple(
        f.model_copy(update={"owner": "accounting"}) if f.owner == "ledger" else f
        for f in manifest.files
    )
    return manifest.model_copy(update={"users": users, "files": owned})


ENVIRONMENT: tuple[tuple[str, str, str, Category, tuple[GateName, ...], Plant], ...] = (
    (
        "config-jsondata",
        "one of three drop-ins is missing",
        "missing fixture",
        GROUND,
        (NOP,),
        without("/srv/library/inbox/loans.d/20-corrections.ini"),
    ),
    (
        "series-notes",
        "the description of the columns is missing",
        "missing fixture",
        GROUND,
        (NOP,),
        lambda t: without(first_input(t) + ".txt")(t),
    ),
    (
        "service-logs",
        "the records of the service are missing",
        "missing fixture",
        GROUND,
        (NOP, REAL),
        lambda t: without(first_input(t))(t),
    ),
    (
        "tables-database",
        "the export is empty",
        "missing fixture",
        GROUND,
        (NOP,),
        files(lambda f: f.model_copy(update={"data": b""})),
    ),
    (
        "history-permissions",
        "the history is never loaded",
        "missing fixture",
        GROUND,
        (RUNS,),
        plan(lambda m: m.model_copy(update={"setup": m.setup[:1]})),
    ),
    (
        "database-config",
        "the database is never made",
        "missing fixture",
        GROUND,
        (RUNS, NOP),
        plan_with(setup=()),
    ),
    (
        "jsondata-archive",
        "a key of the stream has another name",
        "wrong schema",
        GROUND,
        (NOP,),
        lambda t: fixture(first_input(t), b'"SampleNo"', b'"Sample"')(t),
    ),
    (
        "config-jsondata",
        "a key of the drop-ins has another name",
        "wrong schema",
        GROUND,
        (NOP,),
        lambda t: fixture(first_input(t), b"lent_on", b"lent")(t),
    ),
    (
        "reconcile-schedule",
        "the confirmations lie elsewhere",
        "wrong path in environment",
        GROUND,
        (NOP,),
        files(
            lambda f: (
                f.model_copy(update={"path": "/app/bakery/inbox/confirmations.txt"})
                if f.path.endswith(".status")
                else f
            )
        ),
    ),
    (
        "series-notes",
        "the readings lie in a folder of their own",
        "wrong path in environment",
        GROUND,
        (NOP,),
        files(lambda f: f.model_copy(update={"path": f.path.replace("/inbox/", "/device/")})),
    ),
    (
        "service-logs",
        "the service is started from a file that is not there",
        "service not started",
        BUILD,
        (REAL,),
        service(command="python3 /opt/helpdesk/inbox/cases_api/serve.py"),
    ),
    (
        "service-logs",
        "the service is not declared",
        "service not started",
        BUILD,
        (RUNS,),
        plan_with(services=()),
    ),
    (
        "catalog",
        "the service never listens",
        "service not started",
        BUILD,
        (REAL,),
        service(command="exec sleep 3600"),
    ),
    (
        "orders",
        "the folder of results is a link to nowhere",
        "unreachable state",
        GROUND,
        (RUNS,),
        planned(PlannedFile(path="/app/out", kind="link", target="/dev/null")),
    ),
    (
        "notes-reconcile",
        "a file stands where the claims are to go",
        "unreachable state",
        GROUND,
        (RUNS,),
        planned(PlannedFile(path="/var/lib/dispatch/claims", data=b"none yet\n")),
    ),
    (
        "accounts",
        "the login has another name than the policy says",
        "login or variable missing",
        GROUND,
        (RUNS,),
        plan(_renamed_login),
    ),
    (
        "webpages-series",
        "the setup ends with an error",
        "broken build",
        BUILD,
        ("builds",),
        plan_with(setup=("test -d /srv/www",)),
    ),
    (
        "orders",
        "the build installs from the network",
        "broken build",
        BUILD,
        ("builds",),
        dockerfile(
            "WORKDIR /app\n", "WORKDIR /app\nRUN apt-get update && apt-get install -y xsv\n"
        ),
    ),
    (
        "orders",
        "the build deletes what was planned",
        "plan not held",
        GROUND,
        (REAL,),
        dockerfile("WORKDIR /app\n", "WORKDIR /app\nRUN rm /app/data/orders.csv\n"),
    ),
    (
        "series-notes",
        "the solution lies in the image, zipped",
        "answer leaked",
        WEAK,
        ("sealed",),
        lambda t: planned(
            PlannedFile(
                path="/var/backups/job.gz", data=gzip.compress(t.solution.script.encode(), mtime=0)
            )
        )(t),
    ),
    (
        "service-logs",
        "the checks lie beside the service",
        "answer leaked",
        WEAK,
        ("sealed",),
        lambda t: planned(
            PlannedFile(
                path="/opt/helpdesk/inbox/cases_api/test_pages.py",
                data=t.verifier.files.text("test_state.py").encode(),
            )
        )(t),
    ),
    (
        "accounts",
        "the number of charged accounts is there from the start",
        "solved from the start",
        GROUND,
        (NOP,),
        planned(PlannedFile(path="/app/export/charged.txt", data=b"1\n")),
    ),
    (
        "catalog",
        "a list is there from the start",
        "solved from the start",
        GROUND,
        (NOP,),
        planned(PlannedFile(path="/app/mirror/unknown.txt", data=b"X-9\n")),
    ),
)
INSTRUCTION: tuple[tuple[str, str, str, Category, Plant], ...] = (
    (
        "service-logs",
        "the address of the service is told wrong",
        "wrong name in instruction",
        CONTRACT,
        told(":8112/", ":8121/"),
    ),
    (
        "service-logs",
        "the alerts are told to go elsewhere",
        "wrong path in instruction",
        CONTRACT,
        lambda t: told(const(t, "ALERTS"), "/opt/helpdesk/reports/alerts.txt")(t),
    ),
    (
        "series-notes",
        "the pages are told to go elsewhere",
        "wrong path in instruction",
        CONTRACT,
        lambda t: told(const(t, "PAGES"), "/app/bakery/out/manual")(t),
    ),
    (
        "config-jsondata",
        "the document is told under another name",
        "wrong path in instruction",
        CONTRACT,
        lambda t: told(const(t, "DOCUMENT"), "/app/lending/document.json")(t),
    ),
    (
        "jsondata-archive",
        "the backup is told to lie elsewhere",
        "wrong path in instruction",
        CONTRACT,
        lambda t: told(const(t, "BACKUP"), "/app/lab/backup.tgz")(t),
    ),
    (
        "config-jsondata",
        "the drop-ins are told to lie elsewhere",
        "input instructed elsewhere",
        GROUND,
        told("/srv/library/inbox/loans.d", "/srv/library/conf/loans.d"),
    ),
    (
        "series-notes",
        "the readings are told to lie elsewhere",
        "input instructed elsewhere",
        GROUND,
        told("/app/bakery/inbox/", "/app/bakery/device/"),
    ),
    (
        "accounts",
        "the ledger is told under another name",
        "input instructed elsewhere",
        GROUND,
        told("/app/ledger.db", "/app/books.db"),
    ),
    (
        "permissions-webpages",
        "the drop folder is told to lie elsewhere",
        "input instructed elsewhere",
        GROUND,
        told("/srv/museum/inbox/inventory_drop", "/srv/museum/inbox/arrivals"),
    ),
    (
        "accounts",
        "an index is told under another name",
        "wrong name in instruction",
        CONTRACT,
        told("`entry_by_day`", "`entry_by_date`"),
    ),
    (
        "catalog",
        "a key is told under another name",
        "wrong schema",
        CONTRACT,
        told('"out_of_stock"', '"sold_out"'),
    ),
    (
        "webpages-series",
        "a field is told under another name",
        "wrong schema",
        CONTRACT,
        lambda t: told(f"`{column(t, 3)}`", "`hours_spent`")(t),
    ),
    (
        "database-config",
        "the second file of settings is never told",
        "requirement untold",
        CONTRACT,
        lines_without("TOML"),
    ),
    (
        "reconcile-schedule",
        "the job of the night is never told",
        "requirement untold",
        CONTRACT,
        lines_without("CRON"),
    ),
)
