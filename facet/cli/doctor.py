"""`facet doctor`: one table of what is here and what is not."""

import shutil

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from facet.cli.common import JsonOption, WorkspaceOption, result, result_json
from facet.config import load_config
from facet.doctor import Finding, ThisHost, examine, fit
from facet.sandbox.docker import DockerEngine

WORDS = {
    "ok": ("ok", "green"),
    "missing": ("missing", "red"),
    "optional": ("optional", "yellow"),
    "unknown": ("unknown", "red"),
}
ENGINE_MISSING = 3


def doctor(workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Tell what is here and what is not, each with the command that mends it.

    Exits with 3 when something the main job needs is missing.

    Example: facet doctor --json
    """
    config = load_config()
    if workspace is not None:
        config = config.model_copy(update={"workspace": workspace})
    engine = DockerEngine(str(config.workspace))
    try:
        findings = examine(engine, config, ThisHost())
    finally:
        engine.close()
    ready = fit(findings)
    if json:
        result_json({"ready": ready, "findings": [f.to_json() for f in findings]})
    else:
        width = min(shutil.get_terminal_size((80, 24)).columns, 110)
        Console(width=width, highlight=False).print(findings_table(findings))
        result(summary(findings))
    if not ready:
        raise typer.Exit(ENGINE_MISSING)


def findings_table(findings: tuple[Finding, ...]) -> Table:
    """Three columns; the command to mend stands on its own line below what was found."""
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("what", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("found, and how to mend it", overflow="fold", ratio=1)
    for finding in findings:
        word, colour = WORDS[finding.state]
        cell = Text(finding.found)
        if finding.mend:
            cell.append(f"\n$ {finding.mend}", style="bold")
        table.add_row(finding.name, Text(word, style=colour), cell)
    return table


def summary(findings: tuple[Finding, ...]) -> str:
    """The last line."""
    lacking = [f.name for f in findings if f.needed and f.state != "ok"]
    if not lacking:
        return "Everything the main job needs is here."
    return f"Missing for the main job: {', '.join(lacking)}."
