"""`facet validate`: judge any Harbor task folder by the seven gates."""

import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from facet.base_images import base_ready
from facet.blame import blame
from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    open_workspace,
    progress,
    result,
    result_json,
)
from facet.errors import Cancelled, EngineError
from facet.judge import judge
from facet.sandbox.base import Engine
from facet.sandbox.docker import DockerEngine
from facet.taskdir import find_tasks
from facet.validation import Verdict, validate
from facet.validation_bases import parse_base_map
from facet.validation_record import Record
from facet.validation_table import print_gates, print_many, print_states
from facet.workspace import Workspace

BaseMapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--base-map",
        metavar="OLD=NEW",
        help="Build on image NEW where a task names OLD; such verdicts say so. Repeatable.",
    ),
]


def command(
    paths: Annotated[list[Path], typer.Argument(help="Task folders, or folders of task folders.")],
    workspace: WorkspaceOption = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--fresh",
            help="Take recorded verdicts of unchanged folders, or judge all again.",
        ),
    ] = False,
    base_map: BaseMapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge Harbor task folders: check by state, the gates, and one line with the blamed artifact.

    Every finished verdict is recorded in the workspace, so that a killed run goes on with --resume.
    Exit code 0 only if every task is valid; 1 otherwise; 3 without a Docker server; 130 cancelled.

    Example: facet validate delivery/ --resume --base-map ubuntu:24.04=facet-base
    """
    folders = find_tasks(paths)
    bases = parse_base_map(base_map or [])
    verdicts: list[Verdict] = []
    try:
        judge_folders(folders, open_workspace(workspace), bases, resume, verdicts)
    except KeyboardInterrupt as error:
        _report(verdicts, len(folders), as_json)
        raise Cancelled(
            f"cancelled after {len(verdicts)} of {len(folders)} tasks; go on with --resume"
        ) from error
    _report(verdicts, len(folders), as_json)
    if any(v.state != "valid" for v in verdicts):
        raise typer.Exit(1)


def judge_folders(
    folders: Sequence[Path],
    workspace: Workspace,
    bases: dict[str, str],
    resume: bool,
    verdicts: list[Verdict],
) -> None:
    """Judge and record; `verdicts` grows by each that is durable. A Ctrl-C raises at once."""
    record = Record(workspace, bases=bases, resume=resume)

    def done(verdict: Verdict) -> None:
        record.add(verdict)
        verdicts.append(verdict)

    with closing(DockerEngine(str(workspace.root))) as docker, _interruptible(docker):

        def engine() -> Engine:
            docker.check()
            base_ready(docker)
            docker.reap()
            return docker

        validate(
            folders,
            engine=engine,
            judge=judge,
            blame=blame,
            tell=progress,
            done=done,
            known=record.known,
            bases=bases,
        )


@contextmanager
def _interruptible(docker: DockerEngine) -> Iterator[None]:
    """On Ctrl-C and SIGTERM, containers go at once: no trial is waited for."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end() -> None:
        try:
            docker.close()
        except EngineError:
            return  # the reaper of the next start removes what is left

    def interrupt(signum: int, frame: FrameType | None) -> None:
        threading.Thread(target=end, daemon=True).start()
        raise KeyboardInterrupt

    before = {s: signal.signal(s, interrupt) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _report(verdicts: list[Verdict], wanted: int, as_json: bool) -> None:
    valid = sum(v.state == "valid" for v in verdicts)
    if as_json:
        result_json({"valid": valid, "wanted": wanted, "tasks": [_json(v) for v in verdicts]})
    elif wanted == 1 and verdicts:
        _one(verdicts[0])
    elif wanted > 1:
        print_many(verdicts)
        result(_summary(verdicts))


def _one(verdict: Verdict) -> None:
    for part in verdict.steps or (verdict,):
        if verdict.steps:
            result(f"step {part.name}: {part.line}")
        print_states(part)
        print_gates(part)
    for line in verdict.faults[1:]:
        result(f"also: {line}")
    for line in (*verdict.remarks, *(r for s in verdict.steps for r in s.remarks)):
        result(f"remark: {line}")
    result(f"{verdict.name or verdict.path}: {verdict.line}")


def _summary(verdicts: list[Verdict]) -> str:
    counts = Counter({"valid": 0})
    counts.update(v.state for v in verdicts)
    taken = sum(v.recorded for v in verdicts)
    recorded = f" ({taken} recorded earlier)" if taken else ""
    told = ", ".join(f"{n} {state}" for state, n in counts.items())
    return f"{len(verdicts)} tasks: {told}{recorded}"


def _json(verdict: Verdict) -> dict[str, object]:
    steps = [_json(s) for s in verdict.steps]
    return {**verdict.to_json(), "steps": steps, "verdict": verdict.line}
