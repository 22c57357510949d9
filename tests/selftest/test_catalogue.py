"""Good tasks and planted defects as data: nothing here runs them."""

import ast

import pytest

from facet.gates import GATES, SYNTHESIS, loads
from facet.selftest import edits
from facet.selftest.catalogue import DEFECTS, KINDS
from facet.selftest.defect import Defect
from facet.selftest.good import NAMES, good_task
from facet.selftest.run import GOOD_GATES, quick_defects
from facet.static_faults import syntax_fault
from facet.types.task import ARTIFACTS, Task

SPOILT = ("does not parse", "a bracket is never closed", "a line is indented wrongly")
"""Defects whose point is that the checks do not parse."""


def test_there_are_ten_good_tasks_eighty_defects_and_twelve_kinds() -> None:
    assert len(NAMES) >= 10
    assert len(DEFECTS) >= 80
    assert len(KINDS) >= 12
    assert {d.base for d in DEFECTS} == set(NAMES)


def test_ids_are_unique() -> None:
    ids = [d.id for d in DEFECTS]
    assert len(set(ids)) == len(ids)


def test_at_least_a_third_is_held_out_and_every_artifact_is_hit_in_both_parts() -> None:
    held_out = [d for d in DEFECTS if d.held_out]
    assert 3 * len(held_out) >= len(DEFECTS)
    assert {d.artifact for d in held_out} == set(ARTIFACTS)
    assert {d.artifact for d in DEFECTS if not d.held_out} == set(ARTIFACTS)


def test_every_expected_gate_exists_and_is_asked() -> None:
    names = {row.name for row in GATES}
    for defect in DEFECTS:
        assert defect.gates
        assert set(defect.gates) <= names, defect.id
        assert set(defect.gates) <= {*SYNTHESIS, *defect.beyond}, defect.id


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda d: d.id.replace(" ", "_"))
def test_a_defect_changes_exactly_the_artifact_it_names(defect: Defect) -> None:
    good, bad = good_task(defect.base), defect.task
    changed = [a for a in ARTIFACTS if good.digests[a] != bad.digests[a]]
    assert changed == [defect.artifact]
    assert bad.settings == good.settings
    assert bad.scenario == good.scenario


def test_only_defects_of_the_first_gate_are_seen_without_running() -> None:
    seen = {d.id for d in DEFECTS if loads(d.task).status == "failed"}
    assert seen == {d.id for d in DEFECTS if d.gates == ("loads",)}


def test_the_checks_of_a_defect_compile_where_they_should() -> None:
    spoilt = {
        d.slug
        for d in DEFECTS
        for file in d.task.verifier.files.files
        if file.path.endswith(".py") and syntax_fault(file.path, file.data)
    }
    assert spoilt == set(SPOILT)


def test_planting_twice_gives_the_same_bytes() -> None:
    assert [d.task.digest for d in DEFECTS[::9]] == [d.task.digest for d in DEFECTS[::9]]


@pytest.mark.parametrize("name", NAMES)
def test_a_good_task_loads_and_declares_at_least_fifteen_checks(name: str) -> None:
    task = good_task(name)
    assert loads(task).status == "passed"
    assert len(task.verifier.checks) >= 15
    assert task.solution.partials
    ast.parse(task.verifier.files.text("test_state.py"))


def test_good_tasks_are_asked_every_gate_somebody_answers() -> None:
    assert set(SYNTHESIS) < set(GOOD_GATES)
    assert {"contract_agrees", "stable", "sealed"} <= set(GOOD_GATES)


def test_a_quick_run_has_at_most_one_defect_of_a_kind() -> None:
    kinds = [d.kind for d in quick_defects()]
    assert len(set(kinds)) == len(kinds)
    assert len(kinds) >= 12


def test_an_unknown_good_task_is_refused() -> None:
    with pytest.raises(KeyError, match="nonsense"):
        good_task("nonsense")


@pytest.mark.parametrize(
    "plant",
    [
        edits.told("words that are not there", "x"),
        edits.solve("words that are not there", "x"),
        edits.tests("words that are not there", "x"),
        edits.without_check("no.such.check"),
        edits.fixture("/app/data/orders.csv", b"bytes that are not there", b"x"),
        edits.moved("/no/such/file", "/app/x"),
        lambda task: (
            task.replace("instruction", task.instruction) if edits.const(task, "NO") else task
        ),
    ],
)
def test_an_edit_that_finds_nothing_to_change_is_an_error(plant) -> None:
    with pytest.raises(ValueError, match="not in the text|no check|no planned|no constant"):
        plant(good_task("orders"))


def test_an_added_check_is_declared() -> None:
    def declared(task: Task) -> set[str]:
        return {c.id for c in task.verifier.checks}

    good = good_task("catalog")
    more = edits.check("new.one", "assert 1 == 2, 'never'")(good)
    assert declared(more) - declared(good) == {"new.one"}
    fewer = edits.without_check("unknown")(good)
    assert declared(good) - declared(fewer) == {"unknown"}
