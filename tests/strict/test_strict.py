"""Strict gates: stable, sealed and contract_agrees, with trials that were prepared."""

from typing import Any

import pytest

from facet.blame import blame
from facet.images import Images
from facet.judge import judge
from facet.strict import STRICT, STRICT_GATES
from facet.strict.sealed import probe_scripts
from facet.strict.stable import FRESH, differences, further
from facet.trial import ActorSpec
from facet.types.task import Task
from facet.types.trial import StateChange, Trial
from facet.types.verdict import Judgement
from tests.golden import orders
from tests.judging import INSTRUCTION, SOLVE, make_task, results, trial
from tests.test_judge import StubEngine, realizer

MADE = tuple(
    StateChange(path=p, change="added") for p in ("/app/out/totals.json", "/app/out/work.log")
)


class Actors:
    """Trials by actor and label; what is not named is good."""

    def __init__(self, **special: Trial) -> None:
        self.special = special
        self.conditions: list[Any] = []

    def __call__(
        self, engine: Any, image: str, task: Task, actor: ActorSpec, conditions: Any = None
    ) -> Trial:
        if conditions is not None:
            self.conditions.append(conditions)
        found = self.special.get(f"{actor.actor} {actor.label}".strip())
        if found is None:
            checks = results("failed", log="passed") if actor.actor == "partial" else None
            found = trial(
                actor.actor, changes=MADE if actor.actor == "oracle" else (), checks=checks
            )
        return found.model_copy(update={"label": actor.label})


def strict(task: Task, actors: Actors) -> Judgement:
    engine: Any = StubEngine()
    with Images(engine, realizer()) as images:
        return judge(
            task, engine=engine, images=images, trial=actors, gates=STRICT_GATES, more=STRICT
        )


def test_a_good_task_passes_every_strict_gate() -> None:
    actors = Actors()
    found = strict(make_task(), actors)
    assert found.valid, found.deciding
    assert len(actors.conditions) == 2 * len(list(further(FRESH, len(make_task().verifier.checks))))
    assert sum(t.actor == "probe" for t in found.trials) == len(probe_scripts(make_task()))


def test_a_check_that_turns_with_the_clock_is_named_and_its_verifier_blamed() -> None:
    turned = trial("oracle", checks=results("passed", total="failed"))
    task = make_task()
    found = strict(task, Actors(**{"oracle clock +400d": turned}))
    gate = found.gate("stable")
    assert gate is not None
    assert gate.status == "failed"
    assert "clock +400d: check total is failed" in gate.evidence
    assert blame(task, found).artifact == "verifier"


def test_a_solution_that_dies_under_another_locale_is_blamed_itself() -> None:
    task = make_task()
    dead = trial("oracle", outcome="actor_error", actor_exit=1)
    found = strict(task, Actors(**{"oracle other locale and zone": dead}))
    assert blame(task, found).artifact == "solution"


def test_a_probe_that_scores_breaks_the_seal() -> None:
    task = make_task()
    forged = trial("probe", checks=results("passed"))
    found = strict(task, Actors(**{"probe planted-plugin": forged}))
    gate = found.gate("sealed")
    assert gate is not None
    assert gate.status == "failed"
    assert "planted-plugin gets reward 1" in gate.evidence
    assert blame(task, found).artifact == "verifier"


def test_a_leak_is_found_before_any_probe_runs_and_the_environment_blamed() -> None:
    task = make_task(files={"files/app/notes": SOLVE.encode()})
    found = strict(task, Actors())
    assert not any(t.actor == "probe" for t in found.trials)
    assert blame(task, found).artifact == "environment"


def test_an_instruction_that_omits_an_output_is_blamed_although_all_checks_pass() -> None:
    task = make_task(instruction=INSTRUCTION.replace("/app/out/work.log", "up to you"))
    found = strict(task, Actors())
    assert found.deciding is not None
    assert found.deciding.name == "contract_agrees"
    assert blame(task, found).artifact == "instruction"


@pytest.mark.parametrize("who", ["nop again", "probe preloaded"])
def test_engine_trouble_leaves_a_strict_gate_unassessed(who: str) -> None:
    found = strict(make_task(), Actors(**{who: trial(outcome="infrastructure")}))
    assert found.deciding is not None
    assert found.deciding.status == "not_assessed"


def test_a_check_that_vanishes_or_appears_is_a_difference() -> None:
    one, two = trial("nop", checks=results("failed")), trial("nop", checks=results("failed")[1:])
    assert len(differences(one, two)) == 1
    assert len(differences(two, one)) == 1
    assert differences(one, one) == []


def test_probes_know_the_paths_that_checks_read() -> None:
    scripts = {s.path: s.text for s in probe_scripts(orders.task())}
    assert "/app/out/report.json" in scripts["empty-outputs.sh"]
    assert all("@PATHS@" not in text for text in scripts.values())
    assert len(scripts) >= 9
