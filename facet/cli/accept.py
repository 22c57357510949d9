"""`facet accept`: judge a delivery of task folders as a buyer does."""

from pathlib import Path
from typing import Annotated

import typer

from facet.accept.criteria import Criterion, Evidence, accepted, assess
from facet.accept.delivery import Delivery, read_delivery
from facet.accept.known import read_known
from facet.accept.report import report_json, report_markdown, summary
from facet.accept.spec import Spec, read_spec
from facet.accept.trials import read_trials
from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    open_workspace,
    progress,
    result,
    result_json,
    table,
)
from facet.cli.validate import BaseMapOption, judge_folders
from facet.errors import Cancelled, EngineError, InputError
from facet.taskdir import find_tasks
from facet.validation import Verdict
from facet.validation_bases import parse_base_map
from facet.validation_table import plain


def command(
    delivery: Annotated[Path, typer.Argument(help="Folder of task folders.")],
    spec: Annotated[Path, typer.Option("--spec", help="What is demanded, as TOML.")],
    trials: Annotated[
        Path | None, typer.Option("--trials", help="Folder of trial results, for pass rates.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the report here, as Markdown.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Take recorded verdicts, or judge all again."),
    ] = True,
    base_map: BaseMapOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a delivery by a spec: each criterion met, not met or not assessed, and one report.

    Exit code 0 only when it is accepted: every criterion that the spec asks for is met. What could
    not be assessed (no Docker server, no trial results) is not met.

    Example: facet accept delivery/ --spec docs/accept-spec.toml --report report.md
    """
    wanted = read_spec(spec)
    folders = find_tasks([delivery])
    results = read_trials(trials) if trials else None
    known = wanted.decontamination
    texts = read_known(spec.parent / known.against) if known else ()
    verdicts: list[Verdict] = []
    trouble = ""
    if wanted.gates or wanted.density:
        bases = parse_base_map(base_map or [])
        try:
            judge_folders(folders, open_workspace(workspace), bases, resume, verdicts)
        except EngineError as error:
            trouble = str(error)
            progress(f"not judged: {trouble}")
        except KeyboardInterrupt as error:
            raise Cancelled(
                f"cancelled after {len(verdicts)} of {len(folders)} tasks; run it again to go on"
            ) from error
    found = read_delivery(folders, {v.path: v for v in verdicts}, trouble)
    criteria = assess(wanted, Evidence(delivery=found, trials=results, known=texts))
    if report is not None:
        _write(report, report_markdown(wanted, found, criteria))
    if as_json:
        result_json(report_json(wanted, found, criteria))
    else:
        _print(wanted, found, criteria)
    if not accepted(criteria):
        raise typer.Exit(1)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def _print(spec: Spec, delivery: Delivery, criteria: tuple[Criterion, ...]) -> None:
    result(
        table(
            [(c.title, c.status, c.wanted, c.found) for c in criteria],
            ("criterion", "answer", "demanded", "found"),
        )
    )
    for criterion in criteria:
        if criterion.status != "met":
            for item in criterion.items[:10]:
                result(plain(f"{criterion.name}: {item}"))
            if len(criterion.items) > 10:
                result(f"{criterion.name}: and {len(criterion.items) - 10} more (--report)")
    result(summary(criteria, len(delivery.items)))
