"""Run what the gates need and ask them in order: a task in, a `Judgement` out.

One image serves all trials of a task; nop and oracle run at the same time. Trouble of ours makes a
gate `not_assessed`. A missing base image or Docker server is raised before anything runs.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial as bind
from typing import Protocol

from facet import gates as gate
from facet.base_images import base_ready
from facet.conditions import Conditions
from facet.errors import BuildError, EngineError
from facet.gates import SEVEN
from facet.images import Images
from facet.realize import Realized, realize
from facet.sandbox.base import Engine
from facet.trial import ActorSpec, run_trial
from facet.types.manifest import Mismatch
from facet.types.task import Task
from facet.types.trial import Trial
from facet.types.verdict import Gate, GateName, Judgement
from facet.workspace import Workspace

type Progress = Callable[[str], None]


class RunTrial(Protocol):
    """One actor in one fresh container (`facet.trial.run_trial`)."""

    def __call__(
        self,
        engine: Engine,
        image: str,
        task: Task,
        actor: ActorSpec,
        *,
        conditions: Conditions | None = None,
    ) -> Trial: ...


class Bench:
    """One task on the bench: its image and the trials made so far, each made once."""

    def __init__(
        self, task: Task, engine: Engine, images: Images, trial: RunTrial, tell: Progress
    ) -> None:
        self.task = task
        self.engine = engine
        self.images = images
        self.trials: list[Trial] = []
        self._trial = trial
        self._tell = tell

    def realized(self) -> Realized:
        """The built and probed environment. Raises BuildError or EngineError."""
        return self.images.get(self.task.environment)

    def both_ends(self) -> tuple[Trial, Trial]:
        """The nop and the oracle trial, run at the same time."""
        nop, oracle = self._have("nop"), self._have("oracle")
        if nop is None or oracle is None:
            solve = self.task.solution.files.get("solve.sh")
            nop, oracle = self.run(
                ActorSpec(actor="nop", label="", script=None),
                ActorSpec(actor="oracle", label="", script=solve),
            )
        return nop, oracle

    def partials(self) -> tuple[Trial, ...]:
        """One trial per partial solution."""
        return self.run(
            *(
                ActorSpec(actor="partial", label=script.path, script=script)
                for script in self.task.solution.partials
            )
        )

    def run(
        self,
        *actors: ActorSpec,
        conditions: Conditions | None = None,
        limit_s: float | None = None,
    ) -> tuple[Trial, ...]:
        """Run these actors two at a time and keep their trials; `limit_s` shortens their time."""
        image = self.realized().image
        task = self.task
        if limit_s is not None and limit_s < task.settings.agent_timeout_sec:
            shorter = task.settings.model_copy(update={"agent_timeout_sec": limit_s})
            task = task.model_copy(update={"settings": shorter})
        with ThreadPoolExecutor(max_workers=2) as pool:
            made = tuple(pool.map(bind(self._one, image, task, conditions), actors))
        self.trials.extend(made)
        return made

    def _one(
        self, image: str, task: Task, conditions: Conditions | None, actor: ActorSpec
    ) -> Trial:
        self._tell(f"trial {actor.actor} {actor.label}".rstrip())
        try:
            if conditions is None:
                made = self._trial(self.engine, image, task, actor)
            else:
                made = self._trial(self.engine, image, task, actor, conditions=conditions)
            if task is self.task:
                return made
            return made.model_copy(update={"task_digest": self.task.digest})
        except EngineError as error:
            return Trial(
                task_digest=self.task.digest,
                actor=actor.actor,
                label=actor.label,
                outcome="infrastructure",
                detail=str(error),
            )

    def _have(self, actor: str) -> Trial | None:
        return next((t for t in self.trials if t.actor == actor), None)


type Asked = Callable[[Bench], Gate]


def judge(
    task: Task,
    *,
    engine: Engine,
    workspace: Workspace | None = None,
    gates: Sequence[GateName] = SEVEN,
    progress: Progress | None = None,
    images: Images | None = None,
    trial: RunTrial = run_trial,
    more: Mapping[GateName, Asked] | None = None,
) -> Judgement:
    """Ask these gates of a task. `images` shares built images between calls (the caller closes it).

    `more` answers gates beyond those of this module. Raises BaseMissing or EngineUnavailable
    before anything runs.
    """
    base_ready(engine)
    tell = progress or (lambda line: None)
    own = Images(engine, lambda env: realize(engine, env, workspace=workspace))
    try:
        bench = Bench(task, engine, images or own, trial, tell)
        table = {**ASKED, **(more or {})}

        def ask(name: GateName) -> Gate:
            tell(f"gate {name}")
            asked = table.get(name)
            if asked is None:
                return Gate(name=name, status="not_assessed", evidence="nobody asked this gate")
            return asked(bench)

        found = gate.in_order(gates, ask)
        return Judgement(task_digest=task.digest, gates=found, trials=tuple(bench.trials))
    finally:
        own.close()


def _builds(bench: Bench) -> Gate:
    try:
        bench.realized()
    except BuildError as error:
        line = f"{error} ({error.line})" if error.line else str(error)
        return gate.builds(line, gate.tail(error.log))
    except EngineError as error:
        return Gate(name="builds", status="not_assessed", evidence=gate.first_line(str(error)))
    return gate.builds("")


def _realized(bench: Bench) -> Gate:
    found = bench.realized().manifest.mismatches
    return gate.manifest_realized(bench.task, tuple(mismatch_line(m) for m in found))


def mismatch_line(mismatch: Mismatch) -> str:
    """One mismatch as one line."""
    return (
        f"{mismatch.what} {mismatch.name}: planned {mismatch.planned or 'it'},"
        f" found {mismatch.found or 'nothing'}"
    )


ASKED: dict[GateName, Asked] = {
    "loads": lambda bench: gate.loads(bench.task),
    "builds": _builds,
    "manifest_realized": _realized,
    "verifier_runs": lambda bench: gate.verifier_runs(bench.task, bench.both_ends()[0]),
    "initial_fails": lambda bench: gate.initial_fails(bench.task, bench.both_ends()[0]),
    "solution_runs": lambda bench: gate.solution_runs(bench.both_ends()[1]),
    "final_passes": lambda bench: gate.final_passes(bench.task, bench.both_ends()[1]),
    "partials_fail": lambda bench: gate.partials_fail(bench.task, bench.partials()),
}
"""Who answers which gate."""
