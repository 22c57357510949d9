"""Status, reason and order of the queue."""

from typing import Any

import pytest

from facet.store.rows import TaskRow
from facet.types.decision import Verdict
from facet.ui.listing import FILTERS, GROUPS, neighbours, next_to_review, pick, status_of, why
from facet.ui.words import STATUS


def row(key: str = "run/1", **more: Any) -> TaskRow:
    values: dict[str, Any] = {
        "key": key,
        "run": "run",
        "seed": key.partition("/")[2],
        "digest": "sha256:aa",
        "status": "valid",
        "created": "2026",
        "updated": "2026",
        **more,
    }
    return TaskRow(**values)


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, "to review"),
        ({"status": "working"}, "working"),
        ({"status": "exhausted"}, "exhausted"),
        ({"status": "owed"}, "owed"),
        ({"decision": "approve"}, "approved"),
        ({"decision": "reject"}, "rejected"),
        ({"decision": "unsure"}, "unsure"),
        ({"decision": "approve", "disputed": True}, "split"),
        ({"stale_decision": "approve"}, "stale"),
        ({"decision": "reject", "status": "exhausted"}, "rejected"),
    ],
)
def test_status_follows_ending_and_decisions(more: dict[str, Any], status: str) -> None:
    assert status_of(row(**more)) == status


def test_every_status_has_a_look_and_a_group() -> None:
    assert set(STATUS) == set(GROUPS)
    assert set(GROUPS.values()) == set(FILTERS)


def test_the_reason_is_one_line_of_text() -> None:
    assert why(row()) == "valid at first try"
    repaired = row(rounds=2, environment_rounds=1, blamed="verifier")
    assert why(repaired) == "valid after repair of environment and verifier (2 rounds)"
    assert why(row(status="working", stage="axes")) == "at axes"
    assert why(row(status="exhausted", reason="a\nb")) == "a b"
    verdict: Verdict = "approve"
    assert why(row(decision=verdict, decided_by="ana", opinions=2)) == "by ana and 1 more"
    assert "older version" in why(row(stale_decision="approve"))


def test_filters_leave_what_they_name() -> None:
    rows = [row("run/1", title="Total Orders"), row("run/2", status="exhausted", reason="no csv")]
    assert [r.key for r in pick(rows, ["not valid"], "")] == ["run/2"]
    assert [r.key for r in pick(rows, [], "ORDERS")] == ["run/1"]
    assert [r.key for r in pick(rows, [], "csv")] == ["run/2"]
    assert pick(rows, ["approved"], "") == []


def test_neighbours_end_where_the_list_ends() -> None:
    rows = [row("run/1"), row("run/2")]
    assert neighbours(rows, "run/1") == ("", "run/2", "1 of 2")
    assert neighbours(rows, "run/2") == ("run/1", "", "2 of 2")
    assert neighbours(rows, "gone") == ("", "run/1", "not among 2")


def test_the_next_to_review_wraps_around_and_never_is_the_one_on_screen() -> None:
    rows = [row("run/1"), row("run/2", decision="approve"), row("run/3")]
    assert next_to_review(rows, "run/1") == "run/3"
    assert next_to_review(rows, "run/3") == "run/1"
    assert next_to_review(rows[:2], "run/1") == ""
    assert next_to_review(rows) == "run/1"
