"""Task bundles: each task once, under its digest, as a Harbor folder and as JSON.

`<root>/<hex>/` is the folder Harbor loads; `<root>/<hex>.json` is the whole `Task` (scenario,
manifest and provenance included), from which it is read back. Nothing here deletes or rewrites.
"""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from facet.blobs import DIGEST, write_durably
from facet.errors import TaskFolderError, WorkspaceError
from facet.taskdir import write_task
from facet.types.task import Task
from facet.types.value import canonical_json


class Bundles:
    """A folder of bundles; safe for any number of processes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """Harbor folder of a task digest; raises WorkspaceError on a non-digest."""
        if not DIGEST.fullmatch(digest):
            raise WorkspaceError(f"{digest[:80]!r} is not a task digest")
        return self.root / digest.removeprefix("sha256:")

    def write(self, task: Task) -> Path:
        """Store a task and return its Harbor folder; the same digest is written once.

        Raises WorkspaceError when the disk refuses.
        """
        folder = self.path(task.digest)
        whole = folder.with_name(folder.name + ".json")
        try:
            if not whole.exists():
                if not folder.exists():
                    self.root.mkdir(parents=True, exist_ok=True)
                    _write_once(write_task, task, folder)
                write_durably(whole, canonical_json(task.to_json()))
        except OSError as error:
            raise WorkspaceError(f"cannot store a task in {self.root}: {error}") from error
        return folder

    def has(self, digest: str) -> bool:
        """True when a task of this digest was stored whole."""
        folder = self.path(digest)
        return folder.with_name(folder.name + ".json").is_file()

    def read(self, digest: str) -> Task:
        """The task of a digest; raises WorkspaceError when absent, damaged or altered."""
        folder = self.path(digest)
        whole = folder.with_name(folder.name + ".json")
        try:
            task = Task.model_validate_json(whole.read_bytes())
        except OSError as error:
            raise WorkspaceError(f"task {digest} is not in {self.root}") from error
        except ValidationError as error:
            raise WorkspaceError(f"{whole} is damaged: {error.error_count()} faults") from error
        if task.digest != digest:
            raise WorkspaceError(f"{whole} holds another task than its name says")
        return task


def _write_once(write: Callable[[Task, Path], object], task: Task, folder: Path) -> None:
    """Write the folder; losing the race against another writer of the same digest is fine."""
    try:
        write(task, folder)
    except (OSError, TaskFolderError):
        if not folder.is_dir():
            raise
