"""A workspace with a small run in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from facet.store import Store
from facet.workspace import Workspace
from tests.store.story import tell


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace with the story told."""
    opened = Workspace.open(tmp_path / "ws")
    tell(opened)
    return opened


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    """Its store, owning the index."""
    with Store.open(workspace) as opened:
        yield opened
