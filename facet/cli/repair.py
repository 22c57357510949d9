"""`facet repair`: one round from a person's finding."""

from contextlib import closing
from typing import Annotated, Literal

import typer

from facet.cli.common import (
    JsonOption,
    WorkspaceOption,
    open_workspace,
    progress,
    result,
    result_json,
)
from facet.errors import InputError
from facet.pipeline.person_round import PersonRound, find_task, person_round, spec_of
from facet.store import Store

LONGEST_NOTE = 4_000  # characters


def repair(
    task: Annotated[str, typer.Argument(help="Key, name, or start of the digest of a task.")],
    artifact: Annotated[
        Literal["instruction", "environment", "solution", "verifier"],
        typer.Option(help="The artifact that is wrong; only this one is rewritten."),
    ],
    note: Annotated[
        str,
        typer.Option(help="What is wrong. A check may only be loosened if its id stands here."),
    ],
    model: Annotated[
        str | None, typer.Option(help="Who rewrites (default: the model that wrote the task).")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of a compatible server, for openai:<model>.")
    ] = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Start one repair round: the artifact is rewritten and the task is judged again.

    A rewrite that weakens the verifier is refused and the task stays as it is. Exit code 0 if the
    rewrite was taken and the task is valid, 1 otherwise.

    Example: facet repair greenhouse-report --artifact instruction --note "say which zone is meant"
    """
    from facet.llm.registry import provider
    from facet.pipeline.workshop import DockerWorkshop
    from facet.sandbox.docker import DockerEngine

    text = note.strip()
    if not text or len(text) > LONGEST_NOTE:
        raise InputError(f"--note must say something in at most {LONGEST_NOTE} characters")
    where = open_workspace(workspace, create=False)
    with Store.memory(where) as store:
        row = find_task(store, task)
    spec = spec_of(where, row)
    name = model or row.model or spec.model
    writer = provider(name, base_url=base_url or spec.base_url, slips=spec.slips)
    progress(f"{row.key} ({row.name}): {artifact} by {name}")
    with closing(DockerEngine(str(where.root))) as engine:
        workshop = DockerWorkshop(engine, where, strict=spec.strict)
        workshop.check()
        done = person_round(
            where,
            row,
            artifact=artifact,
            note=text,
            spec=spec,
            provider=writer,
            workshop=workshop,
        )
    if json:
        result_json(done.to_json())
    else:
        if done.diff:
            result(done.diff.rstrip())
        result(summary(done))
    if done.refused or done.ending != "valid":
        raise typer.Exit(1)


def summary(done: PersonRound) -> str:
    """One line: what became of the finding."""
    cost = "cost unknown" if done.dollars is None else f"${done.dollars:.2f}"
    spent = f"round {done.round}, {done.seconds:.0f} s, {cost}"
    if done.refused:
        return f"{done.name}: {done.artifact} not rewritten: {done.refused} ({spent})"
    change = f"{done.before[:19]} -> {done.after[:19]}"
    return (
        f"{done.name}: {done.artifact} rewritten, {done.ending}: {done.reason} ({change}, {spent})"
    )
