"""`facet sql`: one SELECT over the documented views, also beside a running app."""

from typing import Annotated

import typer

from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    notice,
    open_workspace,
    progress,
    result,
    result_json,
    table,
)
from facet.store import Store
from facet.store.views import VIEWS


def sql(
    query: Annotated[str, typer.Argument(help="One SELECT; without it the views are listed.")] = "",
    limit: Annotated[int, typer.Option("--limit", help="Most rows to print.", min=1)] = 1000,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Query the documented views, read-only.

    Example: facet sql "SELECT status, count(*) FROM tasks GROUP BY status"
    """
    opened = open_workspace(workspace, create=False)
    with Store.open(opened, wait_s=0) as store:
        notice(store)
        if not query:
            _list_views(store, as_json)
            return
        found = store.sql(query, limit)
    if as_json:
        result_json([dict(zip(found.columns, row, strict=True)) for row in found.rows])
        return
    result(table(found.rows, found.columns))
    if found.cut:
        progress(f"only the first {limit} rows are shown: --limit N shows more")
    result(f"{len(found.rows)} rows{' (cut)' if found.cut else ''}")


def _list_views(store: Store, as_json: bool) -> None:
    columns = {name: [str(r[0]) for r in store.sql(f"DESCRIBE {name}").rows] for name in VIEWS}
    if as_json:
        result_json({n: {"doc": v.doc, "columns": columns[n]} for n, v in VIEWS.items()})
        return
    for name, view in VIEWS.items():
        result(f"{name}: {view.doc}\n    {', '.join(columns[name])}")
    result(f"{len(VIEWS)} views")
