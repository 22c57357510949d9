"""`facet selftest`: are good tasks left alone, and planted defects found and put down rightly?"""

from collections.abc import Sequence
from contextlib import closing
from typing import Annotated

import typer

from facet.base_images import base_ready
from facet.blame import blame
from facet.cli.common import JsonOption, WorkspaceOption, progress, result, result_json, table
from facet.config import load_config
from facet.errors import InputError
from facet.images import Images
from facet.judge import judge
from facet.realize import realize
from facet.sandbox.docker import DockerEngine
from facet.selftest.catalogue import DEFECTS, KINDS
from facet.selftest.good import NAMES, good_task
from facet.selftest.mark import LEAST_ARTIFACTS, LEAST_VERDICTS, Report, Right, Tally
from facet.selftest.run import (
    GOOD_GATES,
    QUICK_GATES,
    QUICK_GOOD,
    Judge,
    outcome,
    quick_defects,
    run_selftest,
)
from facet.strict import STRICT
from facet.types.task import Task
from facet.types.verdict import GateName, Judgement

RIGHTS: tuple[Right, ...] = ("verdict", "artifact", "category")


def selftest(
    quick: Annotated[bool, typer.Option("--quick", help="One defect of every kind.")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only defects of this kind (repeatable).")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Tasks at a time.")] = 2,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Judge good tasks and planted defects in containers; count right verdicts and artifacts.

    Exit code 0 only if at least 98 % of the verdicts and 95 % of the artifacts are right and no
    good task is objected to.

    Example: facet selftest --quick
    """
    if unknown := [kind for kind in only or () if kind not in KINDS]:
        raise InputError(
            f"no kind of defect is called {unknown[0]!r}; there are: {', '.join(KINDS)}"
        )
    defects = quick_defects() if quick else DEFECTS
    if only:
        defects = tuple(d for d in DEFECTS if d.kind in only)
    label = str((workspace or load_config().workspace).absolute())
    with closing(DockerEngine(label)) as engine:
        engine.check()
        base_ready(engine)
        engine.reap()
        with Images(engine, lambda env: realize(engine, env)) as images:
            report = run_selftest(
                sharing(engine, images),
                blame,
                defects=defects,
                good=() if only else QUICK_GOOD if quick else NAMES,
                good_gates=QUICK_GATES if quick else GOOD_GATES,
                workers=workers,
                tell=progress,
            )
    if json:
        result_json(as_json(report))
    else:
        show(report)
    if not report.passed:
        raise typer.Exit(1)


def sharing(engine: DockerEngine, images: Images) -> Judge:
    """Judge with images that stay as long as they belong to a good task."""
    good = {good_task(name).environment.value_digest() for name in NAMES}

    def judged(task: Task, gates: Sequence[GateName]) -> Judgement:
        try:
            return judge(task, engine=engine, gates=gates, images=images, more=STRICT)
        finally:
            if task.environment.value_digest() not in good:
                images.drop(task.environment)

    return judged


def show(report: Report) -> None:
    """Every wrong mark, a table per kind, both figures, one last line."""
    wrong = [m for m in report.marks if not all(m.right.values())]
    for done in wrong:
        result(f"{done.id}: {outcome(done)}")
    if wrong:
        result("")
    if report.marks:
        rows = [_row(t) for t in (*report.kinds, report.tuned, report.held_out, report.whole)]
        result(table(rows, ("kind", "defects", *RIGHTS, "seconds")))
        result("")
        for part in (report.tuned, report.held_out):
            result(f"{part.name}: {figures(part)}")
    for alarm in report.alarms:
        result(f"good task {alarm.name}: {alarm.status} at {alarm.gate}: {alarm.evidence}")
    result(summary(report))


def _row(part: Tally) -> tuple[object, ...]:
    return (
        part.name,
        part.count,
        part.verdict,
        part.artifact,
        part.category,
        f"{part.seconds:.0f}",
    )


def figures(part: Tally) -> str:
    """Shares of right answers of a part, in words."""
    if not part.count:
        return "no defects"
    shares = ", ".join(f"{name} {100 * (part.share(name) or 0):.1f} %" for name in RIGHTS)
    return f"{shares} right of {part.count}"


def summary(report: Report) -> str:
    """The last line."""
    good = f"{len(report.good) - len(report.alarms)} of {len(report.good)} good tasks left alone"
    word = "passed" if report.passed else "failed"
    wanted = f"wanted {100 * LEAST_VERDICTS:.0f} % and {100 * LEAST_ARTIFACTS:.0f} %"
    return f"Self-test {word}: {figures(report.whole)} ({wanted}), {good}."


def as_json(report: Report) -> dict[str, object]:
    """The whole report."""
    parts = {t.name: t.to_json() for t in (report.whole, report.tuned, report.held_out)}
    return {
        "passed": report.passed,
        "figures": parts,
        "kinds": [t.to_json() for t in report.kinds],
        "defects": [{**m.to_json(), "right": m.right} for m in report.marks],
        "good": [g.to_json() for g in report.good],
    }
