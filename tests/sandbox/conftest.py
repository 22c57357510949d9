"""The image of sandbox tests, and the proof that no container of ours is left behind."""

import uuid
from collections.abc import Iterator

import pytest

from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_owner import WORKSPACE
from tests.conftest import missing

SLIM = "debian:bookworm-slim"


@pytest.fixture(scope="session")
def engine(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerEngine]:
    """An engine of this test session; after it nothing with its label may be left."""
    label = f"tests-{uuid.uuid4().hex[:12]}"
    made = DockerEngine(label, run="sandbox", locks=tmp_path_factory.mktemp("locks"))
    yield made
    api = made.api
    filters = {"label": [f"{WORKSPACE}={label}"]}
    left = [c["Id"] for c in api.containers(all=True, filters=filters)]
    made.close()
    assert left == [], f"containers left behind: {left}"
    check = DockerEngine(label)
    images = [i["Id"] for i in check.api.images(all=True, filters=filters)]
    check.close()
    assert images == [], f"images left behind: {images}"


@pytest.fixture(scope="session")
def slim(engine: DockerEngine) -> str:
    """A small Debian image that is on the machine."""
    for name in (SLIM, "facet-base"):
        if engine.image(name):
            return name
    missing("DOCKER", f"no {SLIM} and no facet-base image: run `facet base build`")
    raise AssertionError
