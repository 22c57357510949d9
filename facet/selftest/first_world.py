"""Defects of instruction and environment, held out until the first run, tuned on since."""

import base64
from collections.abc import Iterator

from facet.selftest.defect import BUILD, CONTRACT, GROUND, WEAK, Defect, Plant
from facet.selftest.edits import (
    column,
    const,
    context_without,
    dockerfile,
    files,
    first_input,
    fixture,
    lines_without,
    moved,
    plan_with,
    planned,
    retold,
    service,
    told,
    without,
)
from facet.types.manifest import PlannedFile
from facet.types.task import Artifact
from facet.types.verdict import Category, GateName


def first_world() -> tuple[Defect, ...]:
    """All of them."""
    return (*_environment(), *_instruction())


def _environment() -> Iterator[Defect]:
    def env(
        base: str, slug: str, kind: str, category: Category, gate: GateName, plant: Plant
    ) -> Defect:
        return _defect(base, slug, kind, "environment", category, gate, plant)

    yield env(
        "logs-tables",
        "the older log is missing",
        "missing fixture",
        GROUND,
        "initial_fails",
        lambda t: without(first_input(t))(t),
    )
    yield env(
        "notes-reconcile",
        "the register is missing",
        "missing fixture",
        GROUND,
        "initial_fails",
        lambda t: without(const(t, "REGISTER"))(t),
    )
    yield env(
        "permissions-webpages",
        "the drop folder is empty",
        "missing fixture",
        GROUND,
        "initial_fails",
        files(lambda f: None),
    )
    yield env(
        "archive-history",
        "the delivery is cut off",
        "missing fixture",
        GROUND,
        "initial_fails",
        files(
            lambda f: (
                f.model_copy(update={"data": f.data[: len(f.data) // 3]})
                if f.data and f.path.endswith(".tar")
                else f
            )
        ),
    )
    yield env(
        "tables-database",
        "a column of the export has another name",
        "wrong schema",
        GROUND,
        "initial_fails",
        lambda t: fixture(first_input(t), b"ClosedOn", b"Closing")(t),
    )
    yield env(
        "accounts",
        "a column of the ledger has another name",
        "wrong schema",
        GROUND,
        "initial_fails",
        fixture("/app/seed.sql", b"kind TEXT", b"type TEXT"),
    )
    yield env(
        "webpages-series",
        "the pages lie in another folder",
        "wrong path in environment",
        GROUND,
        "initial_fails",
        files(lambda f: f.model_copy(update={"path": f.path.replace("_site/", "_pages/")})),
    )
    yield env(
        "orders",
        "the input has a slightly different name",
        "wrong path in environment",
        GROUND,
        "initial_fails",
        moved("/app/data/orders.csv", "/app/data/order.csv"),
    )
    yield env(
        "reconcile-schedule",
        "a file stands where a folder is to be made",
        "unreachable state",
        GROUND,
        "solution_runs",
        planned(PlannedFile(path="/app/results", data=b"")),
    )
    yield env(
        "orders",
        "one of the results is there from the start",
        "solved from the start",
        GROUND,
        "initial_fails",
        planned(
            PlannedFile(
                path="/app/out/rejected.csv",
                data=b"order_id,reason\n1002,duplicate\n1004,missing\n1005,negative\n1007,invalid\n",
            )
        ),
    )
    yield env(
        "catalog",
        "the service listens on another port",
        "service not started",
        BUILD,
        "manifest_realized",
        service(
            command="exec python3 -m http.server 8100 --bind 127.0.0.1 --directory /srv/catalog"
        ),
    )
    yield env(
        "catalog",
        "the service serves another folder",
        "service not started",
        BUILD,
        "manifest_realized",
        service(command="exec python3 -m http.server 8099 --bind 127.0.0.1 --directory /srv"),
    )
    yield env(
        "database-config",
        "a command of the setup is misspelt",
        "broken build",
        BUILD,
        "builds",
        plan_with(setup=("sqlite_3 /app/x.db < /app/bakery/inbox/shop_orders.db.sql",)),
    )
    yield env(
        "history-permissions",
        "a file to copy is not in the context",
        "broken build",
        BUILD,
        "builds",
        lambda t: context_without("files" + first_input(t))(t),
    )
    yield env(
        "accounts",
        "the variable is planned and not set",
        "plan not held",
        GROUND,
        "manifest_realized",
        dockerfile('ENV CLOSING_DAY="2026-03-31"\n', ""),
    )
    yield env(
        "jsondata-archive",
        "the solution lies in the image, in base64",
        "answer leaked",
        WEAK,
        "sealed",
        lambda t: planned(
            PlannedFile(
                path="/usr/local/share/intake/cache.b64",
                data=base64.encodebytes(t.solution.script.encode()),
            )
        )(t),
    )
    yield env(
        "archive-history",
        "the checks lie in the image",
        "answer leaked",
        WEAK,
        "sealed",
        lambda t: planned(
            PlannedFile(
                path="/opt/ci/checks.py", data=t.verifier.files.text("test_state.py").encode()
            )
        )(t),
    )


def _instruction() -> Iterator[Defect]:
    def said(
        base: str, slug: str, kind: str, plant: Plant, category: Category = CONTRACT
    ) -> Defect:
        return _defect(base, slug, kind, "instruction", category, "contract_agrees", plant)

    yield said(
        "orders",
        "a result is told under another name",
        "wrong path in instruction",
        told("/app/out/report.json", "/app/out/summary.json"),
    )
    yield said(
        "logs-tables",
        "the refusals are told to go elsewhere",
        "wrong path in instruction",
        lambda t: told(const(t, "REFUSALS"), "/var/tmp/refusals.tsv")(t),
    )
    yield said(
        "orders",
        "the input is told to lie elsewhere",
        "input instructed elsewhere",
        told("/app/data/orders.csv", "/app/incoming/orders.csv"),
        GROUND,
    )
    yield said(
        "history-permissions",
        "the repository is told to lie elsewhere",
        "input instructed elsewhere",
        told("/data/energy/inbox/energy_journal.git", "/data/energy/archive/journal.git"),
        GROUND,
    )
    yield said(
        "catalog",
        "the port is told wrong",
        "wrong name in instruction",
        told(":8099", ":8089"),
    )
    yield said(
        "accounts",
        "the variable is told under another name",
        "wrong name in instruction",
        told("`CLOSING_DAY`", "`CLOSE_DATE`"),
    )
    yield said(
        "tables-database",
        "a column is told under another name",
        "wrong schema",
        lambda t: told(f"`{column(t, 2)}`", "`finished_at`")(t),
    )
    yield said(
        "notes-reconcile",
        "one of the results is never told",
        "requirement untold",
        lines_without("BALANCE"),
    )
    yield _defect(
        "reconcile-schedule",
        "nothing is told",
        "syntax or layout",
        "instruction",
        BUILD,
        "loads",
        lambda t: retold(t, "\n"),
    )


def _defect(
    base: str,
    slug: str,
    kind: str,
    artifact: Artifact,
    category: Category,
    gate: GateName,
    plant: Plant,
) -> Defect:
    return Defect(base, slug, kind, artifact, category, (gate,), plant)
