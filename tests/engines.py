"""A Docker engine of one test session, and the proof that nothing of it is left behind."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_owner import WORKSPACE


@contextmanager
def session_engine(locks: Path) -> Iterator[DockerEngine]:
    """An engine with a label of its own; at the end no container, no image may carry it."""
    label = f"tests-{uuid.uuid4().hex[:12]}"
    filters = {"label": [f"{WORKSPACE}={label}"]}
    engine = DockerEngine(label, locks=locks)
    yield engine
    left = [c["Id"] for c in engine.api.containers(all=True, filters=filters)]
    engine.close()
    assert left == [], f"containers left behind: {left}"
    check = DockerEngine(label, locks=locks)
    images = [i["Id"] for i in check.api.images(all=True, filters=filters)]
    check.close()
    assert images == [], f"images left behind: {images}"
