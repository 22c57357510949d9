"""A whole run: spec on disk, seeds, the line, the end. Started once, resumed as often as needed.

Everything that was finished is in the journal and blobs; this module only decides what is left.
"""

import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from facet import __version__
from facet.blobs import write_durably
from facet.config import data_dir
from facet.errors import (
    BudgetExceeded,
    Cancelled,
    FacetError,
    InputError,
    JournalError,
    WorkspaceError,
)
from facet.llm.base import Provider
from facet.llm.budget import Budget
from facet.llm.client import Client
from facet.llm.prices import Prices
from facet.pipeline.batch import run_batch
from facet.pipeline.history import History
from facet.pipeline.line import Line
from facet.pipeline.pairs_file import read_pairs
from facet.pipeline.sourcing import Sourcing
from facet.pipeline.stop import Stop
from facet.pipeline.workshop import Workshop
from facet.prompts import Prompts
from facet.skills.read import Unreadable, read_folder
from facet.skills.screen import screen_all
from facet.types.payloads import RunFinished, RunLog, RunSpec, RunStarted, TaskEnded
from facet.types.skill import Seed, Skill
from facet.types.value import Value
from facet.workspace import Workspace

SPEC = "spec.json"
BAD_LINES = 20
"""Unusable lines of a file of pairs that are told one by one."""


class Watcher:
    """Told how a run goes; override what you need. Called in the thread of `execute`."""

    def note(self, line: str) -> None:
        """A line for people."""

    def started(self, seeds: int, already: int) -> None:
        """The seeds are known; `already` ended before."""

    def ended(self, seed: Seed, ended: TaskEnded, dollars: float | None) -> None:
        """One more seed ended; `dollars` is what the run has cost so far (None = unknown)."""


class Outcome(Value):
    """How a run ended, for its summary."""

    run: str
    finished: RunFinished
    endings: tuple[TaskEnded, ...]
    seeds: int


