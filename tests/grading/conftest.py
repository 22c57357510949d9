"""One engine and one image for all trials of this folder."""

from collections.abc import Callable, Iterator

import pytest

from facet.errors import BaseMissing
from facet.grading.testsh import TEST_SH
from facet.types.manifest import Manifest
from facet.types.task import (
    Environment,
    FileSet,
    Instruction,
    Settings,
    Solution,
    Task,
    Verifier,
    text_file,
)
from facet.types.trial import Trial
from tests.conftest import missing

CHECKS = """
import pathlib, pytest

@pytest.mark.check(id="answer", title="the answer is written")
def test_answer():
    assert pathlib.Path("/app/answer.txt").read_text() == "42", "answer.txt is wrong"

@pytest.mark.check(id="hosts", title="the host file is there", guard=True)
def test_hosts():
    assert pathlib.Path("/etc/hosts").exists()
"""
SOLVE = "#!/bin/bash\nset -e\nprintf 42 > /app/answer.txt\n"


def make_task(
    *,
    solve: str = SOLVE,
    checks: str = CHECKS,
    test_sh: str = TEST_SH,
    settings: Settings | None = None,
    manifest: Manifest | None = None,
) -> Task:
    """A task whose image is the base image itself."""
    files = [text_file("test.sh", test_sh, executable=True), text_file("test_state.py", checks)]
    return Task(
        name="tests/answer",
        instruction=Instruction(text="Write 42 to /app/answer.txt."),
        environment=Environment(
            files=FileSet(files=(text_file("Dockerfile", "FROM facet-base\n"),)),
            manifest=manifest or Manifest(),
        ),
        solution=Solution(files=FileSet(files=(text_file("solve.sh", solve, executable=True),))),
        verifier=Verifier(files=FileSet(files=tuple(files))),
        settings=settings or Settings(agent_timeout_sec=60, verifier_timeout_sec=60),
    )


@pytest.fixture(scope="session")
def engine(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A Docker engine of this test run; what it leaves is removed at its end."""
    from facet.base_images import base_ready
    from facet.sandbox.docker import DockerEngine

    made = DockerEngine(
        str(tmp_path_factory.mktemp("engine")), locks=tmp_path_factory.mktemp("locks")
    )
    try:
        base_ready(made)
    except BaseMissing as error:
        missing("DOCKER", str(error))
    yield made
    made.close()


@pytest.fixture
def nop(engine: object) -> Callable[..., Trial]:
    """Grade the untouched base image."""
    from facet.trial import ActorSpec, run_trial

    def run(task: Task, **more: object) -> Trial:
        return run_trial(engine, "facet-base", task, ActorSpec(actor="nop"), **more)  # type: ignore[arg-type]

    return run


@pytest.fixture
def act(engine: object) -> Callable[..., Trial]:
    """Run a script as the actor and grade its final state."""
    from facet.trial import ActorSpec, run_trial

    def run(script: str, task: Task | None = None, actor: str = "probe", **more: object) -> Trial:
        file = text_file("solve.sh", script, executable=True)
        spec = ActorSpec(actor=actor, label="under test", script=file)  # type: ignore[arg-type]
        return run_trial(engine, "facet-base", task or make_task(), spec, **more)  # type: ignore[arg-type]

    return run
