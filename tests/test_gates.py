"""Gates: from trials to answers, without a container."""

import pytest

from facet import gates
from facet.types.manifest import Manifest, PlannedFile
from facet.types.verdict import Gate, GateName
from tests.judging import check, log, make_task, results, trial


def test_the_table_has_every_gate_once_and_seven_decide() -> None:
    names = [row.name for row in gates.GATES]
    assert sorted(names) == sorted(GateName.__args__)
    assert tuple(names[:7]) == gates.SEVEN


def test_behind_the_first_failing_gate_none_is_asked() -> None:
    asked: list[str] = []

    def ask(name: GateName) -> Gate:
        asked.append(name)
        return Gate(name=name, status="failed" if name == "builds" else "passed")

    found = gates.in_order(gates.SEVEN, ask)
    assert asked == ["loads", "builds"]
    assert [g.status for g in found] == ["passed", "failed"] + ["not_reached"] * 5


def test_an_unassessed_gate_stops_the_row_too() -> None:
    found = gates.in_order(("loads", "builds"), lambda name: Gate(name=name, status="not_assessed"))
    assert [g.status for g in found] == ["not_assessed", "not_reached"]


def test_a_gate_that_does_not_apply_stops_nothing() -> None:
    found = gates.in_order(
        ("loads", "manifest_realized", "builds"),
        lambda name: Gate(
            name=name, status="not_applicable" if name == "manifest_realized" else "passed"
        ),
    )
    assert [g.status for g in found] == ["passed", "not_applicable", "passed"]


# ---- loads ---------------------------------------------------------------------------------


def test_a_good_task_loads() -> None:
    assert gates.loads(make_task()).status == "passed"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"name": "orders"}, "task.toml: name 'orders'"),
        ({"instruction": " \n"}, "instruction.md: is empty"),
        ({"solve": ""}, "solution/solve.sh: is missing"),
        ({"solve": "#!/bin/bash\r\ntrue\r\n"}, "solution/solve.sh:1: CRLF"),
        ({"partials": {"partials/p.sh": "true\nfalse\r\n"}}, "solution/partials/p.sh:2: CRLF"),
        ({"tests": "def test_x(:\n  pass\n"}, "tests/test_state.py:1:"),
        ({"tests": "x = '\0'\n"}, "tests/test_state.py"),
        ({"files": {"entry.sh": b"#!/bin/sh\r\n"}}, "environment/entry.sh:1: CRLF"),
    ],
)
def test_what_cannot_load_is_named_with_its_file(change: dict, named: str) -> None:
    gate = gates.loads(make_task(**change))
    assert gate.status == "failed"
    assert gate.evidence.startswith(named)


def test_line_ends_of_data_files_and_instructions_are_not_a_fault() -> None:
    task = make_task(
        instruction="Do it.\r\nNow.\r\n", files={"files/app/data/a.csv": b"a\r\nb\r\n"}
    )
    assert gates.loads(task).status == "passed"


def test_a_foreign_name_without_organisation_does_not_stop_the_judgement() -> None:
    assert gates.loads(make_task(ours=False, name="FACET-Terminal")).status == "passed"


# ---- builds, manifest_realized -------------------------------------------------------------


def test_a_build_problem_is_the_evidence() -> None:
    assert gates.builds("").status == "passed"
    gate = gates.builds("step 3 failed", ("line",))
    assert (gate.status, gate.evidence, gate.details) == ("failed", "step 3 failed", ("line",))


def test_a_mismatch_fails_the_plan_and_no_plan_does_not_apply() -> None:
    plan = Manifest(files=(PlannedFile(path="/app/a", data=b""),))
    assert gates.manifest_realized(make_task(manifest=plan), ()).status == "passed"
    assert gates.manifest_realized(make_task(manifest=plan), ("file /app/a",)).status == "failed"
    assert gates.manifest_realized(make_task(ours=False), ()).status == "not_applicable"


# ---- verifier_runs -------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", ["verifier_error", "verifier_timeout", "actor_error"])
def test_a_verifier_that_comes_to_no_verdict_fails_its_gate(outcome: str) -> None:
    nop = trial(outcome=outcome, detail="no reward", verifier_log=log("Traceback\nImportError: x"))
    gate = gates.verifier_runs(make_task(), nop)
    assert gate.status == "failed"
    assert outcome in gate.evidence
    assert gate.details[-1] == "ImportError: x"


def test_engine_trouble_is_not_assessed_in_every_gate() -> None:
    task = make_task()
    away = trial(outcome="infrastructure", detail="daemon gone")
    gone = trial("partial", label="partials/log-only.sh", outcome="infrastructure")
    assert gates.verifier_runs(task, away).status == "not_assessed"
    assert gates.initial_fails(task, away).status == "not_assessed"
    assert gates.solution_runs(away).status == "not_assessed"
    assert gates.final_passes(task, away).status == "not_assessed"
    assert gates.partials_fail(task, [gone]).status == "not_assessed"


def test_a_missing_reward_is_not_zero() -> None:
    assert gates.verifier_runs(make_task(), trial(reward=None)).status == "failed"


def test_a_foreign_reward_without_report_is_one_check() -> None:
    task = make_task(ours=False)
    nop = trial(checks=(check("reward"),), reward=0.0)
    assert gates.verifier_runs(task, nop).status == "passed"
    assert gates.initial_fails(task, nop).status == "passed"
    done = trial("oracle", checks=(check("reward", "passed"),), reward=1.0)
    assert gates.final_passes(task, done).status == "passed"


