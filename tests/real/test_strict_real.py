"""Strict gates in containers: a good task passes all, a bad one fails the gate it should."""

import time
from collections.abc import Iterator

import pytest

from facet.base_images import base_ready
from facet.blame import blame
from facet.errors import BaseMissing
from facet.sandbox.docker import DockerEngine
from facet.selftest.golden import orders
from facet.selftest.golden.build import golden
from facet.strict.choice import choose
from facet.types.manifest import Manifest, PlannedFile
from facet.types.task import Task
from facet.types.verdict import Gate
from tests.conftest import missing
from tests.judging import INSTRUCTION, ORDERS, PARTIAL, SOLVE, TESTS

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def engine(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerEngine]:
    made = DockerEngine(str(tmp_path_factory.mktemp("strict")))
    try:
        base_ready(made)
    except BaseMissing as error:
        missing("DOCKER", str(error))
    yield made
    made.close()


def small(tests: str = TESTS, **files: bytes) -> Task:
    """The task of `tests.judging` as one that builds; `files` are planted below /app."""
    planned = [PlannedFile(path="/app/data/orders.csv", data=ORDERS)]
    planned += [PlannedFile(path=f"/app/{name}", data=data) for name, data in files.items()]
    return golden(
        "small",
        manifest=Manifest(files=tuple(planned)),
        instruction=INSTRUCTION,
        solve=SOLVE,
        partials={"log-only": PARTIAL},
        tests=tests,
    )


def asked(engine: DockerEngine, task: Task, *names: str, mutants: int = 3) -> tuple[Gate, str]:
    """The gate that decides (the last one of a good task), and who is blamed."""
    found = choose(names, mutants=mutants, repeats=1).judge(task, engine=engine)
    return found.deciding or found.gates[-1], str(blame(task, found).artifact)


def test_a_good_task_passes_every_strict_gate(engine: DockerEngine) -> None:
    gate, _ = asked(engine, orders.task())
    assert (gate.name, gate.status) == ("mutants_die", "passed"), gate
    assert "3 fail a check" in gate.evidence


def test_checks_that_turn_with_order_and_clock_are_named(engine: DockerEngine) -> None:
    limit = time.time() + 100 * 86_400
    flaky = TESTS.replace(
        "def test_count():",
        f"def test_count():\n    import time\n    assert time.time() < {limit:.0f}, 'too late'",
    )
    order = "\nSEEN = []\n" + "".join(
        f'\n@pytest.mark.check(id="turn{n}", title="turn {n}")\n'
        f"def test_turn{n}():\n    totals()\n    SEEN.append({n})\n"
        f"    assert SEEN == sorted(SEEN), 'out of turn'\n"
        for n in range(6)
    )
    gate, artifact = asked(engine, small(flaky + order), "stable")
    assert (gate.name, gate.status, artifact) == ("stable", "failed", "verifier"), gate
    told = "\n".join(gate.details)
    assert "oracle, clock +400d: check count is failed, it was passed" in told
    assert "oracle, other order" in told
    assert "other locale" not in told


def test_a_leaked_answer_breaks_the_seal(engine: DockerEngine) -> None:
    gate, artifact = asked(engine, small(notes=SOLVE.encode()), "sealed")
    assert (gate.name, gate.status, artifact) == ("sealed", "failed", "environment"), gate
    assert "holds solution solve.sh" in gate.evidence


def test_a_weak_verifier_lets_a_mutant_live(engine: DockerEngine) -> None:
    weak = TESTS.replace('totals()["total"] == 60', '"total" in totals()')
    gate, artifact = asked(engine, small(weak), "mutants_die", mutants=2)
    assert (gate.name, gate.status, artifact) == ("mutants_die", "failed", "verifier"), gate
    assert "all checks pass although /app/out/totals.json" in gate.evidence
