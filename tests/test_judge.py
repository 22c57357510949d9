"""The judge with doubles for building and trials: what is asked, made once, and cleaned up."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from facet.errors import BaseMissing, BuildError, EngineError, SandboxGone
from facet.gates import SYNTHESIS
from facet.images import Images
from facet.judge import judge
from facet.realize import Realized
from facet.trial import ActorSpec
from facet.types.manifest import Mismatch, RealizedManifest
from facet.types.task import Environment, Task
from facet.types.trial import Trial
from facet.types.verdict import Gate, Judgement
from tests.judging import make_task, results, trial


class StubEngine:
    """Knows its base image and what was removed."""

    def __init__(self, base: bool = True) -> None:
        self.base = base
        self.removed: list[str] = []

    def image(self, name: str) -> str | None:
        return "sha256:base" if self.base else None

    def remove_image(self, image: str) -> None:
        self.removed.append(image)


class Trials:
    """Gives a prepared trial per actor and counts the calls."""

    def __init__(self, **by_actor: Trial | Exception) -> None:
        good: dict[str, Trial | Exception] = {
            "nop": trial("nop"),
            "oracle": trial("oracle"),
            "partial": trial("partial", checks=results("failed", log="passed")),
        }
        self.by_actor = {**good, **by_actor}
        self.ran: list[str] = []
        self.images: set[str] = set()

    def __call__(self, engine: Any, image: str, task: Task, actor: ActorSpec) -> Trial:
        self.ran.append(f"{actor.actor} {actor.label}".strip())
        self.images.add(image)
        found = self.by_actor[actor.actor]
        if isinstance(found, Exception):
            raise found
        return found.model_copy(update={"label": actor.label})


def realizer(
    *mismatches: Mismatch, error: Exception | None = None, count: list[str] | None = None
) -> Callable[[Environment], Realized]:
    def realize(environment: Environment) -> Realized:
        digest = environment.value_digest()
        if count is not None:
            count.append(digest)
        if error is not None:
            raise error
        manifest = RealizedManifest(files=(), mismatches=mismatches)
        return Realized(image=f"image of {digest[-6:]}", manifest=manifest, seconds=0.0)

    return realize


def run(
    task: Task, trials: Trials, realize: Callable[[Environment], Realized], **more: Any
) -> Judgement:
    engine = StubEngine()
    with Images(engine, realize) as images:  # type: ignore[arg-type]
        return judge(task, engine=engine, images=images, trial=trials, **more)  # type: ignore[arg-type]


def states(judgement: Judgement) -> list[str]:
    return [g.status for g in judgement.gates]


def test_a_good_task_is_valid_with_nop_oracle_and_partials_run_once() -> None:
    trials = Trials()
    found = run(make_task(), trials, realizer(), gates=SYNTHESIS)
    assert found.valid, found.deciding
    assert sorted(trials.ran) == ["nop", "oracle", "partial partials/log-only.sh"]
    assert len(trials.images) == 1
    assert [t.actor for t in found.trials] == ["nop", "oracle", "partial"]


def test_seven_gates_run_no_partials() -> None:
    trials = Trials()
    assert run(make_task(), trials, realizer()).valid
    assert sorted(trials.ran) == ["nop", "oracle"]


def test_a_task_that_cannot_load_is_neither_built_nor_run() -> None:
    trials, built = Trials(), list[str]()
    found = run(make_task(instruction=""), trials, realizer(count=built))
    assert states(found) == ["failed"] + ["not_reached"] * 6
    assert (trials.ran, built) == ([], [])


def test_a_build_error_is_the_tasks_fault_and_an_engine_error_is_ours() -> None:
    broken = run(
        make_task(),
        Trials(),
        realizer(error=BuildError("COPY failed", log="a\nb", line="COPY x /x")),
    )
    gate = broken.deciding
    assert gate is not None
    assert (gate.name, gate.status, gate.details) == ("builds", "failed", ("a", "b"))
    assert "COPY x /x" in gate.evidence
    away = run(make_task(), Trials(), realizer(error=EngineError("disk full")))
    assert away.deciding is not None
    assert (away.deciding.name, away.deciding.status) == ("builds", "not_assessed")


def test_a_plan_that_is_not_held_stops_before_any_trial() -> None:
    trials = Trials()
    lost = Mismatch(what="file", name="/app/data/orders.csv", planned="30 bytes", found="")
    found = run(make_task(), trials, realizer(lost))
    assert found.deciding is not None
    assert found.deciding.name == "manifest_realized"
    assert found.deciding.evidence == "file /app/data/orders.csv: planned 30 bytes, found nothing"
    assert trials.ran == []


def test_an_engine_error_in_a_trial_is_infrastructure() -> None:
    found = run(make_task(), Trials(oracle=SandboxGone("container vanished")), realizer())
    assert found.deciding is not None
    assert (found.deciding.name, found.deciding.status) == ("solution_runs", "not_assessed")
    oracle = found.trial("oracle")
    assert oracle is not None
    assert (oracle.outcome, oracle.detail) == ("infrastructure", "container vanished")


def test_a_missing_base_image_is_raised_before_anything_runs() -> None:
    with pytest.raises(BaseMissing):
        judge(make_task(), engine=StubEngine(base=False), trial=Trials())  # type: ignore[arg-type]


def test_nop_and_oracle_run_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=30)

    class Meeting(Trials):
        def __call__(self, engine: Any, image: str, task: Task, actor: ActorSpec) -> Trial:
            both.wait()
            return super().__call__(engine, image, task, actor)

    assert run(make_task(), Meeting(), realizer()).valid


def test_a_gate_nobody_can_answer_is_not_assessed_and_others_can_be_brought() -> None:
    task = make_task()
    found = run(task, Trials(), realizer(), gates=("loads", "sealed"))
    assert states(found) == ["passed", "not_assessed"]
    brought = run(
        task,
        Trials(),
        realizer(),
        gates=("loads", "sealed"),
        more={"sealed": lambda bench: Gate(name="sealed", status="passed")},
    )
    assert brought.valid


def test_progress_is_told() -> None:
    told: list[str] = []
    run(make_task(), Trials(), realizer(), progress=told.append)
    assert "gate builds" in told
    assert "trial oracle" in told


# ---- images --------------------------------------------------------------------------------


def test_one_digest_is_built_once_for_many_threads_and_removed_at_the_end() -> None:
    engine, built = StubEngine(), list[str]()
    task = make_task()
    with Images(engine, realizer(count=built)) as images:  # type: ignore[arg-type]
        threads = [threading.Thread(target=images.get, args=(task.environment,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        images.get(make_task(dockerfile="FROM other\n").environment)
        assert len(built) == 2
        assert engine.removed == []
    assert len(engine.removed) == 2


def test_a_build_that_failed_is_not_tried_again_but_engine_trouble_is() -> None:
    task, built = make_task(), list[str]()
    images = Images(StubEngine(), realizer(error=BuildError("x"), count=built))  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(BuildError):
            images.get(task.environment)
    assert len(built) == 1
    images = Images(StubEngine(), realizer(error=EngineError("x"), count=built))  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(EngineError):
            images.get(task.environment)
    assert len(built) == 3


def test_an_adopted_image_is_used_and_removed_too() -> None:
    engine, built = StubEngine(), list[str]()
    task = make_task()
    images = Images(engine, realizer(count=built))  # type: ignore[arg-type]
    adopted = Realized(image="theirs", manifest=RealizedManifest(files=()), seconds=0.0)
    images.put(task.environment, adopted)
    assert images.get(task.environment).image == "theirs"
    images.drop(task.environment)
    images.close()
    assert (engine.removed, built) == (["theirs"], [])
