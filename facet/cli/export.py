"""`facet export`: validated tasks as folders that others can run."""

from pathlib import Path
from typing import Annotated

import typer

from facet.base_images import fetch_wheels
from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    open_workspace,
    progress,
    result,
    result_json,
)
from facet.config import load_config
from facet.errors import InputError, WorkspaceError
from facet.exports import export_harbor
from facet.exports_choice import validated


def export(
    out: Annotated[Path, typer.Argument(help="Folder to write to; new, or an earlier export.")],
    format: Annotated[str, typer.Option("--format", help="Only `harbor` so far.")] = "harbor",
    approved: Annotated[
        bool,
        typer.Option("--approved", help="Only tasks whose very digest is approved by a person."),
    ] = False,
    base_ref: Annotated[
        str,
        typer.Option("--base-ref", help="Start from this image instead of carrying the base."),
    ] = "",
    run: Annotated[str, typer.Option("--run", help="Only tasks of this run.")] = "",
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write validated tasks as Harbor folders that load and run offline in stock Harbor 0.26.

    Example: facet export --format harbor out/ --approved
    """
    if format != "harbor":
        raise InputError(f"--format {format}: only `harbor` is known")
    opened = open_workspace(workspace, create=False)
    cache = load_config().cache
    lost: list[str] = []
    chosen = list(validated(opened, cache=cache, run=run, approved=approved, left_out=lost.append))
    for text in lost:
        progress(f"left out: {text}")
    if not chosen and lost:
        raise WorkspaceError(f"none of {len(lost)} tasks in {opened.root} can be read: {lost[0]}")
    if not chosen:
        wanted = "approved and validated" if approved else "validated"
        raise InputError(f"no {wanted} task in {opened.root}: `facet stats` says what there is")
    wheels = () if base_ref else fetch_wheels(cache, progress)
    made = export_harbor(chosen, out, base_ref=base_ref, wheels=wheels)
    count = len(made.summary.tasks)  # two runs may have made the very same task
    line = f"{count} tasks in {out}: {made.written} written, {made.unchanged} as they were"
    if lost:
        line += f", {len(lost)} left out"
    if as_json:
        result_json({"out": str(out), "summary": line, "left_out": lost, **made.to_json()})
    else:
        for task in made.summary.tasks:
            result(f"{out / task.folder}  {task.name}  {task.checks} checks")
        result(line)
    if lost:
        raise typer.Exit(1)
