"""`facet run`: from public skills to validated tasks, resumable at any moment."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
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
from facet.config import load_config
from facet.errors import Cancelled, InputError, ModelUnavailable, WorkspaceBusy, WorkspaceError
from facet.pipeline.stop import Stop
from facet.types.payloads import RunSpec
from facet.workspace import Workspace


def run(
    count: Annotated[int | None, typer.Option(help="How many seeds to make (default 5).")] = None,
    skills: Annotated[
        Path | None, typer.Option(help="Folder of skill packages (default: the bundled sample).")
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="JSONL of published skill pairs, instead of making pairs.")
    ] = None,
    order: Annotated[
        Literal["forward", "joint", "reverse"] | None,
        typer.Option(help="Order in which the artifacts are written (default forward)."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="offline, anthropic:<model>, openai:<model> or replay:<folder>."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of a compatible server, for openai:<model>.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Seeds at a time (default 2).")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Everything drawn by chance follows from this (default 0).")
    ] = None,
    slips: Annotated[
        float | None, typer.Option(help="Embedded author: factor on its slip rates (default 1).")
    ] = None,
    environment_rounds: Annotated[
        int | None, typer.Option(help="Environment repair rounds (default 3).")
    ] = None,
    task_rounds: Annotated[int | None, typer.Option(help="Task repair rounds (default 5).")] = None,
    budget_usd: Annotated[
        float | None, typer.Option(help="Make no further call once this is spent.")
    ] = None,
    max_calls: Annotated[int | None, typer.Option(help="Model calls of the run, at most.")] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="The gates beyond the seven decide too; minutes a judgement."
        ),
    ] = False,
    resume: Annotated[
        str | None, typer.Option(help="Go on with this run; finished stages are not repeated.")
    ] = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Make tasks from skills: scenario, environment, three artifacts, gates, repair.

    Example: facet run --count 20 --seed 7 --skills skills/ --workers 2
    """
    where = open_workspace(workspace)
    given = {
        "count": count,
        "seed": seed,
        "order": order,
        "model": model,
        "workers": workers,
        "skills": str(skills.absolute()) if skills else None,
        "pairs": str(pairs.absolute()) if pairs else None,
        "slips": slips,
        "environment_rounds": environment_rounds,
        "task_rounds": task_rounds,
        "budget_usd": budget_usd,
        "max_calls": max_calls,
        "base_url": base_url,
        "strict": strict or None,
    }
    spec = make_spec({k: v for k, v in given.items() if v is not None}, where, resume)
    _work(where, spec, resume, json)


RESUMABLE = frozenset({"workers", "budget_usd", "max_calls", "base_url"})
"""What a resumed run may be given anew; everything else would make it another run."""


def make_spec(given: dict[str, object], workspace: Workspace, resume: str | None) -> RunSpec:
    """The spec of a new run, or of a resumed one with what may change. InputError says what not."""
    from facet.pipeline.run import read_spec

    if resume:
        spec = read_spec(workspace, resume)
        fixed = sorted(k for k in set(given) - RESUMABLE if getattr(spec, k) != given[k])
        if fixed:
            flags = ", ".join("--" + k.replace("_", "-") for k in fixed)
            raise InputError(f"{flags} cannot change in a resumed run; start a new one")
        spec = spec.model_copy(update=given)
    else:
        model = load_config().model
        spec = RunSpec.model_validate({"count": 5, "seed": 0, "model": model, **given})
    limits = {
        "count": spec.count >= 1,
        "workers": 1 <= spec.workers <= 64,
        "slips": 0 <= spec.slips <= 100,
        "environment-rounds": 0 <= spec.environment_rounds <= 20,
        "task-rounds": 0 <= spec.task_rounds <= 20,
        "budget-usd": spec.budget_usd is None or spec.budget_usd > 0,
        "max-calls": spec.max_calls is None or spec.max_calls > 0,
    }
    if spec.base_url and not re.fullmatch(r"https?://[^\s/]+\S*", spec.base_url):
        raise InputError(
            f"--base-url {spec.base_url[:80]!r} is no address: give http://HOST:PORT/v1 or https://…"
        )
    if wrong := [f"--{name}" for name, fine in limits.items() if not fine]:
        raise InputError(f"{', '.join(wrong)}: out of range, see `facet run --help`")
    return spec


