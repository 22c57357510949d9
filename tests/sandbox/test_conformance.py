"""Both engines pass the one suite."""

from collections.abc import Callable

import pytest

from facet.sandbox.base import Engine
from facet.sandbox.conformance import CHECKS
from facet.sandbox.docker import DockerEngine

Check = Callable[[Engine, str], None]


@pytest.mark.docker
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_docker_conforms(check: Check, engine: DockerEngine, slim: str) -> None:
    check(engine, slim)
