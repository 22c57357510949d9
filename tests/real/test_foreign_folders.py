"""Separate verifiers and tasks in steps, judged in real containers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from facet.base_images import base_ready
from facet.blame import blame
from facet.errors import BaseMissing
from facet.judge import judge
from facet.sandbox.base import SandboxOptions
from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_owner import WORKSPACE
from facet.validation import Verdict, validate
from tests import foreign
from tests.conftest import missing
from tests.engines import session_engine

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def engine(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerEngine]:
    """An engine that must leave nothing behind."""
    with session_engine(tmp_path_factory.mktemp("locks")) as made:
        try:
            base_ready(made)
        except BaseMissing as error:
            missing("DOCKER", str(error))
        yield made


def verdict(engine: DockerEngine, path: Path) -> Verdict:
    return validate([path], engine=lambda: engine, judge=judge, blame=blame)[0]


def test_a_separate_verifier_sees_declared_artifacts_and_nothing_else(
    engine: DockerEngine, tmp_path: Path
) -> None:
    found = verdict(engine, foreign.apart(tmp_path / "t", '["/app/out"]'))
    assert found.line == "valid"


def test_a_verifier_that_saw_no_work_is_told_apart_from_a_wrong_solution(
    engine: DockerEngine, tmp_path: Path
) -> None:
    """B01b: the answer was never copied to the verifier; an honest solve scores 0."""
    blind = verdict(engine, foreign.apart(tmp_path / "blind", '["/app/result"]'))
    assert blind.state == "invalid"
    assert blind.reason.startswith("final_passes: the verifier saw no work: 2 changed paths")
    assert (blind.blamed, blind.rule) == ("verifier", "verifier_saw_no_work")
    wrong = foreign.apart(
        tmp_path / "wrong",
        '["/app/out"]',
        **{"solution/solve.sh": "#!/bin/bash\nmkdir -p /app/out\necho 41 > /app/out/answer.txt\n"},
    )
    plain = verdict(engine, wrong)
    assert plain.reason.startswith("final_passes: 1 of 1 checks fail after the solution")


def test_a_verifier_image_that_does_not_build_is_the_verifiers_fault(
    engine: DockerEngine, tmp_path: Path
) -> None:
    path = foreign.apart(
        tmp_path / "t", "", **{"tests/Dockerfile": "FROM facet-base\nRUN exit 3\n"}
    )
    found = verdict(engine, path)
    assert (found.state, found.blamed) == ("invalid", "verifier")
    assert found.reason.startswith("builds: tests/Dockerfile: ")


def test_each_step_is_judged_where_the_last_one_ended(engine: DockerEngine, tmp_path: Path) -> None:
    found = verdict(engine, foreign.two_steps(tmp_path / "t"))
    assert found.line == "valid"
    assert [(s.name, s.state) for s in found.steps] == [("01", "valid"), ("02", "valid")]
    assert [len(s.gates) for s in found.steps] == [7, 7]


def test_a_step_that_is_wrong_makes_the_task_invalid_and_is_named(
    engine: DockerEngine, tmp_path: Path
) -> None:
    path = foreign.two_steps(
        tmp_path / "t", **{"steps/02/solution/solve.sh": "#!/bin/bash\necho 4 > /app/b\n"}
    )
    found = verdict(engine, path)
    assert [(s.name, s.state) for s in found.steps] == [("01", "valid"), ("02", "invalid")]
    assert found.reason.startswith("step 02: final_passes")


def test_a_step_without_a_final_state_leaves_the_next_one_unreached(
    engine: DockerEngine, tmp_path: Path
) -> None:
    path = foreign.two_steps(
        tmp_path / "t", **{"steps/01/solution/solve.sh": "#!/bin/bash\nexit 3\n"}
    )
    found = verdict(engine, path)
    assert [s.state for s in found.steps] == ["invalid", "not reached"]
    assert found.steps[1].reason == "the solution of step 01 gives no state to go on from"


def test_a_reward_that_the_solution_plants_is_removed_and_shown(
    engine: DockerEngine, tmp_path: Path
) -> None:
    """B01: solve.sh only writes reward.json = 1: not counted as solved, and shown."""
    forge = "#!/bin/bash\nmkdir -p /logs/verifier\n"
    forge += "echo '{\"reward\": 1}' > /logs/verifier/reward.json\n"
    path = foreign.plain(tmp_path / "t", **{"solution/solve.sh": forge})
    found = verdict(engine, path)
    assert found.reason.startswith("final_passes: 1 of 1 checks fail")
    assert any("oracle left /logs/verifier/reward.json" in line for line in found.remarks)


def test_no_network_is_made_for_a_task(engine: DockerEngine) -> None:
    """B50: forty containers one after another use up no address pool: they share what is there."""
    label = f"{WORKSPACE}={engine._workspace}"
    for network in ("none", "bridge"):
        with engine.start("facet-base", SandboxOptions(network=network)) as box:
            used = engine.api.inspect_container(box.id)["NetworkSettings"]["Networks"]
            assert set(used) == {network}
    assert engine.api.networks(filters={"label": [label]}) == []
