"""The engine and the image of sandbox tests."""

from collections.abc import Iterator

import pytest

from facet.sandbox.docker import DockerEngine
from tests.conftest import missing
from tests.engines import session_engine

SLIM = "debian:bookworm-slim"


@pytest.fixture(scope="session")
def engine(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerEngine]:
    """An engine of this test session; after it nothing with its label may be left."""
    with session_engine(tmp_path_factory.mktemp("locks")) as made:
        yield made


@pytest.fixture(scope="session")
def slim(engine: DockerEngine) -> str:
    """A small Debian image that is on the machine."""
    for name in (SLIM, "facet-base"):
        if engine.image(name):
            return name
    missing("DOCKER", f"no {SLIM} and no facet-base image: run `facet base build`")
    raise AssertionError
