"""Which tasks of a workspace may leave it: valid ones, and on demand only approved ones."""

from collections.abc import Callable, Iterator
from pathlib import Path

from facet.errors import WorkspaceError
from facet.exports import PACKAGES, Chosen
from facet.packages import fetch_wheel_set, layer_files, pip_download
from facet.resources import with_resources
from facet.store import Store
from facet.types.task import Task, TextFile
from facet.workspace import Workspace


def validated(
    workspace: Workspace,
    *,
    cache: Path,
    run: str = "",
    approved: bool = False,
    left_out: Callable[[str], None] | None = None,
) -> Iterator[Chosen]:
    """Tasks whose current digest is valid, with the resources and wheels their build needs.

    `approved` keeps those whose current decision on exactly this digest is approve and undisputed.
    A task whose bundle is missing or damaged is told to `left_out` (or raises WorkspaceError where
    nobody listens) and hides no other. Raises BuildError or EngineError when a resource cannot be
    had.
    """
    with Store.memory(workspace) as store:
        rows = store.tasks(run=run, status="valid")
    for row in rows:
        if approved and (row.decision != "approve" or row.disputed):
            continue
        try:
            task = workspace.bundles.read(row.digest)
        except WorkspaceError as error:
            if left_out is None:
                raise
            left_out(f"{row.key}: {error}")
            continue
        yield Chosen(
            task=task,
            key=row.key,
            checks=row.checks,
            decision=row.decision or "",
            resources=_resources(task, cache),
        )


def _resources(task: Task, cache: Path) -> tuple[TextFile, ...]:
    manifest = task.environment.manifest
    have = {f.path for f in task.environment.files.files}
    full = with_resources(task.environment).files.files
    wheels = fetch_wheel_set(manifest.packages if manifest else (), cache, pip_download)
    return (
        *(f for f in full if f.path not in have),
        *(f.model_copy(update={"path": f"{PACKAGES}/{f.path}"}) for f in layer_files(wheels)),
    )
