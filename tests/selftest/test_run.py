"""Marks and figures of the self-test, judged by doubles."""

import pytest
from typer.testing import CliRunner

from facet.cli.main import build_app
from facet.cli.selftest import as_json, figures, summary
from facet.errors import EngineUnavailable, InputError
from facet.selftest.catalogue import DEFECTS
from facet.selftest.defect import Defect
from facet.selftest.mark import Report
from facet.selftest.run import gates_for, outcome, run_selftest
from facet.types.task import Task
from facet.types.verdict import Blame, Gate, Judgement

SOME = DEFECTS[:10]
BY_DIGEST = {d.task.digest: d for d in SOME}


def failed(task: Task, gate: str, status: str = "failed") -> Judgement:
    return Judgement(
        task_digest=task.digest, gates=(Gate(name=gate, status=status, evidence="seen"),)
    )


def valid(task: Task) -> Judgement:
    return Judgement(task_digest=task.digest, gates=(Gate(name="loads", status="passed"),))


def planted(task: Task) -> Defect:
    return BY_DIGEST[task.digest]


def right_judge(task, gates):
    found = BY_DIGEST.get(task.digest)
    return failed(task, found.gates[0]) if found else valid(task)


def right_blame(task, judgement):
    defect = planted(task)
    return Blame(artifact=defect.artifact, category=defect.category, rule="double")


def run(judge=right_judge, blame=right_blame, good=("orders",), **more) -> Report:
    return run_selftest(judge, blame, defects=SOME, good=good, **more)


def test_right_answers_pass_and_keep_their_order() -> None:
    told: list[str] = []
    report = run(workers=3, tell=told.append)
    assert report.passed
    assert [m.id for m in report.marks] == [d.id for d in SOME]
    assert (report.whole.verdict, report.whole.artifact, report.whole.category) == (10, 10, 10)
    assert len(told) == 11
    assert summary(report).startswith("Self-test passed: verdict 100.0 %")
    assert figures(report.held_out) == "no defects"


def test_a_wrong_artifact_is_counted_and_fails_the_run() -> None:
    def blame(task, judgement):
        other = "verifier" if planted(task).artifact != "verifier" else "solution"
        return Blame(artifact=other, category=planted(task).category, rule="double")

    report = run(blame=blame)
    assert not report.passed
    assert (report.whole.verdict, report.whole.artifact, report.whole.category) == (10, 0, 10)
    assert "wrong artifact: found" in outcome(report.marks[0])


def test_another_gate_is_a_wrong_verdict() -> None:
    report = run(judge=lambda task, gates: failed(task, "manifest_realized"), good=())
    assert report.whole.verdict == 0
    assert report.whole.artifact == 10
    assert not report.passed


def test_a_defect_that_passes_every_gate_has_nothing_right() -> None:
    def nobody(task, judgement):
        return Blame(artifact=None, rule="nothing_failed")

    report = run(judge=lambda task, gates: valid(task), blame=nobody)
    assert (report.whole.verdict, report.whole.artifact, report.whole.category) == (0, 0, 0)
    assert report.marks[0].status == "valid"
    assert report.alarms == ()


def test_one_false_alarm_fails_the_run() -> None:
    def judge(task, gates):
        return right_judge(task, gates) if task.digest in BY_DIGEST else failed(task, "stable")

    report = run(judge=judge)
    assert [g.name for g in report.alarms] == ["orders"]
    assert report.whole.verdict == 10
    assert not report.passed


def test_trouble_of_ours_is_asked_once_more_and_is_never_right() -> None:
    asked: dict[str, int] = {}

    def judge(task, gates):
        asked[task.digest] = asked.get(task.digest, 0) + 1
        if asked[task.digest] == 1:
            return failed(task, planted(task).gates[0], "not_assessed")
        return right_judge(task, gates)

    assert run(judge=judge, good=()).passed
    assert set(asked.values()) == {2}
    away = run(
        judge=lambda task, gates: failed(task, planted(task).gates[0], "not_assessed"), good=()
    )
    assert (away.whole.verdict, away.whole.artifact) == (0, 0)


def test_nothing_judged_is_not_passed() -> None:
    assert not run_selftest(right_judge, right_blame, defects=(), good=()).passed


def test_a_defect_is_asked_the_gates_that_can_see_it() -> None:
    strict = next(d for d in DEFECTS if d.gates == ("stable",))
    assert gates_for(strict)[-1] == "stable"
    assert "stable" not in gates_for(SOME[0])


def test_the_report_as_json_names_figures_kinds_and_every_defect() -> None:
    document = as_json(run())
    assert set(document["figures"]) == {"all", "tuned", "held out"}
    assert len(document["defects"]) == 10
    assert document["defects"][0]["right"] == {"verdict": True, "artifact": True, "category": True}


def test_an_unknown_kind_is_refused_before_anything_runs() -> None:
    arguments = ["selftest", "--only", "no such kind"]
    done = CliRunner().invoke(build_app(arguments), arguments)
    assert isinstance(done.exception, InputError)
    assert "missing fixture" in str(done.exception)


@pytest.mark.parametrize("share", ["verdict", "artifact"])
def test_the_limits_are_those_of_the_table(share: str) -> None:
    marks = list(run(good=()).marks) * 10
    limit = {"verdict": 2, "artifact": 5}[share]

    def spoilt(number: int) -> Report:
        changed = [
            m.model_copy(update={"gate": "builds"} if share == "verdict" else {"artifact": ""})
            for m in marks[:number]
        ]
        return Report(marks=(*changed, *marks[number:]), good=())

    assert spoilt(limit).passed
    assert not spoilt(limit + 1).passed


def test_an_error_of_ours_begins_nothing_further() -> None:
    asked: list[str] = []

    def judge(task, gates):
        asked.append(task.digest)
        raise EngineUnavailable("no server")

    for good in ((), ("orders",)):
        with pytest.raises(EngineUnavailable):
            run_selftest(judge, right_blame, defects=SOME, good=good, workers=1)
        assert len(asked) == 1
        asked.clear()
