"""`facet validate`: judge any Harbor task folder by the seven gates."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from facet.base_images import base_ready
from facet.blame import blame
from facet.cli.common import JsonOption, WorkspaceOption, progress, result, result_json
from facet.config import load_config
from facet.judge import judge
from facet.sandbox.base import Engine
from facet.sandbox.docker import DockerEngine
from facet.taskdir import find_tasks
from facet.validation import Verdict, validate
from facet.validation_table import print_gates, print_many, print_states


def command(
    paths: Annotated[list[Path], typer.Argument(help="Task folders, or folders of task folders.")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge Harbor task folders: check by state, the gates, and one line with the blamed artifact.

    Exit code 0 only if every task is valid; 1 otherwise; 3 without a Docker server.

    Example: facet validate out/prices-0001
    """
    folders = find_tasks(paths)
    label = str((workspace or load_config().workspace).absolute())
    with closing(DockerEngine(label)) as docker:

        def engine() -> Engine:
            docker.check()
            base_ready(docker)
            docker.reap()
            return docker

        verdicts = validate(folders, engine=engine, judge=judge, blame=blame, tell=progress)
    valid = sum(v.state == "valid" for v in verdicts)
    if as_json:
        result_json({"valid": valid, "tasks": [_json(v) for v in verdicts]})
    elif len(verdicts) == 1:
        _one(verdicts[0])
    else:
        print_many(verdicts)
        result(_summary(verdicts))
    if valid < len(verdicts):
        raise typer.Exit(1)


def _one(verdict: Verdict) -> None:
    print_states(verdict)
    print_gates(verdict)
    for line in verdict.faults[1:]:
        result(f"also: {line}")
    for line in verdict.remarks:
        result(f"remark: {line}")
    result(f"{verdict.name or verdict.path}: {verdict.line}")


def _summary(verdicts: list[Verdict]) -> str:
    counts: dict[str, int] = {"valid": 0}
    for verdict in verdicts:
        counts[verdict.state] = counts.get(verdict.state, 0) + 1
    return f"{len(verdicts)} tasks: " + ", ".join(f"{n} {state}" for state, n in counts.items())


def _json(verdict: Verdict) -> dict[str, object]:
    return {**verdict.to_json(), "verdict": verdict.line}
