"""Defects planted in the golden tasks: one artifact of a good task is changed, by hand.

`artifact` is the one that was changed; `category` and `gate` are what a judgement must say. The
set is data: tests run a part of it in real containers, the benchmark all of it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from facet.assemble import environment_from, verifier_from
from facet.types.asks import TestFile, VerifierReply
from facet.types.manifest import Manifest, PlannedFile
from facet.types.task import Artifact, Instruction, Solution, Task, TextFile
from facet.types.verdict import Category, GateName
from tests.golden import accounts, catalog, orders

BUILD: Category = "infrastructure, build or dependency"
GROUND: Category = "fixture, schema or path grounding"
CONTRACT: Category = "contract mismatch"
RUNTIME: Category = "solution runtime"
STRICT: Category = "over-constrained verifier"
WEAK: Category = "weak verifier"


@dataclass(frozen=True)
class Defect:
    """One planted defect: the changed task and what must be said of it."""

    name: str
    task: Task
    artifact: Artifact
    category: Category
    gate: GateName


def in_text(task: Task, artifact: Artifact, old: str, new: str) -> Task:
    """Replace text in one artifact; the old text must be there."""
    if artifact == "instruction":
        assert old in task.instruction.text, old
        return task.replace(
            "instruction", Instruction(text=task.instruction.text.replace(old, new))
        )
    if artifact == "verifier":
        text = task.verifier.files.text("test_state.py")
        assert old in text, old
        changed = TestFile(path="test_state.py", text=text.replace(old, new))
        return task.replace("verifier", verifier_from(VerifierReply(files=(changed,))))
    assert artifact == "solution"
    assert old in task.solution.script, old
    file = TextFile(
        path="solve.sh", data=task.solution.script.replace(old, new).encode(), executable=True
    )
    return task.replace("solution", Solution(files=task.solution.files.with_file(file)))


def in_plan(task: Task, change: Callable[[Manifest], Manifest]) -> Task:
    """Change the plan and build the environment from it."""
    assert task.environment.manifest is not None
    return task.replace("environment", environment_from(change(task.environment.manifest)))


def in_fixture(task: Task, path: str, old: bytes, new: bytes) -> Task:
    """Replace bytes of one fixture."""

    def change(manifest: Manifest) -> Manifest:
        files = []
        for file in manifest.files:
            if file.path == path:
                assert file.data is not None
                assert old in file.data, old
                file = file.model_copy(update={"data": file.data.replace(old, new)})
            files.append(file)
        return manifest.model_copy(update={"files": tuple(files)})

    return in_plan(task, change)


def without_file(task: Task, path: str) -> Task:
    """Leave one fixture out of the plan."""
    return in_plan(
        task,
        lambda m: m.model_copy(update={"files": tuple(f for f in m.files if f.path != path)}),
    )


def with_file(task: Task, file: PlannedFile) -> Task:
    """Plan one more file."""
    return in_plan(task, lambda m: m.model_copy(update={"files": (*m.files, file)}))


def defects() -> tuple[Defect, ...]:
    """All of them."""
    return (*_orders(), *_accounts(), *_catalog())


def _orders() -> tuple[Defect, ...]:
    task = orders.task()

    def solution(name: str, old: str, new: str, category: Category, gate: GateName) -> Defect:
        return Defect(
            f"orders: {name}", in_text(task, "solution", old, new), "solution", category, gate
        )

    def verifier(name: str, old: str, new: str, category: Category, gate: GateName) -> Defect:
        return Defect(
            f"orders: {name}", in_text(task, "verifier", old, new), "verifier", category, gate
        )

    def env(name: str, changed: Task, category: Category, gate: GateName) -> Defect:
        return Defect(f"orders: {name}", changed, "environment", category, gate)

    return (
        solution(
            "output under another name",
            "out/report.json",
            "out/summary.json",
            CONTRACT,
            "final_passes",
        ),
        solution(
            "columns renamed",
            '"order_id", "region", "amount"',
            '"id", "region", "amount"',
            CONTRACT,
            "final_passes",
        ),
        solution("no rounding", "{a:.2f}", "{a:.3f}", CONTRACT, "final_passes"),
        solution(
            "sorted the wrong way",
            "good.sort()",
            "good.sort(reverse=True)",
            CONTRACT,
            "final_passes",
        ),
        solution("case kept", ".strip().lower()", ".strip()", CONTRACT, "final_passes"),
        solution("mode too strict", "chmod 0644", "chmod 0600", CONTRACT, "final_passes"),
        solution("one reason wrong", '"duplicate"', '"repeated"', CONTRACT, "final_passes"),
        solution(
            "input overwritten",
            "chmod 0644",
            "echo > /app/data/orders.csv; chmod 0644",
            RUNTIME,
            "final_passes",
        ),
        solution("folder not made", "mkdir -p /app/out\n", "", RUNTIME, "solution_runs"),
        solution(
            "input path made up",
            '"/app/data/orders.csv"',
            '"/app/input/sales.csv"',
            GROUND,
            "solution_runs",
        ),
        solution("column misspelt", 'row["amount"]', 'row["amnt"]', GROUND, "solution_runs"),
        solution(
            "tool nobody promised",
            "chmod 0644",
            "miller --version; chmod 0644",
            BUILD,
            "solution_runs",
        ),
        solution("syntax error", "seen.add(ident)", "seen.add(ident", RUNTIME, "solution_runs"),
        solution(
            "reads the network",
            "mkdir -p",
            "curl -fsS https://example.org/x; mkdir -p",
            BUILD,
            "solution_runs",
        ),
        solution("crlf", "set -euo pipefail\n", "set -euo pipefail\r\n", BUILD, "loads"),
        verifier(
            "reads another file name", '"report.json"', '"reports.json"', CONTRACT, "final_passes"
        ),
        verifier(
            "reads another folder",
            'Path("/app/out")',
            'Path("/app/output")',
            CONTRACT,
            "final_passes",
        ),
        verifier(
            "key nobody names",
            'report()["orders"]',
            'report()["order_count"]',
            CONTRACT,
            "final_passes",
        ),
        verifier(
            "other columns",
            '"order_id,region,amount", "header',
            '"id,region,amount", "header',
            CONTRACT,
            "final_passes",
        ),
        verifier(
            "order left free",
            "== 5",
            "== 5 and list(report())[0] == 'rejected'",
            STRICT,
            "final_passes",
        ),
        verifier("mode nobody asked for", '{"0o644"}', '{"0o600"}', CONTRACT, "final_passes"),
        verifier("word nobody used", '["negative"]', '["below-zero"]', STRICT, "final_passes"),
        verifier(
            "crashing helper",
            "json.loads(path.read_text())",
            "jsn.loads(path.read_text())",
            WEAK,
            "final_passes",
        ),
        verifier("crashes at import", "import hashlib", "import hashlb", WEAK, "verifier_runs"),
        verifier(
            "vacuous check",
            'assert report()["orders"] == 5',
            "assert True or report()",
            WEAK,
            "initial_fails",
        ),
        verifier(
            "reads the script",
            '["invalid"], "order 1007"',
            "['invalid'] and 'awk' in Path('/solution/solve.sh').read_text()",
            STRICT,
            "final_passes",
        ),
        verifier("does not parse", "def report():", "def report(:", BUILD, "loads"),
        verifier(
            "guard that was never true",
            f'"{_digest(task)}"',
            '"0" * 64',
            CONTRACT,
            "initial_fails",
        ),
        env("fixture missing", without_file(task, "/app/data/orders.csv"), GROUND, "initial_fails"),
        env(
            "column missing",
            in_fixture(task, "/app/data/orders.csv", b"amount", b"value"),
            GROUND,
            "initial_fails",
        ),
        env(
            "setup fails",
            in_plan(task, lambda m: m.model_copy(update={"setup": ("false",)})),
            BUILD,
            "builds",
        ),
        env(
            "work folder is a file",
            with_file(task, PlannedFile(path="/app/out", data=b"x")),
            GROUND,
            "solution_runs",
        ),
    )


def _digest(task: Task) -> str:
    text = task.verifier.files.text("test_state.py")
    return text[text.rindex('== "') + 4 :][:64]


def _accounts() -> tuple[Defect, ...]:
    task = accounts.task()

    def solution(name: str, old: str, new: str, category: Category, gate: GateName) -> Defect:
        return Defect(
            f"accounts: {name}", in_text(task, "solution", old, new), "solution", category, gate
        )

    def verifier(name: str, old: str, new: str, category: Category, gate: GateName) -> Defect:
        return Defect(
            f"accounts: {name}", in_text(task, "verifier", old, new), "verifier", category, gate
        )

    def env(name: str, changed: Task, category: Category, gate: GateName) -> Defect:
        return Defect(f"accounts: {name}", changed, "environment", category, gate)

    return (
        solution(
            "index under another name", "entry_by_day", "entry_day_idx", CONTRACT, "final_passes"
        ),
        solution("owner not set", 'chown "$owner"', "chown root", CONTRACT, "final_passes"),
        solution("wrong variable", "$CLOSING_DAY", "$CLOSE_DATE", RUNTIME, "solution_runs"),
        solution(
            "table misspelt", "DELETE FROM entry", "DELETE FROM entries", GROUND, "solution_runs"
        ),
        solution("unknown login", 'chown "$owner"', "chown reporter", RUNTIME, "solution_runs"),
        solution("fee not booked", "-$fee FROM balance", "0 FROM balance", RUNTIME, "final_passes"),
        verifier(
            "index of another name",
            "name = 'entry_by_day'",
            "name = 'idx_entry_day'",
            CONTRACT,
            "final_passes",
        ),
        verifier(
            "owner nobody asked for", '== "ledger"', '== "www-data"', CONTRACT, "final_passes"
        ),
        verifier(
            "file nobody asked for",
            "/app/export/charged.txt",
            "/app/export/fees.txt",
            CONTRACT,
            "final_passes",
        ),
        verifier("mode nobody asked for", '"0o640"', '"0o600"', CONTRACT, "final_passes"),
        env(
            "login missing",
            in_plan(
                task,
                lambda m: m.model_copy(
                    update={
                        "users": (),
                        "files": tuple(f.model_copy(update={"owner": "root"}) for f in m.files),
                    }
                ),
            ),
            GROUND,
            "solution_runs",
        ),
        env(
            "variable missing",
            in_plan(task, lambda m: m.model_copy(update={"env": ()})),
            GROUND,
            "solution_runs",
        ),
        env("policy missing", without_file(task, "/app/policy.conf"), GROUND, "solution_runs"),
        env(
            "table missing",
            in_fixture(task, "/app/seed.sql", b"entry", b"posting"),
            GROUND,
            "initial_fails",
        ),
        env(
            "database never made",
            in_plan(task, lambda m: m.model_copy(update={"setup": ()})),
            GROUND,
            "initial_fails",
        ),
    )


def _catalog() -> tuple[Defect, ...]:
    task = catalog.task()

    def solution(name: str, old: str, new: str, category: Category, gate: GateName) -> Defect:
        return Defect(
            f"catalog: {name}", in_text(task, "solution", old, new), "solution", category, gate
        )

    def verifier(name: str, old: str, new: str, category: Category, gate: GateName) -> Defect:
        return Defect(
            f"catalog: {name}", in_text(task, "verifier", old, new), "verifier", category, gate
        )

    def env(name: str, changed: Task, category: Category, gate: GateName) -> Defect:
        return Defect(f"catalog: {name}", changed, "environment", category, gate)

    return (
        solution("wrong port", ":8099", ":8090", RUNTIME, "solution_runs"),
        solution("not executable", "chmod 0755 /app/bin/sync.sh\n", "", RUNTIME, "solution_runs"),
        solution(
            "run for another folder",
            "sync.sh /app/mirror\n",
            "sync.sh /app/copy\n",
            CONTRACT,
            "final_passes",
        ),
        solution(
            "key renamed", '"out_of_stock": gone', '"sold_out": gone', CONTRACT, "final_passes"
        ),
        verifier("other port", "8099", "8098", CONTRACT, "initial_fails"),
        verifier(
            "key nobody names",
            'value("out_of_stock")',
            'value("sold_out")',
            CONTRACT,
            "final_passes",
        ),
        verifier(
            "script of another name", "bin/sync.sh", "bin/mirror.sh", CONTRACT, "final_passes"
        ),
        verifier(
            "exit code nobody asked for",
            "run().returncode == 2",
            "run().returncode == 64",
            CONTRACT,
            "final_passes",
        ),
        env(
            "service not declared",
            in_plan(task, lambda m: m.model_copy(update={"services": ()})),
            BUILD,
            "initial_fails",
        ),
        env(
            "service does not start",
            in_plan(
                task,
                lambda m: m.model_copy(
                    update={
                        "services": (m.services[0].model_copy(update={"command": "exec false"}),)
                    }
                ),
            ),
            BUILD,
            "manifest_realized",
        ),
        env(
            "served file missing",
            without_file(task, "/srv/catalog/prices.json"),
            GROUND,
            "initial_fails",
        ),
    )