def _work(workspace: Workspace, spec: RunSpec, resume: str | None, json: bool) -> None:
    from facet.llm.registry import provider
    from facet.pipeline.progress import ProgressBar
    from facet.pipeline.run import Outcome, execute, new_run, sample_skills
    from facet.pipeline.workshop import DockerWorkshop
    from facet.sandbox.docker import DockerEngine
    from facet.skills.read import read_folder

    try:
        model = provider(spec.model, base_url=spec.base_url, slips=spec.slips)
    except ModelUnavailable as error:  # a key is missing: nothing began, so nothing is owed
        raise InputError(str(error)) from error
    if spec.skills or not spec.pairs:
        next(read_folder(spec.skills or sample_skills()), None)
    if spec.pairs and not Path(spec.pairs).is_file():
        raise InputError(f"no file of pairs at {spec.pairs}")
    with closing(DockerEngine(str(workspace.root))) as engine:
        workshop = DockerWorkshop(engine, workspace, strict=spec.strict)
        workshop.check()
        engine.reap()
        name = resume or new_run(workspace, spec)
        progress(f"run {name}")
        stop = Stop()
        with ProgressBar() as bar, _stopping(stop, name), _resumable(name):
            outcome: Outcome = execute(
                workspace,
                name,
                spec,
                provider=model,
                workshop=workshop,
                watcher=bar,
                stop=stop,
                resumed=bool(resume),
            )
    if json:
        result_json(outcome.to_json())
    else:
        result(summary(outcome))
    status = outcome.finished.status
    if status == "cancelled":
        raise Cancelled(f"cancelled; go on with: facet run --resume {name}")
    if status == "budget":
        progress(
            f"{outcome.finished.reason}; go on with: facet run --resume {name} and a higher limit"
        )
    if outcome.finished.counts.get("valid", 0) == 0:
        raise typer.Exit(1)


def summary(outcome: object) -> str:
    """One line: what came of the seeds, how long it took, what it cost."""
    from facet.pipeline.run import Outcome

    assert isinstance(outcome, Outcome)
    counts = dict(outcome.finished.counts)
    valid = counts.pop("valid", 0)
    others = "".join(f", {n} {name}" for name, n in sorted(counts.items()))
    good = [e for e in outcome.endings if e.ending == "valid"]
    checks = f", mean {sum(e.checks for e in good) / len(good):.1f} checks" if good else ""
    dollars = outcome.finished.dollars
    cost = "cost unknown" if dollars is None else f"${dollars:.2f}"
    return (
        f"run {outcome.run} {outcome.finished.status}: {valid} of {outcome.seeds} valid{others}"
        f"{checks}, {outcome.finished.seconds:.0f} s, {cost}"
    )


@contextmanager
def _resumable(run: str) -> Iterator[None]:
    """When the disk is full or the model is away, say that nothing finished is lost."""
    try:
        yield
    except WorkspaceBusy:
        raise
    except (WorkspaceError, ModelUnavailable):
        progress(f"what was finished is kept; then go on with: facet run --resume {run}")
        raise


@contextmanager
def _stopping(stop: Stop, run: str) -> Iterator[None]:
    """The first Ctrl-C (or polite kill) ends the run at its next stage, the second at once."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        if stop.by == "person":
            os.write(2, f"ended at once; go on with: facet run --resume {run}\n".encode())
            os._exit(130)
        stop.person()
        os.write(2, b"stopping at the next stage; once more ends at once\n")

    before = {s: signal.signal(s, interrupt) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
