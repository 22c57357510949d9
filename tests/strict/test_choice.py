"""The choice of strict gates: what is asked, with which numbers, and what is refused."""

from typing import Any

import pytest

from facet.errors import InputError
from facet.gates import SEVEN
from facet.images import Images
from facet.strict import STRICT_GATES
from facet.strict.choice import choose
from facet.strict.mutants_die import reaches_verifier
from facet.strict.orders import ORDERS
from facet.strict.stable import VARIED
from facet.taskdir import read_task
from facet.types.verdict import Judgement
from tests.foreign import apart
from tests.judging import make_task
from tests.strict.test_strict import Actors
from tests.test_judge import StubEngine, realizer


def judged(task: Any, **options: Any) -> Judgement:
    engine: Any = StubEngine()
    with Images(engine, realizer()) as images:
        names = options.pop("names", ())
        return choose(names, **options).judge(task, engine=engine, images=images, trial=Actors())


def test_nothing_named_asks_every_strict_gate_behind_the_seven() -> None:
    assert choose().gates == STRICT_GATES
    assert STRICT_GATES[: len(SEVEN)] == SEVEN
    assert STRICT_GATES[-1] == "mutants_die"


def test_named_gates_come_behind_the_seven_in_the_order_of_the_table() -> None:
    assert choose(["mutants_die", "stable"]).gates == (*SEVEN, "stable", "mutants_die")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"names": ["stabel"]}, "stabel: known are partials_fail"),
        ({"mutants": 0}, "--mutants 0"),
        ({"repeats": 99}, "--repeats 99"),
    ],
)
def test_a_wrong_choice_is_refused_in_words(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        choose(options.pop("names", ()), **options)


def test_numbers_decide_how_many_mutants_count_and_containers_agree() -> None:
    found = judged(make_task(), names=["stable", "mutants_die"], mutants=3, repeats=4)
    assert found.valid
    assert sum(t.actor == "mutant" for t in found.trials) == 3
    assert sum(t.actor == "nop" for t in found.trials) == 4 + ORDERS + len(VARIED)


def test_recorded_verdicts_know_the_numbers_they_rest_on() -> None:
    assert choose(mutants=9).told != choose().told
    assert choose(["sealed"], mutants=9).told == choose(["sealed"]).told


def test_a_task_without_manifest_is_not_asked_for_its_contract() -> None:
    gate = judged(make_task(ours=False), names=["contract_agrees"]).gate("contract_agrees")
    assert gate is not None
    assert gate.status == "not_applicable"


def test_what_is_not_carried_to_a_separate_verifier_does_not_count(tmp_path: Any) -> None:
    task = read_task(apart(tmp_path / "apart", '["/app/out"]'))
    assert reaches_verifier("/app/out/answer.txt", task)
    assert not reaches_verifier("/app/notes.txt", task)
    assert reaches_verifier("/app/notes.txt", make_task())
