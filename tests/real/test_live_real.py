"""The live container of a task page, on a real engine: start, look, change, solve, remove."""

import time
from collections.abc import Iterator

import pytest

from facet.base_images import base_ready
from facet.errors import EngineError
from facet.live import Opened, Room
from facet.realize import realize, start
from facet.sandbox.base import Sandbox
from facet.sandbox.docker import DockerEngine
from facet.types.task import Task
from tests.conftest import missing
from tests.engines import session_engine
from tests.golden import good_tasks

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def engine(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerEngine]:
    """An engine with the base image at hand; it fails when a container or image is left."""
    with session_engine(tmp_path_factory.mktemp("locks")) as made:
        try:
            base_ready(made)
        except EngineError as error:
            missing("DOCKER", str(error))
        yield made


def test_a_live_container_can_be_looked_at_changed_solved_and_is_removed(
    engine: DockerEngine,
) -> None:
    def make(task: Task) -> tuple[Sandbox, Opened]:
        realized = realize(engine, task.environment)
        return start(engine, realized), Opened(image=realized.image, manifest=realized.manifest)

    task = good_tasks()[0]
    room = Room(make, engine.remove_image)
    room.open(task)
    end = time.monotonic() + 300
    while room.view(task.digest).state == "building":
        assert time.monotonic() < end, "never came up"
        time.sleep(0.1)
    assert room.view(task.digest).state == "ready", room.view(task.digest).line
    assert room.run(task.digest, "echo seen >/app/mark").ok
    assert room.read(task.digest, "/app/mark") == "seen\n"
    assert "mark" in {entry.name for entry in room.entries(task.digest, "/app")}
    assert ("/app/mark", "added") in {(c.path, c.change) for c in room.changes(task.digest)}
    assert room.processes(task.digest)
    assert room.solve(task.digest, task, timeout_s=120).ok
    room.close(task.digest)
    assert room.view(task.digest).state == "none"
