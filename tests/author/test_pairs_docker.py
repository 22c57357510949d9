"""A handful of pairs in real containers: valid without slips by all seven gates."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from facet.author.recipe import Recipe
from facet.author.recipes import recipe
from facet.judge import judge
from facet.realize import realize
from facet.sandbox.docker import DockerEngine
from facet.trial import ActorSpec, run_trial
from tests.author.harness import walk

PAIRS = (
    ("tables", "database"),
    ("history", "permissions"),
    ("archive", "schedule"),
    ("webpages", "reconcile"),
)


def known(name: str) -> Recipe:
    found = recipe(name)
    assert found is not None
    return found


@pytest.fixture
def engine(docker_server: str, tmp_path: Path) -> Iterator[DockerEngine]:
    """An engine with a label of its own."""
    made = DockerEngine(str(tmp_path))
    yield made
    made.close()


@pytest.mark.docker
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_pair_without_slips_is_valid_in_a_container(
    first: str, second: str, engine: DockerEngine
) -> None:
    task = walk(known(first), known(second), 40).task
    judgement = judge(task, engine=engine)
    gate = judgement.deciding
    assert judgement.valid, gate and (gate.name, gate.evidence, gate.details)


@pytest.mark.docker
def test_an_alternative_passes_every_check(engine: DockerEngine) -> None:
    task = walk(known("jsondata"), known("notes"), 41).task
    image = realize(engine, task.environment, workspace=None).image
    try:
        (script,) = task.solution.alternatives
        spec = ActorSpec(actor="alternative", label=script.path, script=script)
        trial = run_trial(engine, image, task, spec)
        assert trial.full, (trial.outcome, trial.detail, [c.id for c in trial.failing])
    finally:
        engine.remove_image(image)