def test_a_verifier_that_could_not_start_is_not_a_failing_check() -> None:
    nop = trial(checks=(check("reward"),), reward=0.0, verifier_exit=127)
    gate = gates.verifier_runs(make_task(ours=False), nop)
    assert gate.status == "failed"
    assert "could not start" in gate.evidence


def test_a_declared_check_without_result_fails_and_parametrised_ones_count() -> None:
    task = make_task()
    gate = gates.verifier_runs(task, trial(checks=results("failed")[1:]))
    assert gate.status == "failed"
    assert "count" in gate.evidence
    renamed = (check("count[a b]"), *results("failed")[1:])
    assert gates.verifier_runs(task, trial(checks=renamed)).status == "passed"


# ---- initial_fails -------------------------------------------------------------------------


def test_the_untouched_state_fails_with_its_guards_passing() -> None:
    assert gates.initial_fails(make_task(), trial()).status == "passed"


def test_full_reward_before_any_work_fails() -> None:
    gate = gates.initial_fails(make_task(), trial(checks=results("passed")))
    assert gate.status == "failed"
    assert "full reward" in gate.evidence


def test_a_vacuous_check_is_named() -> None:
    gate = gates.initial_fails(make_task(), trial(checks=results("failed", log="passed")))
    assert gate.status == "failed"
    assert gate.details == ("log",)


def test_in_foreign_tasks_a_check_that_passes_before_is_only_listed() -> None:
    nop = trial(checks=results("failed", log="passed"))
    gate = gates.initial_fails(make_task(ours=False), nop)
    assert gate.status == "passed"
    assert "passes before: log" in gate.details
    done = trial("oracle")
    assert gates.inferred_guards(nop, done) == ("log", "orders")


def test_a_crash_of_every_check_is_not_a_failure() -> None:
    gate = gates.initial_fails(make_task(), trial(checks=results("error")))
    assert gate.status == "failed"
    assert "crashed" in gate.evidence


def test_a_low_reward_without_a_failed_check_is_refused() -> None:
    gate = gates.initial_fails(make_task(ours=False), trial(checks=results("passed"), reward=0.5))
    assert gate.status == "failed"
    assert "no check failed" in gate.evidence


def test_a_guard_that_is_false_before_any_work_fails() -> None:
    gate = gates.initial_fails(make_task(), trial(checks=results("failed", orders="failed")))
    assert gate.status == "failed"
    assert "guard is false" in gate.evidence


# ---- solution_runs, final_passes -----------------------------------------------------------


def test_the_exit_code_of_the_solution_counts() -> None:
    assert gates.solution_runs(trial("oracle")).status == "passed"
    assert gates.solution_runs(trial("oracle", actor_exit=3)).status == "failed"
    assert gates.solution_runs(trial("oracle", actor_exit=None)).status == "not_assessed"
    late = trial("oracle", outcome="actor_timeout", actor_exit=None, detail="600 s")
    assert gates.solution_runs(late).evidence == "actor_timeout: 600 s"


def test_one_failing_check_after_the_solution_is_named() -> None:
    oracle = trial("oracle", checks=results("passed", total="failed"))
    gate = gates.final_passes(make_task(), oracle)
    assert gate.status == "failed"
    assert "total" in gate.evidence


def test_reward_and_checks_must_agree_after_the_solution() -> None:
    task = make_task()
    assert gates.final_passes(task, trial("oracle")).status == "passed"
    assert gates.final_passes(task, trial("oracle", reward=0.9)).status == "failed"
    liar = trial("oracle", checks=results("passed", total="failed"), reward=1.0)
    assert gates.final_passes(task, liar).status == "failed"


def test_a_verifier_that_crashes_after_the_solution_fails_the_final_state() -> None:
    oracle = trial("oracle", outcome="verifier_error", detail="no reward")
    assert gates.solution_runs(oracle).status == "passed"
    assert gates.final_passes(make_task(), oracle).status == "failed"


def test_a_skipped_check_proves_nothing_in_our_tasks() -> None:
    oracle = trial("oracle", checks=results("passed", log="skipped"))
    assert gates.final_passes(make_task(), oracle).status == "failed"
    assert gates.final_passes(make_task(ours=False), oracle).status == "passed"


# ---- partials_fail -------------------------------------------------------------------------

PARTIAL = "partials/log-only.sh"


def test_a_partial_that_runs_and_fails_a_check_is_good() -> None:
    partial = trial("partial", label=PARTIAL, checks=results("failed", log="passed"))
    assert gates.partials_fail(make_task(), [partial]).status == "passed"


@pytest.mark.parametrize(
    ("partial", "why"),
    [
        (trial("partial", label=PARTIAL, checks=results("passed")), "passes every check"),
        (trial("partial", label=PARTIAL, actor_exit=1), "crashed (exit 1)"),
        (trial("partial", label=PARTIAL, outcome="actor_error", actor_exit=2), "proves nothing"),
        (trial("partial", label=PARTIAL, outcome="verifier_error"), "broke the verifier"),
    ],
)
def test_a_partial_that_proves_nothing_fails_the_gate(partial, why: str) -> None:
    gate = gates.partials_fail(make_task(), [partial])
    assert gate.status == "failed"
    assert why in gate.evidence


def test_a_partial_that_was_not_run_is_not_assessed() -> None:
    assert gates.partials_fail(make_task(), []).status == "not_assessed"
    assert gates.partials_fail(make_task(partials={}), []).status == "not_applicable"
