"""`facet validate`: judge any Harbor task folder by the seven gates, or by the strict ones too."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
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
from facet.errors import Cancelled, EngineError, InputError
from facet.gates import SEVEN
from facet.judge import judge
from facet.sandbox.base import Engine
from facet.sandbox.docker import DockerEngine
from facet.strict.choice import Choice, choose
from facet.taskdir import find_tasks
from facet.validation import Verdict, validate
from facet.validation_bases import parse_base_map
from facet.validation_record import Record
from facet.validation_table import print_gates, print_many, print_states
from facet.workspace import Workspace

PATIENCE_S = 60.0
"""How long the threads of a trial in hand are waited for after Ctrl-C, its containers gone."""

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
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Ask the gates beyond the seven too; they decide. Takes minutes a task.",
        ),
    ] = False,
    gates: Annotated[
        str,
        typer.Option(metavar="A,B", help="With --strict: these gates beside the seven, not all."),
    ] = "",
    mutants: Annotated[
        int | None, typer.Option(help="With --strict: altered solutions that must count (8).")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(help="With --strict: fresh containers that must agree (3).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge Harbor task folders: check by state, the gates, and one line with the blamed artifact.

    Every finished verdict is recorded in the workspace, so that a killed run goes on with --resume.
    Exit code 0 only if every task is valid; 1 otherwise; 3 without a Docker server; 130 cancelled.

    Example: facet validate delivery/ --resume --base-map ubuntu:24.04=facet-base
    """
    choice = _choice(strict, gates, mutants, repeats)
    folders = find_tasks(paths)
    bases = parse_base_map(base_map or [])
    verdicts: list[Verdict] = []
    try:
        judge_folders(folders, open_workspace(workspace), bases, resume, verdicts, choice)
    except KeyboardInterrupt as error:
        _report(verdicts, len(folders), as_json)
        raise Cancelled(
            f"cancelled after {len(verdicts)} of {len(folders)} tasks; go on with --resume"
        ) from error
    _report(verdicts, len(folders), as_json)
    if any(v.state != "valid" for v in verdicts):
        raise typer.Exit(1)


def _choice(strict: bool, gates: str, mutants: int | None, repeats: int | None) -> Choice | None:
    if not strict:
        if gates or mutants is not None or repeats is not None:
            raise InputError("--gates, --mutants and --repeats go with --strict")
        return None
    names = [name.strip() for name in gates.split(",") if name.strip()]
    given = {"mutants": mutants, "repeats": repeats}
    return choose(names, **{k: v for k, v in given.items() if v is not None})


def judge_folders(
    folders: Sequence[Path],
    workspace: Workspace,
    bases: dict[str, str],
    resume: bool,
    verdicts: list[Verdict],
    choice: Choice | None = None,
) -> None:
    """Judge and record; `verdicts` grows by each that is durable. A Ctrl-C raises at once.

    Without a `choice` the seven gates are asked.
    """
    asked = choice.told if choice else SEVEN
    record = Record(workspace, bases=bases, resume=resume, gates=asked)

    docker = DockerEngine(str(workspace.root))
    with closing(docker), _interruptible(docker) as interrupted, closing(docker):

        def done(verdict: Verdict) -> None:
            if interrupted.is_set():  # what it says may come of our removing its containers
                raise KeyboardInterrupt
            record.add(verdict)
            verdicts.append(verdict)

        def engine() -> Engine:
            docker.check()
            base_ready(docker)
            docker.reap()
            return docker

        validate(
            folders,
            engine=engine,
            judge=choice.judge if choice else judge,
            blame=blame,
            tell=progress,
            done=done,
            known=record.known,
            bases=bases,
        )


@contextmanager
def _interruptible(docker: DockerEngine) -> Iterator[threading.Event]:
    """On Ctrl-C and SIGTERM, containers go at once: no trial is waited for. Yields "it came".

    Nothing more is started from then on; what a trial in hand still leaves (a snapshot) goes when
    its threads have ended.
    """
    came, over = threading.Event(), threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def end() -> None:
        docker.refuse(wait_s=5)
        while not over.is_set():
            # What cannot be removed now is left to the next round, or to the next start's reaper.
            with suppress(EngineError):
                docker.close()
                docker.reap()  # what was in the making when its owner was closed
            over.wait(0.3)

    def interrupt(signum: int, frame: FrameType | None) -> None:
        if not came.is_set():
            came.set()
            enders.append(threading.Thread(target=end, daemon=True))
            enders[0].start()
        raise KeyboardInterrupt

    enders: list[threading.Thread] = []
    others = set(threading.enumerate())
    before = {s: signal.signal(s, interrupt) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came.is_set():
            until = time.monotonic() + PATIENCE_S
            for thread in set(threading.enumerate()) - others:
                if not thread.daemon:
                    thread.join(max(until - time.monotonic(), 0))
            over.set()
            for thread in enders:
                thread.join(PATIENCE_S)
            with suppress(EngineError):
                docker.close()
                docker.reap()
            # Whatever else went wrong meanwhile came of our removing the containers.
            raise KeyboardInterrupt


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
