"""Judging a task whose verifier runs in a container of its own.

The verifier's image is built from tests/ (or named by the task, or a fresh copy of the
environment's). It belongs to gate `builds`; a reference solution whose work never reaches the
verifier is told apart from one that is wrong.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial as bind
from typing import Protocol

from facet import gates as gate
from facet.conditions import Conditions
from facet.errors import BuildError, EngineError
from facet.images import Images
from facet.judge import ASKED, Asked, Bench, RunTrial
from facet.realize import Realized, realize
from facet.sandbox.base import Engine
from facet.trial import ActorSpec, Keep, run_trial
from facet.trial_apart import UNSEEN, Apart
from facet.types.apart import artifacts_of, is_apart
from facet.types.task import Environment, Task
from facet.types.trial import Trial
from facet.types.verdict import Blame, Gate, GateName, Judgement

IN_TESTS = "tests/Dockerfile"

type Tell = Callable[[str], None]


class Judge(Protocol):
    """`facet.judge.judge`, as far as it is used here."""

    def __call__(
        self,
        task: Task,
        *,
        engine: Engine,
        progress: Tell | None = None,
        images: Images | None = None,
        trial: RunTrial = run_trial,
        more: dict[GateName, Asked] | None = None,
    ) -> Judgement: ...


class Build(Protocol):
    """`facet.realize.realize`, as far as it is used here."""

    def __call__(self, engine: Engine, environment: Environment) -> Realized: ...


class Kept:
    """The final state of the first oracle trial: an image until somebody takes or drops it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.image = ""
        self.running: tuple[str, ...] = ()  # commands of the actor that were still running

    def trial(self, run: Callable[..., Trial]) -> RunTrial:
        """`run`, keeping the oracle's final state."""

        def kept(
            engine: Engine,
            image: str,
            task: Task,
            actor: ActorSpec,
            *,
            conditions: Conditions | None = None,
        ) -> Trial:
            if actor.actor != "oracle" or self.image:
                return run(engine, image, task, actor, conditions=conditions)
            return bind(run, keep=self._keep)(engine, image, task, actor, conditions=conditions)

        return kept

    @property
    def _keep(self) -> Keep:
        def keep(image: str, running: tuple[object, ...]) -> None:
            self.image = image
            self.running = tuple(getattr(p, "command", "")[:80] for p in running)

        return keep

    def take(self) -> str:
        """The image; the caller removes it from now on."""
        image, self.image = self.image, ""
        return image

    def drop(self) -> None:
        """Remove the image if nobody took it."""
        if image := self.take():
            self._engine.remove_image(image)


def judge_one(
    task: Task,
    *,
    engine: Engine,
    judge: Judge,
    tell: Tell,
    build: Build = realize,
    images: Images | None = None,
    root: Images | None = None,
    kept: Kept | None = None,
) -> Judgement:
    """Judge a task of one step, its verifier where the task wants it.

    `images` gives the image the actor starts from, `root` the environment's own (for a verifier
    that runs in a fresh copy of it). Raises EngineError when the verifier's image cannot be had.
    """
    keeping = kept.trial if kept else lambda run: run
    if not is_apart(task):
        if images is None and kept is None:
            return judge(task, engine=engine, progress=tell)
        return judge(task, engine=engine, progress=tell, images=images, trial=keeping(run_trial))
    with ExitStack() as stack:
        own = images or stack.enter_context(Images(engine, bind(build, engine)))
        place, fault = _verifier(task, engine, root or own, stack, tell)
        trial = bind(run_trial, apart=place) if place else run_trial

        def builds(bench: Bench) -> Gate:
            found = ASKED["builds"](bench)
            if fault is None or found.status != "passed":
                return found
            line = f" ({fault.line})" if fault.line else ""
            return gate.builds(f"{IN_TESTS}: {fault}{line}", gate.tail(fault.log))

        return judge(
            task,
            engine=engine,
            progress=tell,
            images=own,
            trial=keeping(trial),
            more={"builds": builds, "final_passes": _final_passes},
        )


def _verifier(
    task: Task, engine: Engine, root: Images, stack: ExitStack, tell: Tell
) -> tuple[Apart | None, BuildError | None]:
    """Where the verifier runs; None and perhaps why tests/ does not build.

    An environment that does not build is left to its own gate.
    """
    artifacts = artifacts_of(task)
    known = dict(task.settings.metadata)
    try:
        environment = root.get(task.environment)
    except BuildError:
        return None, None
    if name := known.get("verifier.docker_image"):
        image = engine.image(name)
        if image is None:
            raise EngineError(f"the verifier's image {name[:100]} is not on this machine")
        return Apart(image=image, own_tests=True, artifacts=artifacts), None
    if task.verifier.files.get("Dockerfile") is None:
        return Apart(image=environment.image, artifacts=artifacts), None
    tell("building the verifier's image")
    try:
        image = engine.build(task.verifier.files, timeout_s=task.settings.build_timeout_sec)
    except BuildError as error:
        return None, error
    stack.callback(engine.remove_image, image)
    return Apart(image=image, own_tests=True, artifacts=artifacts), None


def _final_passes(bench: Bench) -> Gate:
    found = ASKED["final_passes"](bench)
    note = next((n for n in bench.both_ends()[1].detail.split("; ") if n.startswith(UNSEEN)), "")
    if found.status != "failed" or not note:
        return found
    return found.model_copy(update={"evidence": note, "details": (found.evidence, *found.details)})


def blame_apart(judgement: Judgement) -> Blame | None:
    """Blame for what only a verifier in its own container can do wrong; None for the rest."""
    found = judgement.deciding
    if found is None or found.status != "failed":
        return None
    for name, start, rule in (
        ("builds", IN_TESTS, "verifier_image_does_not_build"),
        ("final_passes", UNSEEN, "verifier_saw_no_work"),
    ):
        if found.name == name and found.evidence.startswith(start):
            return Blame(
                artifact="verifier",
                category="infrastructure, build or dependency",
                rule=rule,
                evidence=(found.evidence,),
                gate=found.name,
            )
    return None
