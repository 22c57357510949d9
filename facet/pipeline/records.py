"""What happens to a task, as events. The same thing told twice is one event (fixed ids)."""

from facet.density import density
from facet.repair import Observer
from facet.stages.environment import Built
from facet.types.event import EventKind
from facet.types.payloads import (
    EnvironmentBuilt,
    EnvironmentRound,
    TaskBlamed,
    TaskJudged,
    TaskRound,
    TaskWritten,
)
from facet.types.task import Task
from facet.types.value import Value, digest_json, short
from facet.types.verdict import Blame, Judgement, Round
from facet.workspace import Workspace


class Recorder(Observer):
    """Writes the events of one seed's task."""

    def __init__(self, workspace: Workspace, run: str, seed: str) -> None:
        self._workspace = workspace
        self._run = run
        self._seed = seed
        self.key = f"{run}/{seed}"

    def environment_failed(self, number: int, problems: tuple[str, ...]) -> None:
        """An environment round did not hold what was planned."""
        self._append("environment.round", EnvironmentRound(number=number, problems=problems))

    def environment_built(self, built: Built, seconds: float) -> None:
        """An environment was built and probed."""
        digest = built.environment.value_digest()
        event = EnvironmentBuilt(
            environment=digest, realized=built.realized, seconds=seconds, rounds=built.rounds
        )
        self._append("environment.built", event, id=self._id("built", digest))

    def written(self, task: Task, round: int) -> None:
        """A task of this digest exists; its bundle is stored."""
        self._workspace.bundles.write(task)
        scenario = task.scenario
        event = TaskWritten(
            key=self.key,
            digest=task.digest,
            name=task.name,
            title=scenario.title if scenario else task.name,
            theme=scenario.theme if scenario else "",
            artifacts=dict(task.digests),
            model=task.provenance.model,
            order=task.provenance.order,
            round=round,
        )
        self._append("task.written", event, task.digest, self._id("written", task.digest, round))

    def judged(self, task: Task, judgement: Judgement, round: int) -> None:
        """All gates of one digest."""
        event = TaskJudged(
            key=self.key,
            digest=task.digest,
            round=round,
            gates=judgement.gates,
            valid=judgement.valid,
            checks=len(density(task, judgement).counted),
            blob=self._workspace.blobs.put_value(judgement),
            seconds=sum(t.total_s for t in judgement.trials),
        )
        deciding = judgement.deciding
        final = deciding is None or deciding.status == "failed"
        ident = self._id("judged", task.digest, round) if final else ""
        self._append("task.judged", event, task.digest, ident)

    def blamed(self, task: Task, blame: Blame, round: int) -> None:
        """An artifact was blamed."""
        event = TaskBlamed(key=self.key, digest=task.digest, round=round, blame=blame)
        self._append("task.blamed", event, task.digest, self._id("blamed", task.digest, round))

    def rewritten(self, task: Task, round: Round) -> None:
        """A round ended; a new digest is stored."""
        if round.after != round.before:
            self.written(task, round.number)
        event = TaskRound(key=self.key, round=round)
        self._append("task.round", event, task.digest, self._id("round", task.digest, round.number))

    def _append(self, kind: EventKind, data: Value, task: str = "", id: str = "") -> None:
        self._workspace.journal.append(kind, data, run=self._run, seed=self._seed, task=task, id=id)

    def _id(self, *parts: object) -> str:
        return f"{self._run}.{self._seed}.{short(digest_json([str(p) for p in parts]), 16)}"
