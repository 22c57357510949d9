"""`facet rebuild`: make the database again from journal and blobs."""

import time

from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    open_workspace,
    progress,
    result,
    result_json,
)
from facet.errors import WorkspaceBusy
from facet.store import Store


def rebuild(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Make the database again from journal and blobs.

    The old file is kept beside it as *.bad.<time>; the newest three stay.

    Example: facet rebuild --workspace data/workspace
    """
    opened = open_workspace(workspace, create=False)
    started = time.monotonic()
    try:
        rebuilt = Store.rebuilt(opened)
    except WorkspaceBusy as error:
        raise WorkspaceBusy(f"{error}: close the app on {opened.root}, then call again") from error
    with rebuilt as store:
        progress("reading judgements")
        blobs = store.load_details()
        health = store.health()
    seconds = time.monotonic() - started
    if as_json:
        result_json({**health.to_json(), "blobs": blobs, "seconds": round(seconds, 3)})
        return
    if health.skipped or health.unknown:
        result(f"{health.skipped} torn lines skipped, {health.unknown} records of unknown kinds")
    result(
        f"rebuilt from {health.events} events in {health.files} journal files "
        f"and {blobs} judgements in {seconds:.1f} s"
    )
