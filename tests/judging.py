"""Small tasks and trials for tests of gates, blame and repair; nothing here runs anything."""

from typing import Any

from facet.types.manifest import Manifest, PlannedFile
from facet.types.task import (
    DeclaredCheck,
    Environment,
    FileSet,
    Instruction,
    Solution,
    Task,
    Verifier,
    text_file,
)
from facet.types.trial import Actor, CheckResult, CheckStatus, Log, Outcome, Trial

INSTRUCTION = """\
Read /app/data/orders.csv (columns `order_id`, `amount`) and write /app/out/totals.json with the
keys `count` and `total`. The work log is /app/out/work.log.
"""
SOLVE = """\
#!/bin/bash
set -euo pipefail
mkdir -p /app/out
python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open("/app/data/orders.csv")))
out = {"count": len(rows), "total": sum(int(r["amount"]) for r in rows)}
json.dump(out, open("/app/out/totals.json", "w"))
PY
echo done > /app/out/work.log
"""
PARTIAL = "#!/bin/bash\nmkdir -p /app/out\necho done > /app/out/work.log\n"
TESTS = """\
import json
from pathlib import Path

import pytest


def totals():
    return json.loads(Path("/app/out/totals.json").read_text())


@pytest.mark.check(id="count", title="count is right")
def test_count():
    assert totals()["count"] == 3, "count"


@pytest.mark.check(id="total", title="total is right")
def test_total():
    assert totals()["total"] == 60, "total"


@pytest.mark.check(id="log", title="the log ends with done")
def test_log():
    assert Path("/app/out/work.log").read_text().strip() == "done"


@pytest.mark.check(id="orders", title="the input is untouched", guard=True)
def test_orders():
    assert Path("/app/data/orders.csv").read_text().count("\\n") == 4
"""
ORDERS = b"order_id,amount\na,10\nb,20\nc,30\n"
CHECKS = (
    DeclaredCheck(id="count", title="count is right"),
    DeclaredCheck(id="total", title="total is right"),
    DeclaredCheck(id="log", title="the log ends with done"),
    DeclaredCheck(id="orders", title="the input is untouched", guard=True),
)
GUARDS = ("orders",)


def make_task(
    *,
    ours: bool = True,
    name: str = "facet/orders",
    instruction: str = INSTRUCTION,
    solve: str = SOLVE,
    partials: dict[str, str] | None = None,
    tests: str = TESTS,
    checks: tuple[DeclaredCheck, ...] = CHECKS,
    manifest: Manifest | None = None,
    dockerfile: str = "FROM facet-base\nCOPY files/ /\n",
    files: dict[str, bytes] | None = None,
) -> Task:
    """A good task; every argument plants something else."""
    plan = manifest or Manifest(files=(PlannedFile(path="/app/data/orders.csv", data=ORDERS),))
    context = [text_file("Dockerfile", dockerfile)]
    for path, data in (files or {"files/app/data/orders.csv": ORDERS}).items():
        context.append(text_file(path, "").model_copy(update={"data": data}))
    scripts = [text_file("solve.sh", solve, executable=True)]
    for label, text in (
        {"partials/log-only.sh": PARTIAL} if partials is None else partials
    ).items():
        scripts.append(text_file(label, text, executable=True))
    return Task(
        name=name,
        instruction=Instruction(text=instruction),
        environment=Environment(
            files=FileSet(files=tuple(context)), manifest=plan if ours else None
        ),
        solution=Solution(files=FileSet(files=tuple(scripts))),
        verifier=Verifier(
            files=FileSet(
                files=(
                    text_file("test.sh", "#!/bin/bash\npytest /tests\n", executable=True),
                    text_file("test_state.py", tests),
                )
            ),
            checks=checks if ours else (),
        ),
    )


def check(id: str, status: CheckStatus = "failed", **more: Any) -> CheckResult:
    """One result; guards are known by their id."""
    return CheckResult(id=id, status=status, guard=id in GUARDS, **more)


def results(status: CheckStatus, **other: CheckStatus) -> tuple[CheckResult, ...]:
    """All checks of `make_task` with this status, guards passing, less those given."""
    found = []
    for declared in CHECKS:
        default: CheckStatus = "passed" if declared.guard else status
        message = "" if default == "passed" else "AssertionError: not yet"
        found.append(check(declared.id, other.get(declared.id, default), message=message))
    return tuple(found)


def trial(
    actor: Actor = "nop",
    *,
    outcome: Outcome = "graded",
    checks: tuple[CheckResult, ...] | None = None,
    reward: float | None | str = "from checks",
    **more: Any,
) -> Trial:
    """A trial; `reward` follows the checks unless given."""
    found = results("failed" if actor != "oracle" else "passed") if checks is None else checks
    if outcome != "graded":
        found = checks or ()
    if isinstance(reward, str):
        good = all(c.status in ("passed", "skipped") for c in found)
        reward = (1.0 if good else 0.0) if outcome == "graded" else None
    more.setdefault("actor_exit", 0)
    return Trial(
        task_digest="sha256:0", actor=actor, outcome=outcome, checks=found, reward=reward, **more
    )


def log(text: str) -> Log:
    """Captured output."""
    return Log(text=text, bytes_total=len(text))
