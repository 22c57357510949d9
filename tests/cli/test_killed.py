"""B35: a validation that is killed leaves nothing that the next start does not remove."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker.errors import APIError

from facet.base_images import base_ready
from facet.errors import BaseMissing
from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_owner import WORKSPACE
from tests import foreign
from tests.conftest import missing

pytestmark = pytest.mark.docker

SLEEP = "sleep 317"
HANGS = {
    "build": {"environment/Dockerfile": f"FROM facet-base\nRUN mkdir -p /app\nRUN {SLEEP}\n"},
    "solution": {"solution/solve.sh": f"#!/bin/bash\n{SLEEP}\n"},
    "verifier": {"tests/test.sh": f"#!/bin/bash\n{SLEEP}\n"},
}
PATIENCE_S = 240.0


@pytest.fixture(scope="module")
def base(docker_server: str) -> None:
    """The base image is there."""
    try:
        base_ready(DockerEngine("tests-killed"))
    except BaseMissing as error:
        missing("DOCKER", str(error))


@pytest.fixture
def neighbour(base: None, tmp_path: Path) -> Iterator[DockerEngine]:
    """Another process's engine in another workspace, whose things must stay."""
    engine = DockerEngine(f"neighbour of {tmp_path}")
    yield engine
    engine.close()


def left(engine: DockerEngine, workspace: Path) -> dict[str, int]:
    """How much of this workspace the server holds, by kind; images of build steps too."""
    filters = {"label": [f"{WORKSPACE}={workspace}"]}
    return {
        "containers": len(engine.api.containers(all=True, filters=filters)),
        "networks": len(engine.api.networks(filters=filters)),
        "images": len(engine.api.images(all=True, filters=filters)),
    }


def until_it_hangs(engine: DockerEngine, workspace: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a container of this workspace sleeps where the test wants it to."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        assert process.poll() is None, "the validation ended by itself"
        for found in engine.api.containers(filters={"label": [f"{WORKSPACE}={workspace}"]}):
            try:
                table = engine.api.top(found["Id"])
            except APIError:
                continue  # it just ended
            if any(SLEEP in " ".join(row) for row in table["Processes"] or []):
                return
        time.sleep(0.2)
    pytest.fail(f"nothing ran {SLEEP} within {PATIENCE_S:g} s")


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        ("build", signal.SIGKILL),
        ("solution", signal.SIGKILL),
        ("verifier", signal.SIGKILL),
        ("verifier", signal.SIGTERM),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_the_next_start_reaps_what_a_killed_validation_left_and_nothing_else(
    neighbour: DockerEngine, tmp_path: Path, stage: str, number: signal.Signals
) -> None:
    tasks, workspace = tmp_path / "tasks", tmp_path / "workspace"
    foreign.plain(tasks / "slow", **HANGS[stage])
    command = [sys.executable, "-m", "facet.cli.main", "validate", "--workspace", str(workspace)]
    with neighbour.start("facet-base") as bystander:
        process = subprocess.Popen(
            [*command, str(tasks)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            until_it_hangs(neighbour, workspace, process)
            process.send_signal(number)
            code = process.wait(timeout=PATIENCE_S)
        finally:
            process.kill()
            process.wait()
        if number == signal.SIGKILL:
            assert code == -signal.SIGKILL
            kind = "images" if stage == "build" else "containers"  # the engine ends a build itself
            assert left(neighbour, workspace)[kind] > 0, "nobody has cleared up yet"
            time.sleep(1.1)  # steps of a build are reaped once they are older than every owner
            again = foreign.plain(tmp_path / "again" / "quick")
            done = subprocess.run(
                [*command, str(again)], capture_output=True, text=True, timeout=PATIENCE_S
            )
            assert done.returncode == 0, done.stdout + done.stderr
        else:
            assert code == 130
        nothing = {"containers": 0, "networks": 0, "images": 0}
        until = time.monotonic() + PATIENCE_S
        while left(neighbour, workspace) != nothing and time.monotonic() < until:
            time.sleep(1.0)  # the engine ends the killed builder's own container by and by
        assert left(neighbour, workspace) == nothing
        assert bystander.alive()
