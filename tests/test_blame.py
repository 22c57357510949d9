"""Planted defects with trials as they were recorded: each is blamed on the right artifact.

Every case is one fault in one artifact of a good task; the accuracy over the whole table is
asserted, and each case on its own shows which one went wrong.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

from facet import gates
from facet.blame import blame
from facet.blame.differences import keeps_order, manner
from facet.blame.rules import RULES
from facet.types.manifest import Manifest, Package, PlannedFile, Service
from facet.types.task import Artifact, Task
from facet.types.trial import CheckResult, StateChange, Trial
from facet.types.verdict import Blame, Gate, GateName, Judgement
from tests.judging import INSTRUCTION, ORDERS, PARTIAL, SOLVE, TESTS, check, log, make_task, trial
from tests.judging import results as outcome

BUILD = "infrastructure, build or dependency"
GROUND = "fixture, schema or path grounding"
CONTRACT = "contract mismatch"
RUNTIME = "solution runtime"
STRICT = "over-constrained verifier"
WEAK = "weak verifier"
MADE = (
    StateChange(path="/app/out", change="added"),
    StateChange(path="/app/out/totals.json", change="added"),
    StateChange(path="/app/out/work.log", change="added"),
)
LABEL = "partials/log-only.sh"


def judged(
    task: Task,
    *,
    nop: Trial | None = None,
    oracle: Trial | None = None,
    others: tuple[Trial, ...] = (),
    known: tuple[Gate, ...] = (),
) -> Judgement:
    """The judgement the gates give on these trials."""
    before = nop or trial("nop")
    after = oracle or trial("oracle", changes=MADE)
    partial = tuple(t for t in others if t.actor == "partial") or (
        trial("partial", label=LABEL, checks=outcome("failed", log="passed")),
    )
    ask = {
        "loads": lambda: gates.loads(task),
        "builds": lambda: gates.builds(""),
        "manifest_realized": lambda: gates.manifest_realized(task, ()),
        "verifier_runs": lambda: gates.verifier_runs(task, before),
        "initial_fails": lambda: gates.initial_fails(task, before),
        "solution_runs": lambda: gates.solution_runs(after),
        "final_passes": lambda: gates.final_passes(task, after),
        "partials_fail": lambda: gates.partials_fail(task, partial),
    }
    found = gates.in_order(gates.SYNTHESIS, lambda name: ask[name](), known=known)
    return Judgement(task_digest=task.digest, gates=found, trials=(before, after, *others))


@dataclass(frozen=True)
class Case:
    """One planted defect."""

    name: str
    artifact: Artifact
    category: str
    task: Task = field(default_factory=make_task)
    more: dict[str, Any] = field(default_factory=dict)
    gate: GateName = "final_passes"

    def judgement(self) -> Judgement:
        return judged(self.task, **self.more)


def ends(code: int, text: str, changes: tuple[StateChange, ...] = ()) -> Trial:
    """solve.sh ended like this."""
    return trial(
        "oracle", outcome="actor_error", actor_exit=code, actor_log=log(text), changes=changes
    )


def fails(id: str, changes: tuple[StateChange, ...] = MADE, **more: Any) -> Trial:
    """After the solution this check fails with this evidence, the others pass."""
    checks: tuple[CheckResult, ...] = tuple(
        check(id, more.pop("status", "failed"), **more) if c.id == id else c
        for c in outcome("passed")
    )
    return trial("oracle", checks=checks, changes=changes)


def lacks(path: str) -> str:
    return f"FileNotFoundError: [Errno 2] No such file or directory: '{path}'"


def files(*paths: str) -> tuple[StateChange, ...]:
    return tuple(StateChange(path=p, change="added") for p in paths)


def manifest(data: bytes | None = ORDERS, **more: Any) -> Manifest:
    planned = (PlannedFile(path="/app/data/orders.csv", data=data),) if data is not None else ()
    return Manifest(files=planned, **more)


REDIS = Service(name="redis", command="redis-server", port=6379)
CASES: tuple[Case, ...] = (
    # ---- loads, builds, plan
    Case(
        "crlf in the solution",
        "solution",
        BUILD,
        make_task(solve="#!/bin/sh\r\ntrue\r\n"),
        gate="loads",
    ),
    Case("tests do not parse", "verifier", BUILD, make_task(tests="def test_x(:\n"), gate="loads"),
    Case("empty instruction", "instruction", BUILD, make_task(instruction=" "), gate="loads"),
    Case(
        "image does not build",
        "environment",
        BUILD,
        more={"known": (gates.builds("COPY nothing.txt failed"),)},
        gate="builds",
    ),
    Case(
        "planned fixture is not there",
        "environment",
        GROUND,
        more={
            "known": (
                gates.manifest_realized(
                    make_task(), ("file /app/data/orders.csv: planned it, found nothing",)
                ),
            )
        },
        gate="manifest_realized",
    ),
    Case(
        "planned service does not run",
        "environment",
        BUILD,
        more={
            "known": (
                gates.manifest_realized(make_task(), ("service redis: planned it, found nothing",)),
            )
        },
        gate="manifest_realized",
    ),
    # ---- the verifier on the untouched state
    Case(
        "verifier crashes at import",
        "verifier",
        WEAK,
        more={
            "nop": trial(
                outcome="verifier_error",
                detail="collection of test_state.py: NameError: name 'jsno' is not defined",
            )
        },
        gate="verifier_runs",
    ),
    Case(
        "verifier imports what nobody promised",
        "verifier",
        WEAK,
        more={
            "nop": trial(
                outcome="verifier_error", detail="ModuleNotFoundError: No module named 'pandas'"
            )
        },
        gate="verifier_runs",
    ),
    Case(
        "a promised module is not installed",
        "environment",
        BUILD,
        make_task(manifest=manifest(packages=(Package(name="python3-yaml"),))),
        more={
            "nop": trial(
                outcome="verifier_error", detail="ModuleNotFoundError: No module named 'yaml'"
            )
        },
        gate="verifier_runs",
    ),
    Case(
        "verifier installs from the network",
        "verifier",
        BUILD,
        make_task(ours=False),
        more={
            "nop": trial(
                outcome="verifier_error",
                verifier_log=log("curl: (6) Could not resolve host: astral.sh"),
            )
        },
        gate="verifier_runs",
    ),
    Case(
        "verifier never ends",
        "verifier",
        WEAK,
        more={"nop": trial(outcome="verifier_timeout", detail="120 s")},
        gate="verifier_runs",
    ),
    Case(
        "verifier reads an output while loading",
        "verifier",
        WEAK,
        more={
            "nop": trial(
                outcome="verifier_error", detail="collection: " + lacks("/app/out/totals.json")
            )
        },
        gate="verifier_runs",
    ),
    Case(
        "verifier reads a promised input while loading, which is missing",
        "environment",
        GROUND,
        make_task(manifest=manifest(None), files={"x": b""}),
        more={
            "nop": trial(
                outcome="verifier_error", detail="collection: " + lacks("/app/data/orders.csv")
            )
        },
        gate="verifier_runs",
    ),
    Case(
        "services do not come up for grading",
        "environment",
        BUILD,
        make_task(manifest=manifest(services=(REDIS,))),
        more={"nop": trial(outcome="build_failed", detail="service redis is not healthy")},
        gate="verifier_runs",
    ),
    Case(
        "a vacuous check",
        "verifier",
        WEAK,
        more={"nop": trial(checks=outcome("failed", log="passed"))},
        gate="initial_fails",
    ),
    Case(
        "all checks vacuous",
        "verifier",
        WEAK,
        more={"nop": trial(checks=outcome("passed"))},
        gate="initial_fails",
    ),
    Case(
        "the container ships the result",
        "environment",
        GROUND,
        make_task(
            manifest=Manifest(
                files=(
                    PlannedFile(path="/app/data/orders.csv", data=ORDERS),
                    PlannedFile(path="/app/out/totals.json", data=b"{}"),
                    PlannedFile(path="/app/out/work.log", data=b"done"),
                )
            )
        ),
        more={"nop": trial(checks=outcome("passed"))},
        gate="initial_fails",
    ),
    Case(
        "a guard whose fixture is missing",
        "environment",
        GROUND,
        make_task(manifest=manifest(None), files={"x": b""}),
        more={"nop": trial(checks=outcome("failed", orders="failed"))},
        gate="initial_fails",
    ),
    Case(
        "a guard that was never true",
        "verifier",
        CONTRACT,
        more={"nop": trial(checks=outcome("failed", orders="failed"))},
        gate="initial_fails",
    ),
    # ---- the solution ends badly
    Case(
        "solution uses a tool nobody promised",
        "solution",
        BUILD,
        more={"oracle": ends(127, "/solution/solve.sh: line 4: xmlstarlet: command not found")},
        gate="solution_runs",
    ),
    Case(
        "a tool the instruction promises is missing",
        "environment",
        BUILD,
        make_task(instruction=INSTRUCTION + "Use `datamash`, which is installed.\n"),
        more={"oracle": ends(127, "/solution/solve.sh: line 4: datamash: command not found")},
        gate="solution_runs",
    ),
    Case(
        "a module nobody promised",
        "solution",
        BUILD,
        more={"oracle": ends(1, "Traceback\nModuleNotFoundError: No module named 'pandas'")},
        gate="solution_runs",
    ),
    Case(
        "the fixture that instruction and solution name is missing",
        "environment",
        GROUND,
        make_task(manifest=manifest(None), files={"x": b""}),
        more={
            "nop": trial(checks=outcome("failed")),
            "oracle": ends(1, "Traceback\n" + lacks("/app/data/orders.csv")),
        },
        gate="solution_runs",
    ),
    Case(
        "solution reads a path of its own invention",
        "solution",
        GROUND,
        make_task(solve=SOLVE.replace("/app/data/orders.csv", "/app/input/orders.tsv")),
        more={"oracle": ends(1, "Traceback\n" + lacks("/app/input/orders.tsv"))},
        gate="solution_runs",
    ),
    Case(
        "solution forgets to make its folder",
        "solution",
        RUNTIME,
        make_task(solve=SOLVE.replace("mkdir -p /app/out\n", "")),
        more={
            "oracle": ends(
                1, "/solution/solve.sh: line 9: /app/out/work.log: No such file or directory"
            )
        },
        gate="solution_runs",
    ),
    Case(
        "solution misspells a column that the data has",
        "solution",
        GROUND,
        make_task(solve=SOLVE.replace('r["amount"]', 'r["amuont"]')),
        more={"oracle": ends(1, "Traceback\nKeyError: 'amuont'")},
        gate="solution_runs",
    ),
    Case(
        "the data lacks a column that the instruction names",
        "environment",
        GROUND,
        make_task(
            manifest=manifest(b"order_id,value\na,1\n"),
            files={"files/app/data/orders.csv": b"order_id,value\na,1\n"},
        ),
        more={"oracle": ends(1, "Traceback\nKeyError: 'amount'")},
        gate="solution_runs",
    ),
    Case(
        "sqlite table missing although told",
        "environment",
        GROUND,
        make_task(
            instruction="Sum table `sales` of /app/data/shop.db into /app/out/totals.json.\n",
            manifest=Manifest(files=(PlannedFile(path="/app/data/shop.db", data=b"SQLite\0"),)),
        ),
        more={"oracle": ends(1, "Error: in prepare, no such table: sales (1)")},
        gate="solution_runs",
    ),
    Case(
        "solution never ends",
        "solution",
        RUNTIME,
        more={"oracle": trial("oracle", outcome="actor_timeout", actor_exit=None)},
        gate="solution_runs",
    ),
    Case(
        "solution downloads something",
        "solution",
        BUILD,
        more={"oracle": ends(6, "curl: (6) Could not resolve host: example.org")},
        gate="solution_runs",
    ),
    Case(
        "instruction links a file that was not localized",
        "environment",
        BUILD,
        make_task(instruction=INSTRUCTION + "Rates: https://example.org/rates.csv\n"),
        more={"oracle": ends(6, "curl: (6) Could not resolve host: example.org")},
        gate="solution_runs",
    ),
    Case(
        "the service that the instruction speaks of was never declared",
        "environment",
        BUILD,
        make_task(instruction=INSTRUCTION + "Redis listens on port 6379.\n"),
        more={
            "oracle": ends(1, "Could not connect to Redis at 127.0.0.1:6379: Connection refused")
        },
        gate="solution_runs",
    ),
    Case(
        "solution talks to a port nobody names",
        "solution",
        RUNTIME,
        more={"oracle": ends(7, "curl: (7) Failed to connect to localhost port 8099")},
        gate="solution_runs",
    ),
    Case(
        "a script the instruction offers is not executable",
        "environment",
        GROUND,
        make_task(
            instruction=INSTRUCTION + "Run /app/bin/export.sh first.\n",
            manifest=Manifest(
                files=(
                    PlannedFile(path="/app/data/orders.csv", data=ORDERS),
                    PlannedFile(path="/app/bin/export.sh", data=b"#!/bin/sh\n"),
                )
            ),
        ),
        more={
            "oracle": ends(126, "/solution/solve.sh: line 3: /app/bin/export.sh: Permission denied")
        },
        gate="solution_runs",
    ),
    Case(
        "solution does not make its own script executable",
        "solution",
        RUNTIME,
        more={
            "oracle": ends(
                126,
                "/solution/solve.sh: line 9: /app/work/step.sh: Permission denied",
                files("/app/work/step.sh"),
            )
        },
        gate="solution_runs",
    ),
    Case(
        "the work folder cannot be written",
        "environment",
        BUILD,
        more={
            "oracle": ends(1, "mkdir: cannot create directory '/app/out': Read-only file system")
        },
        gate="solution_runs",
    ),
    Case(
        "a login the instruction names does not exist",
        "environment",
        GROUND,
        make_task(instruction=INSTRUCTION + "All files belong to user `ledger`.\n"),
        more={"oracle": ends(1, "chown: invalid user: 'ledger'")},
        gate="solution_runs",
    ),
    Case(
        "a variable the solution made up",
        "solution",
        RUNTIME,
        more={"oracle": ends(1, "/solution/solve.sh: line 3: OUT_DIR: unbound variable")},
        gate="solution_runs",
    ),
    Case(
        "solution has a syntax error",
        "solution",
        RUNTIME,
        more={
            "oracle": ends(2, "/solution/solve.sh: line 9: syntax error: unexpected end of file")
        },
        gate="solution_runs",
    ),
    # ---- the final state fails
    Case(
        "solution writes to another path",
        "solution",
        CONTRACT,
        make_task(solve=SOLVE.replace("totals.json", "sums.json")),
        more={
            "oracle": fails(
                "total",
                files("/app/out/sums.json", "/app/out/work.log"),
                message=lacks("/app/out/totals.json"),
                paths=("/app/out/totals.json",),
            )
        },
    ),
    Case(
        "verifier reads another path",
        "verifier",
        CONTRACT,
        make_task(tests=TESTS.replace("out/totals.json", "out/total.json")),
        more={"oracle": fails("total", message=lacks("/app/out/total.json"))},
    ),
    Case(
        "verifier reads another folder",
        "verifier",
        CONTRACT,
        make_task(tests=TESTS.replace("/app/out/totals.json", "/app/output/totals.json")),
        more={"oracle": fails("total", message=lacks("/app/output/totals.json"))},
    ),
    Case(
        "verifier wants a file of its own",
        "verifier",
        CONTRACT,
        make_task(tests=TESTS.replace("work.log", "audit.txt")),
        more={"oracle": fails("log", message=lacks("/app/out/audit.txt"))},
    ),
    Case(
        "solution leaves out a file that was asked for",
        "solution",
        CONTRACT,
        make_task(solve=SOLVE.replace("echo done > /app/out/work.log\n", "")),
        more={
            "oracle": fails(
                "log", files("/app/out/totals.json"), message=lacks("/app/out/work.log")
            )
        },
    ),
    Case(
        "verifier wants a key nobody names",
        "verifier",
        CONTRACT,
        make_task(tests=TESTS.replace('["total"]', '["grand_total"]')),
        more={"oracle": fails("total", message="KeyError: 'grand_total'")},
    ),
    Case(
        "solution writes another key than asked for",
        "solution",
        CONTRACT,
        make_task(solve=SOLVE.replace('"total":', '"sum_of_amounts":')),
        more={"oracle": fails("total", message="KeyError: 'total'")},
    ),
    Case(
        "solution drops the last row",
        "solution",
        RUNTIME,
        make_task(solve=SOLVE.replace("DictReader(open", "DictReader(list(open")),
        more={"oracle": fails("count", expected="3", actual="2", message="count")},
    ),
    Case(
        "solution breaks its input",
        "solution",
        RUNTIME,
        more={
            "oracle": fails("orders", expected="4", actual="0", message="the input is untouched")
        },
    ),
    Case(
        "verifier wants exact words that were left free",
        "verifier",
        STRICT,
        make_task(instruction=INSTRUCTION + "The log says that you are done.\n"),
        more={
            "oracle": fails(
                "log", expected="'Finished successfully'", actual="'done'", message="log"
            )
        },
    ),
    Case(
        "verifier wants an order that was left free",
        "verifier",
        STRICT,
        more={"oracle": fails("total", expected="['a', 'b', 'c']", actual="['c', 'a', 'b']")},
    ),
    Case(
        "solution ignores the order asked for",
        "solution",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Names are sorted ascending.\n"),
        more={"oracle": fails("total", expected="['a', 'b', 'c']", actual="['c', 'a', 'b']")},
    ),
    Case(
        "verifier wants the wrong order",
        "verifier",
        STRICT,
        make_task(instruction=INSTRUCTION + "Names are sorted in descending order.\n"),
        more={"oracle": fails("total", expected="['a', 'b', 'c']", actual="['c', 'b', 'a']")},
    ),
    Case(
        "verifier wants a trailing newline",
        "verifier",
        STRICT,
        more={"oracle": fails("log", expected="'done\\n'", actual="'done'")},
    ),
    Case(
        "verifier wants more digits than asked for",
        "verifier",
        STRICT,
        more={"oracle": fails("total", expected="33.333333", actual="33.33")},
    ),
    Case(
        "solution does not round as asked",
        "solution",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Round the total to two decimals.\n"),
        more={"oracle": fails("total", expected="33.33", actual="33.333333")},
    ),
    Case(
        "verifier wants a number as text",
        "verifier",
        STRICT,
        more={"oracle": fails("total", expected="'60'", actual="60")},
    ),
    Case(
        "verifier looks at the script",
        "verifier",
        STRICT,
        more={
            "oracle": fails(
                "log", expected="contains 'awk'", actual="'#!/bin/bash'", message="awk in solve.sh"
            )
        },
    ),
    Case(
        "solution gives another value than the instruction states",
        "solution",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Mode of the file is 0640.\n"),
        more={"oracle": fails("log", expected="'0640'", actual="'0644'")},
    ),
    Case(
        "verifier wants another value than the instruction states",
        "verifier",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Mode of the file is 0640.\n"),
        more={"oracle": fails("log", expected="'0600'", actual="'0640'")},
    ),
    Case(
        "verifier wants other columns than the instruction states",
        "verifier",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Columns of the table: `ref`, `sum`, `when`.\n"),
        more={
            "oracle": fails(
                "total", expected="['ref', 'sum', 'day']", actual="['ref', 'sum', 'when']"
            )
        },
    ),
    Case(
        "solution writes other columns than the instruction states",
        "solution",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Columns of the table: `ref`, `sum`, `when`.\n"),
        more={
            "oracle": fails(
                "total", expected="['ref', 'sum', 'when']", actual="['ref', 'sum', 'day']"
            )
        },
    ),
    Case(
        "an alternative passes what solve.sh does not",
        "solution",
        RUNTIME,
        more={
            "oracle": fails("total", expected="60", actual="50"),
            "others": (trial("alternative", label="alternatives/a.sh", checks=outcome("passed")),),
        },
    ),
    Case(
        "two solutions agree against the check",
        "verifier",
        STRICT,
        more={
            "oracle": fails("total", expected="61", actual="60"),
            "others": (
                trial(
                    "alternative",
                    label="alternatives/a.sh",
                    checks=fails("total", expected="61", actual="60").checks,
                ),
            ),
        },
    ),
    Case(
        "a check with a bug in its own code",
        "verifier",
        WEAK,
        more={
            "oracle": fails("total", status="error", message="NameError: name 'tot' is not defined")
        },
    ),
    Case(
        "a check that crashes before and after",
        "verifier",
        WEAK,
        more={
            "nop": trial(
                checks=tuple(
                    check("total", "error", message="TypeError: bad operand")
                    if c.id == "total"
                    else c
                    for c in outcome("failed")
                )
            ),
            "oracle": fails("total", status="error", message="TypeError: bad operand"),
        },
    ),
    Case(
        "verifier stops after the work",
        "verifier",
        WEAK,
        more={
            "oracle": trial("oracle", outcome="verifier_error", detail="no reward", changes=MADE)
        },
    ),
    Case(
        "reward without a reason",
        "verifier",
        WEAK,
        more={"oracle": trial("oracle", reward=0.5, changes=MADE)},
    ),
    Case(
        "verifier wants a mode that nobody asked for",
        "verifier",
        STRICT,
        more={"oracle": fails("log", expected="'0o600'", actual="'0o644'", message="mode")},
    ),
    Case(
        "solution rounds what is to be cut off",
        "solution",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "The mean is cut off after two decimals.\n"),
        more={"oracle": fails("total", expected="{'a': '2.15'}", actual="{'a': '2.16'}")},
    ),
    Case(
        "verifier rounds what is to be cut off",
        "verifier",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "The mean is cut off after two decimals.\n"),
        more={"oracle": fails("total", expected="{'a': '2.16'}", actual="{'a': '2.15'}")},
    ),
    Case(
        "verifier wants a marker file of its own",
        "verifier",
        GROUND,
        make_task(tests=TESTS.replace("/app/out/work.log", "/app/out/DONE")),
        more={
            "oracle": fails(
                "log", expected="True", actual="False", message="/app/out/DONE is missing"
            )
        },
    ),
    Case(
        "solution reads the input by the names of the output",
        "solution",
        GROUND,
        make_task(
            instruction=INSTRUCTION + "The result has the field `sum_of_all`.\n",
            solve=SOLVE.replace('r["amount"]', 'r["sum_of_all"]'),
        ),
        more={"oracle": ends(1, "Traceback\nValueError: 'sum_of_all' is not in list")},
        gate="solution_runs",
    ),
    Case(
        "solution with a loop variable named like a key of the check",
        "solution",
        RUNTIME,
        make_task(
            solve=SOLVE + "# for d in x\n",
            tests=TESTS.replace('totals()["count"]', 'totals()["count"] + 0 * len(x["d"])'),
        ),
        more={"oracle": fails("count", expected="3", actual="2", message="count")},
    ),
    Case(
        "verifier wants plain order where the largest come first",
        "verifier",
        CONTRACT,
        make_task(
            instruction=INSTRUCTION + "Table `/app/out/t.csv` is sorted by amount, largest first.\n"
        ),
        more={
            "oracle": fails(
                "total",
                expected="['A-1', 'A-2', 'A-3']",
                actual="['A-2', 'A-3', 'A-1']",
                paths=("/app/out/t.csv",),
            )
        },
    ),
    Case(
        "verifier wants order in a file that may have any",
        "verifier",
        STRICT,
        make_task(
            instruction="Sort `/app/out/t.csv` by name.\nRefusals go to `/app/out/r.tsv`: id, tab,"
            " reason.\n"
        ),
        more={
            "oracle": fails(
                "total",
                expected="['A-1', 'A-2', 'A-3']",
                actual="['A-2', 'A-3', 'A-1']",
                paths=("/app/out/r.tsv",),
            )
        },
    ),
    Case(
        "solution writes decimals where hundredths are asked for",
        "solution",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Amounts are whole hundredths.\n"),
        more={"oracle": fails("total", expected="{'a': '1050'}", actual="{'a': '10.50'}")},
    ),
    Case(
        "verifier wants decimals where hundredths are asked for",
        "verifier",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "Amounts are whole hundredths.\n"),
        more={"oracle": fails("total", expected="{'a': '10.50'}", actual="{'a': '1050'}")},
    ),
    Case(
        "verifier wants another word in one of many values",
        "verifier",
        CONTRACT,
        make_task(instruction=INSTRUCTION + "The key `scale` is `hundredths`.\n"),
        more={
            "oracle": fails(
                "total",
                expected="{'scale': 'decimal', 'x': 'a'}",
                actual="{'scale': 'hundredths', 'x': 'a'}",
            )
        },
    ),
    # ---- partial solutions
    Case(
        "a partial passes",
        "verifier",
        WEAK,
        more={"others": (trial("partial", label=LABEL, checks=outcome("passed")),)},
        gate="partials_fail",
    ),
    Case(
        "a partial crashes",
        "solution",
        RUNTIME,
        more={"others": (trial("partial", label=LABEL, outcome="actor_error", actor_exit=1),)},
        gate="partials_fail",
    ),
    Case(
        "a partial is the whole solution",
        "solution",
        CONTRACT,
        make_task(partials={LABEL: SOLVE}),
        more={"others": (trial("partial", label=LABEL, checks=outcome("passed")),)},
        gate="partials_fail",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name.replace(" ", "_"))
def test_planted(case: Case) -> None:
    found = case.judgement()
    assert found.deciding is not None
    assert found.deciding.name == case.gate
    said = blame(case.task, found)
    assert (said.artifact, said.gate) == (case.artifact, case.gate), said
    assert said.evidence
    assert said.by == "rule"


def test_categories_are_right_in_at_least_nine_of_ten_planted_defects() -> None:
    wrong = [
        (c.name, said.category, c.category)
        for c in CASES
        if (said := blame(c.task, c.judgement())).category != c.category
    ]
    assert len(wrong) <= len(CASES) // 10, wrong


def test_a_good_task_blames_nobody() -> None:
    said = blame(make_task(), judged(make_task()))
    assert (said.artifact, said.rule) == (None, "nothing_failed")


def test_engine_trouble_blames_nobody() -> None:
    task = make_task()
    found = judged(task, nop=trial(outcome="infrastructure"))
    assert blame(task, found).artifact is None


def test_the_model_is_asked_only_where_no_rule_settles_it() -> None:
    task = make_task()
    asked: list[str] = []

    def ask(task: Task, found: Judgement) -> Blame:
        assert found.deciding is not None
        asked.append(found.deciding.name)
        return Blame(artifact="instruction", rule="model", by="model")

    wrong = judged(task, oracle=fails("total", expected="60", actual="50"))
    said = blame(task, wrong, ask_model=ask)
    assert (said.by, asked) == ("rule", [])
    nothing = Gate(name="intent_kept", status="failed", evidence="unclear")
    open_case = Judgement(task_digest=task.digest, gates=(nothing,))
    said = blame(task, open_case, ask_model=ask)
    assert (said.by, said.artifact, asked) == ("model", "instruction", ["intent_kept"])
    assert blame(task, open_case).artifact is None


def test_the_same_failure_has_the_same_signature_and_another_has_another() -> None:
    task = make_task()
    one = blame(
        task, judged(task, oracle=fails("total", expected="60", actual="50", duration_s=1.0))
    )
    two = blame(
        task, judged(task, oracle=fails("total", expected="60", actual="50", duration_s=2.0))
    )
    other = blame(task, judged(task, oracle=fails("count", expected="3", actual="2")))
    assert one.signature == two.signature
    assert one.signature != other.signature


def test_rules_have_unique_names_and_known_gates() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    assert {g for rule in RULES for g in rule.gates} <= {row.name for row in gates.GATES}


def test_partial_text_is_used_as_planted() -> None:
    assert make_task().solution.partials[0].text == PARTIAL


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        ("[1, 2]", "[2, 1]", "order"),
        ("'a\\nb'", "'b\\na'", "order"),
        ("'Done'", "'done'", "case"),
        ("'a  b'", "'a b\\n'", "spaces"),
        ("1.333", "1.33", "rounding"),
        ("3", "4", "substance"),
        ("'3'", "3", "type"),
        ("{'a': 1}", "{'a': 1, 'b': 2}", "extra"),
        ("{'a': 1}", "{'b': 1}", "substance"),
        ("{'a': 1.001, 'b': 2}", "{'a': 1.0, 'b': 2}", "rounding"),
        ("[{'a': 'X'}]", "[{'a': 'x'}]", "case"),
        ("not a repr <", "not a repr >", "substance"),
        ("(" * 5000, "", "substance"),
    ],
)
def test_the_manner_of_a_difference(expected: str, actual: str, kind: str) -> None:
    assert manner(expected, actual) == kind


def test_an_order_is_only_judged_where_the_instruction_settles_it() -> None:
    assert keeps_order("[3, 2, 1]", "in descending order") is True
    assert keeps_order("[3, 2, 1]", "sorted ascending") is False
    assert keeps_order("[3, 2, 1]", "in any manner") is None
    assert keeps_order("['a', 1]", "sorted ascending") is None