def new_run(workspace: Workspace, spec: RunSpec) -> str:
    """Record what a new run is asked to do; returns its id."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    run = f"{now}-{uuid.uuid4().hex[:4]}"
    _write_spec(workspace, run, spec)
    return run


def read_spec(workspace: Workspace, run: str) -> RunSpec:
    """What a run was asked to do. InputError when there is no such run."""
    path = workspace.run_dir(run) / SPEC
    try:
        return RunSpec.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        known = ", ".join(workspace.runs()[-5:]) or "none"
        raise InputError(f"no run {run!r} in {workspace.root}; the latest: {known}") from error
    except (OSError, ValidationError) as error:
        raise WorkspaceError(f"{path} cannot be read as a run's spec") from error


def _write_spec(workspace: Workspace, run: str, spec: RunSpec) -> None:
    path = workspace.run_dir(run) / SPEC
    try:
        write_durably(path, spec.model_dump_json(indent=1).encode())
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror}") from error


def sample_skills() -> Path:
    """The bundled skills, used where none are given."""
    return data_dir() / "sample" / "skills"


def execute(
    workspace: Workspace,
    run: str,
    spec: RunSpec,
    *,
    provider: Provider,
    workshop: Workshop,
    watcher: Watcher | None = None,
    stop: Stop | None = None,
    resumed: bool = False,
) -> Outcome:
    """Work a run to its end, or to where it was stopped. One process per run (its lock).

    Raises WorkspaceBusy, and after everything else ended the first bug of ours.
    """
    stop = stop or Stop()
    watcher = watcher or Watcher()
    with workspace.run_lock(run):
        if resumed:
            _write_spec(workspace, run, spec)
        past = History.read(workspace, run) if resumed else History()
        started = time.monotonic()
        event = RunStarted(spec=spec, resumed=resumed, facet_version=__version__)
        workspace.journal.append("run.started", event, run=run)
        job = _Job(workspace, run, spec, provider, workshop, watcher, stop, past)
        try:
            job.work()
        except (KeyboardInterrupt, Cancelled):
            stop.person()
        except BudgetExceeded as error:
            stop.budget(str(error))
        except FacetError as error:
            if not stop.is_set():
                stop.trouble(str(error))
            job.finish(started)
            raise
        except BaseException as error:
            stop.trouble(f"{type(error).__name__}: {error}"[:500])
            with suppress(JournalError):
                job.finish(started)
            raise
        return job.finish(started)


class _Job:
    """One execution of a run."""

    def __init__(
        self,
        workspace: Workspace,
        run: str,
        spec: RunSpec,
        provider: Provider,
        workshop: Workshop,
        watcher: Watcher,
        stop: Stop,
        past: History,
    ) -> None:
        self.workspace = workspace
        self.run = run
        self.spec = spec
        self.workshop = workshop
        self.watcher = watcher
        self.stop = stop
        self.past = past
        self.seeds: list[Seed] = []
        self.endings: dict[str, TaskEnded] = {}
        prices = Prices.load()
        if spec.budget_usd is not None and prices.of(provider.name) is None:
            raise InputError(
                f"the price of {provider.name} is not in data/prices.toml, so --budget-usd "
                "cannot be kept: add it there, or use --max-calls"
            )
        self.budget = Budget(
            usd=spec.budget_usd,
            max_calls=spec.max_calls,
            spent_usd=past.dollars,
            calls=past.calls,
        )
        self.budget.unknown = past.unknown_prices
        self.client = Client(
            provider,
            workspace=workspace,
            run=run,
            budget=self.budget,
            prompts=Prompts(),
            prices=prices,
            cancelled=stop.is_set,
        )

    def work(self) -> None:
        """Seeds first, then the line over those that have not ended."""
        self.seeds = self._seeds()
        todo = []
        for seed in self.seeds:
            ended = self.past.ended(f"{self.run}/{seed.id}")
            if ended is None:
                todo.append(seed)
            else:
                self.endings[seed.id] = ended
        self.watcher.started(len(self.seeds), len(self.endings))
        line = Line(
            workspace=self.workspace,
            run=self.run,
            spec=self.spec,
            client=self.client,
            workshop=self.workshop,
            done=self.past.stages,
            stop=self.stop,
        )
        run_batch(
            todo,
            line.work,
            workers=self.spec.workers,
            stop=self.stop,
            ended=self._ended,
            broken=self._broken,
        )

    def finish(self, started: float) -> Outcome:
        """Record the end of this execution."""
        counts = Counter(e.ending for e in self.endings.values())
        left = len(self.seeds) - len(self.endings)
        status = {"person": "cancelled", "budget": "budget", "trouble": "failed"}
        finished = RunFinished.model_validate(
            {
                "status": status.get(self.stop.by, "finished"),
                "counts": {**counts, **({"not started": left} if left else {})},
                "seconds": self.past.seconds + time.monotonic() - started,
                "dollars": self.budget.dollars,
                "reason": self.stop.reason[:2000],
            }
        )
        self.workspace.journal.append("run.finished", finished, run=self.run)
        return Outcome(
            run=self.run,
            finished=finished,
            endings=tuple(self.endings[s.id] for s in self.seeds if s.id in self.endings),
            seeds=len(self.seeds),
        )

    def _seeds(self) -> list[Seed]:
        sourcing = Sourcing(
            workspace=self.workspace,
            run=self.run,
            spec=self.spec,
            client=self.client,
            past=self.past,
            tell=self.watcher.note,
        )
        if self.spec.pairs:
            known = {}
            if self.spec.skills:
                packages = _packages(Path(self.spec.skills))
                known = {p.id: p for p in packages if isinstance(p, Skill)}
            good, bad = read_pairs(Path(self.spec.pairs), known)
            for line in bad[:BAD_LINES]:
                self._log("warning", f"{self.spec.pairs}:{line.line}: {line.reason}")
            if len(bad) > BAD_LINES:
                more = f"{len(bad) - BAD_LINES} more lines that cannot be used"
                self._log("warning", f"{self.spec.pairs}: {more}")
            if not good:
                raise InputError(f"{self.spec.pairs} holds no usable pair ({len(bad)} bad lines)")
            return sourcing.from_pairs(good)
        folder = Path(self.spec.skills) if self.spec.skills else sample_skills()
        return sourcing.from_skills(_packages(folder))

    def _log(self, level: str, text: str) -> None:
        log = RunLog.model_validate({"level": level, "text": text[:20_000]})
        self.workspace.journal.append("run.log", log, run=self.run)
        self.watcher.note(text.splitlines()[0][:300])

    def _ended(self, seed: Seed, ended: TaskEnded) -> None:
        self.endings[seed.id] = ended
        self.watcher.ended(seed, ended, self.budget.dollars)

    def _broken(self, seed: Seed, trace: str) -> None:
        """A bug of ours in one seed: recorded as owed, the others go on."""
        last = trace.strip().splitlines()[-1]
        self._log("error", f"seed {seed.id}: internal error: {last}\n{trace}")
        ended = TaskEnded(
            key=f"{self.run}/{seed.id}", ending="owed", reason=f"internal error: {last}"[:500]
        )
        self.workspace.journal.append("task.ended", ended, run=self.run, seed=seed.id)
        self._ended(seed, ended)


def _packages(folder: Path) -> Iterator[Skill | Unreadable]:
    """Every package of a folder, screened; unreadable ones first."""
    skills: list[Skill] = []
    for package in read_folder(folder):
        if isinstance(package, Unreadable):
            yield package
        else:
            skills.append(package)
    yield from screen_all(skills)
