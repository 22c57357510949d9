"""`facet repair`: a person's finding on a task of the workspace starts one round, as events.

The task keeps its key; what was decided on its old digest becomes stale by itself. One process at a
time works on a run (its lock).
"""

import time

from facet.blame import blame
from facet.density import density
from facet.errors import BuildError, EngineError, InputError, WorkspaceError
from facet.llm.base import Provider
from facet.llm.client import Client
from facet.pipeline.records import Recorder
from facet.pipeline.run import read_spec
from facet.pipeline.workshop import Workbench, Workshop
from facet.repair_once import Mended, finding, mend_once
from facet.stages.rewrite import Rewriter
from facet.store import Store
from facet.store.rows import TaskHistory, TaskRow
from facet.types.manifest import RealizedManifest
from facet.types.payloads import RunSpec, TaskEnded
from facet.types.task import Artifact, Environment, Task
from facet.types.value import Value
from facet.types.verdict import Blame, Ending, Judgement
from facet.workspace import Workspace

SHORTEST_PREFIX = 4  # characters of a digest


class PersonRound(Value):
    """What a person's finding led to."""

    key: str
    name: str
    artifact: Artifact
    before: str  # task digests
    after: str  # equal to before when the rewrite was refused
    round: int
    refused: str = ""
    ending: Ending
    reason: str
    diff: str = ""
    seconds: float = 0.0
    dollars: float | None = None  # None = a price was unknown


def find_task(store: Store, wanted: str) -> TaskRow:
    """The task of this key, name, or (start of a) digest. InputError when none or several fit."""
    rows = store.tasks()
    bare = wanted.removeprefix("sha256:")
    fits = [r for r in rows if r.key == wanted]
    fits = fits or [r for r in rows if wanted in (r.name, r.name.rpartition("/")[2])]
    if not fits and len(bare) >= SHORTEST_PREFIX:
        fits = [r for r in rows if r.digest.removeprefix("sha256:").startswith(bare)]
        older = None if fits else store.task_of(f"sha256:{bare}")
        fits += [older] if older else []
    if not fits:
        raise InputError(f"no task {wanted[:100]!r} here; `facet sql 'SELECT key FROM tasks'`")
    if len(fits) > 1:
        keys = ", ".join(r.key for r in fits[:5])
        raise InputError(f"{len(fits)} tasks fit {wanted[:100]!r}: {keys}")
    if not fits[0].digest:
        raise InputError(f"task {fits[0].key} was never written: {fits[0].reason[:200]}")
    return fits[0]


def spec_of(workspace: Workspace, row: TaskRow) -> RunSpec:
    """What the task's run was asked to do; defaults where its spec is gone."""
    try:
        return read_spec(workspace, row.run)
    except (InputError, WorkspaceError):
        return RunSpec(count=1, seed=0, model=row.model or "offline")


def person_round(
    workspace: Workspace,
    row: TaskRow,
    *,
    artifact: Artifact,
    note: str,
    spec: RunSpec,
    provider: Provider,
    workshop: Workshop,
) -> PersonRound:
    """One round on the task as it stands. Raises ModelUnavailable, EngineError, WorkspaceBusy."""
    with workspace.run_lock(row.run), workshop.open(row.run) as bench:
        return _OneRound(workspace, row, spec, provider, bench).work(artifact, note)


class _OneRound:
    def __init__(
        self,
        workspace: Workspace,
        row: TaskRow,
        spec: RunSpec,
        provider: Provider,
        bench: Workbench,
    ) -> None:
        self.workspace, self.row, self.bench = workspace, row, bench
        self.task = workspace.bundles.read(row.digest)
        self.nonce = f"{spec.seed}:{row.seed}"
        self.client = Client(provider, workspace=workspace, run=row.run)
        self.record = Recorder(workspace, row.run, row.seed)
        with Store.memory(workspace) as store:
            history = store.history(row.key)
        assert history is not None
        self.history: TaskHistory = history

    def work(self, artifact: Artifact, note: str) -> PersonRound:
        """Blame by the person, rewrite, judge, record."""
        if self.task.scenario is None:
            raise InputError(f"{self.row.key} carries no scenario, so no writer can rewrite it")
        started = time.monotonic()
        number = 1 + max((r.data.number for r in self.history.rounds), default=0)
        before = self._known() or self._judged()
        rewriter = Rewriter(
            self.client.at(self.row.seed),
            realized_of=self._realized,
            looker_of=lambda environment: lambda look: self.bench.look(environment, look),
            nonce=self.nonce,
            note=note,
        )

        def rewrite(task: Task, blame: Blame, judgement: Judgement, repeated: bool) -> Task:
            return rewriter.rewrite(task, blame, judgement, repeated, number)

        mended = mend_once(
            self.task,
            finding(artifact, note),
            before,
            self.bench.judge,
            rewrite,
            number=number,
            observe=self.record,
        )
        seconds = time.monotonic() - started
        ended = self._ended(mended, seconds)
        self.workspace.journal.append(
            "task.ended", ended, run=self.row.run, seed=self.row.seed, task=ended.digest
        )
        return PersonRound(
            key=self.row.key,
            name=self.task.name,
            artifact=artifact,
            before=self.task.digest,
            after=mended.task.digest,
            round=number,
            refused=mended.round.refused,
            ending=ended.ending,
            reason=ended.reason,
            diff=mended.round.diff,
            seconds=round(seconds, 1),
            dollars=self.client.budget.dollars,
        )

    def _known(self) -> Judgement | None:
        """The latest judgement of the current digest, if it can still be read."""
        for judged in reversed(self.history.judged):
            if judged.data.digest == self.task.digest:
                try:
                    return self.workspace.blobs.get_value(judged.data.blob, Judgement)
                except WorkspaceError:
                    return None
        return None

    def _judged(self) -> Judgement:
        judgement = self.bench.judge(self.task)
        gate = judgement.deciding
        if gate is not None and gate.status != "failed":
            raise EngineError(f"the task cannot be judged: {gate.name} {gate.evidence}")
        return judgement

    def _realized(self, environment: Environment) -> RealizedManifest | None:
        try:
            return self.bench.realize(environment)
        except BuildError:
            return None

    def _ended(self, mended: Mended, seconds: float) -> TaskEnded:
        row, judgement = self.row, mended.judgement
        gate = judgement.deciding
        if gate is None:
            ending: Ending = "valid"
            reason = "every gate passed"
        else:
            found = blame(mended.task, judgement)
            ending = "exhausted" if mended.taken or row.status in ("working", "owed") else _as(row)
            reason = f"{gate.name}: {gate.evidence} [{found.artifact or 'nobody'}]"
        if not mended.taken:
            reason = f"the rewrite was refused: {mended.round.refused}; the task is as it was"
        counted = density(mended.task, judgement).counted if gate is None else ()
        return TaskEnded(
            key=row.key,
            ending=ending,
            reason=reason[:2000],
            digest=mended.task.digest,
            rounds=row.rounds + 1,
            environment_rounds=row.environment_rounds,
            first_time_valid=row.first_time_valid and not mended.taken,
            checks=len(counted),
            seconds=row.seconds + seconds,
        )


def _as(row: TaskRow) -> Ending:
    assert row.status != "working"
    return row.status
