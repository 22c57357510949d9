"""Good tasks and planted defects judged in real containers: verdict, gate and blamed artifact."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from facet.blame import blame
from facet.contract.matrix import contract_matrix
from facet.density import density
from facet.gates import SEVEN, SYNTHESIS
from facet.judge import judge
from facet.repair import repair
from facet.sandbox.docker import DockerEngine
from facet.types.task import Task
from facet.types.verdict import Blame, Judgement
from tests.golden import good_tasks, orders
from tests.planted import Defect, defects

pytestmark = pytest.mark.docker

SUBSET = (
    "orders: output under another name",
    "orders: input path made up",
    "orders: tool nobody promised",
    "orders: reads another folder",
    "orders: vacuous check",
    "orders: crashes at import",
    "orders: column missing",
    "accounts: variable missing",
    "accounts: database never made",
    "accounts: mode nobody asked for",
    "catalog: service does not start",
)
PLANTED = tuple(d for d in defects() if d.name in SUBSET)


@dataclass(frozen=True)
class Lab:
    """An engine of this test's own."""

    engine: DockerEngine

    def judge(self, task: Task, gates=SYNTHESIS) -> Judgement:
        return judge(task, engine=self.engine, gates=gates)


@pytest.fixture(scope="module")
def lab(docker_server: str) -> Iterator[Lab]:
    """The engine; afterwards nothing with its label may be left."""
    import docker

    label = f"judge-{uuid.uuid4().hex[:8]}"
    yield Lab(DockerEngine(label))
    client = docker.from_env()
    try:
        mine = {"label": f"facet.workspace={label}"}
        assert client.containers.list(all=True, filters=mine) == []
        assert client.images.list(filters=mine) == []
    finally:
        client.close()


@pytest.mark.parametrize("task", good_tasks(), ids=lambda t: t.name)
def test_a_good_task_raises_no_false_alarm(lab: Lab, task: Task) -> None:
    found = lab.judge(task)
    assert found.valid, found.deciding
    assert {t.actor for t in found.trials} == {"nop", "oracle", "partial"}
    matrix = contract_matrix(task, oracle=found.trial("oracle"), nop=found.trial("nop"))
    assert matrix.disagreements == ()
    counts = density(task, found)
    assert len(counts.counted) >= 15
    assert counts.dead == ()


@pytest.mark.parametrize("defect", PLANTED, ids=lambda d: d.name.replace(" ", "_"))
def test_a_planted_defect_is_found_and_its_artifact_blamed(lab: Lab, defect: Defect) -> None:
    found = lab.judge(defect.task, SEVEN)
    assert found.deciding is not None
    said = blame(defect.task, found)
    assert (found.deciding.name, said.artifact) == (defect.gate, defect.artifact), said
    assert said.category == defect.category


def test_every_planted_defect_of_the_subset_exists() -> None:
    assert len(PLANTED) == len(SUBSET)


def test_a_planted_defect_is_mended_by_rewriting_only_the_blamed_artifact(lab: Lab) -> None:
    good = orders.task()
    defect = next(d for d in PLANTED if d.name == "orders: output under another name")

    def rewrite(task: Task, blame: Blame, judgement: Judgement, repeated: bool) -> Task:
        assert blame.artifact == "solution"
        return good

    result = repair(defect.task, lab.judge, rewrite, 5, blame=blame)
    assert (result.ending, len(result.rounds)) == ("valid", 1)
    assert result.task.digest == good.digest
