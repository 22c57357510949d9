"""The check x state table: rows, columns, flags and what the two states say."""

import pytest

from facet.matrix import matrix, suspect
from facet.types.task import DeclaredCheck
from facet.types.trial import Trial
from facet.types.verdict import Judgement
from tests.judging import CHECKS, check, results, trial


def judged(*trials: Trial) -> Judgement:
    return Judgement(task_digest="sha256:0", gates=(), trials=trials)


def test_before_and_after_are_the_first_two_columns_whatever_the_order_of_trials() -> None:
    table = matrix(judged(trial("partial", label="partials/x.sh"), trial("oracle"), trial("nop")))
    assert [c.title for c in table.columns] == ["before", "after", "partial x"]
    assert [r.id for r in table.rows] == ["count", "total", "log", "orders"]
    assert table.rows[0].statuses == ("failed", "passed", "failed")
    assert table.counts(0) == (1, 4)


def test_titles_come_from_the_declaration_where_the_report_has_none() -> None:
    table = matrix(judged(trial("nop"), trial("oracle")), CHECKS)
    assert table.rows[0].title == "count is right"


@pytest.mark.parametrize(
    ("before", "after", "flags"),
    [
        ("failed", "passed", ()),
        ("passed", "passed", ("vacuous", "dead")),
        ("failed", "failed", ("brittle",)),
        ("error", "error", ("brittle",)),
    ],
)
def test_a_check_is_flagged_by_what_it_said_in_both_states(
    before: str, after: str, flags: tuple[str, ...]
) -> None:
    table = matrix(
        judged(
            trial("nop", checks=(check("count", before),)),  # type: ignore[arg-type]
            trial("oracle", checks=(check("count", after),)),  # type: ignore[arg-type]
        )
    )
    assert table.rows[0].flags == flags


def test_a_guard_that_holds_in_both_states_is_a_guard_and_neither_vacuous_nor_dead() -> None:
    table = matrix(judged(trial("nop"), trial("oracle")))
    assert table.rows[-1].flags == ("guard",)


def test_a_declared_check_without_a_result_has_a_row_that_says_so() -> None:
    table = matrix(judged(trial("nop")), [DeclaredCheck(id="ghost", title="boo")])
    ghost = table.rows[-1]
    assert (ghost.id, ghost.flags, ghost.statuses) == ("ghost", ("never ran",), ("",))


def test_a_parametrised_check_is_not_reported_as_never_run() -> None:
    nop = trial("nop", checks=(check("count[a]"), check("count[b]")))
    table = matrix(judged(nop), [DeclaredCheck(id="count", title="both")])
    assert [(r.id, r.title) for r in table.rows] == [("count[a]", "both"), ("count[b]", "both")]


def test_a_verifier_that_crashed_is_named_before_any_check_is_argued_about() -> None:
    crashed = trial("nop", outcome="verifier_error", detail="no reward")
    table = matrix(judged(crashed, trial("oracle")))
    assert suspect(table) == "before: verifier error: no reward"


def test_the_line_names_the_first_suspect() -> None:
    good = suspect(matrix(judged(trial("nop"), trial("oracle"))))
    assert good.startswith("before 3 of 4 fail, after 0 of 4 fail")
    assert good.endswith("as it should be")
    brittle = trial("oracle", checks=results("passed", total="failed"))
    assert "solution" in suspect(matrix(judged(trial("nop"), brittle)))
    vacuous = trial("nop", checks=results("passed"))
    assert "vacuous" in suspect(matrix(judged(vacuous, trial("oracle"))))


def test_an_empty_judgement_is_an_empty_table() -> None:
    table = matrix(judged())
    assert (table.rows, table.columns, suspect(table)) == ((), (), "")
