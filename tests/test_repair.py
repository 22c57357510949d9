"""The core loop, with doubles for judge, blame and rewrite."""

from collections.abc import Callable

import pytest

from facet.errors import BuildError, EngineError, ModelUnavailable, ReplyError
from facet.repair import Observer, RepairResult, repair
from facet.types.task import Instruction, Task
from facet.types.trial import Trial
from facet.types.verdict import Blame, Gate, GateName, Judgement, Round
from tests.judging import PARTIAL, SOLVE, TESTS, make_task, results, trial

GOOD = make_task()


def judgement(task: Task, gate: Gate | None = None, trials: tuple[Trial, ...] = ()) -> Judgement:
    passed = Gate(name="loads", status="passed")
    return Judgement(
        task_digest=task.digest, gates=(passed, gate) if gate else (passed,), trials=trials
    )


def failed(name: GateName = "final_passes", evidence: str = "total fails") -> Gate:
    return Gate(name=name, status="failed", evidence=evidence)


def wants(**parts: str) -> Callable[[Task], Judgement]:
    """A judge that passes when each artifact's text contains what is wanted."""

    def judge(task: Task) -> Judgement:
        texts = {
            "instruction": task.instruction.text,
            "solution": task.solution.script,
            "verifier": task.verifier.files.text("test_state.py"),
            "environment": task.environment.files.text("Dockerfile"),
        }
        for artifact, wanted in parts.items():
            if wanted not in texts[artifact]:
                return judgement(task, failed(evidence=f"{artifact} lacks {wanted}"))
        return judgement(task)

    return judge


def by_evidence(task: Task, found: Judgement) -> Blame:
    """Blames the artifact that the deciding gate's evidence starts with."""
    gate = found.deciding
    assert gate is not None
    word = gate.evidence.split()[0]
    artifact = None if word == "nobody" else word
    return Blame(artifact=artifact, rule="by_evidence", evidence=(gate.evidence,), gate=gate.name)


class Writer:
    """Gives the prepared tasks (or raises the prepared errors) one after another."""

    def __init__(self, *replies: Task | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[Blame, bool]] = []

    def __call__(self, task: Task, blame: Blame, judgement: Judgement, repeated: bool) -> Task:
        self.asked.append((blame, repeated))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def run(judge, writer: Writer, rounds: int = 5, task: Task = GOOD, **more) -> RepairResult:
    return repair(task, judge, writer, rounds, blame=by_evidence, **more)


def test_a_task_that_passes_is_valid_without_a_round() -> None:
    result = run(wants(), Writer())
    assert (result.ending, result.rounds, len(result.judgements)) == ("valid", (), 1)


def test_only_the_blamed_artifact_of_a_rewrite_is_taken() -> None:
    reply = make_task(solve=SOLVE + "# fixed\n", instruction="Something else.", tests="x = 1\n")
    result = run(wants(solution="# fixed"), Writer(reply))
    assert result.ending == "valid"
    assert result.task.solution == reply.solution
    assert result.task.instruction == GOOD.instruction
    assert result.task.verifier == GOOD.verifier
    assert [r.blame.artifact for r in result.rounds] == ["solution"]
    assert "+# fixed" in result.rounds[0].diff


def test_an_environment_rewrite_costs_one_round_and_is_judged_anew() -> None:
    reply = make_task(dockerfile="FROM facet-base\nRUN mended\n")
    result = run(wants(environment="mended"), Writer(reply))
    assert (result.ending, len(result.rounds), len(result.judgements)) == ("valid", 1, 2)


def test_several_artifacts_are_mended_one_after_another() -> None:
    writer = Writer(make_task(dockerfile="FROM x\n# good\n"), make_task(solve=SOLVE + "# good\n"))
    result = run(wants(environment="# good", solution="# good"), writer)
    assert result.ending == "valid"
    assert [r.blame.artifact for r in result.rounds] == ["environment", "solution"]
    assert [r.number for r in result.rounds] == [1, 2]
    assert result.rounds[0].after == result.rounds[1].before


def test_engine_trouble_is_owed_and_spends_no_round() -> None:
    away = Gate(name="verifier_runs", status="not_assessed", evidence="daemon gone")
    result = run(lambda task: judgement(task, away), Writer())
    assert (result.ending, result.rounds) == ("owed", ())
    assert "daemon gone" in result.reason


@pytest.mark.parametrize("error", [ModelUnavailable("outage"), EngineError("docker")])
def test_trouble_of_ours_while_rewriting_is_owed(error: Exception) -> None:
    result = run(wants(solution="# fixed"), Writer(error))
    assert (result.ending, result.rounds, result.reason) == ("owed", (), str(error))


def test_a_reply_that_does_not_parse_costs_a_round_and_its_error_goes_back() -> None:
    writer = Writer(ReplyError("no JSON"), make_task(solve=SOLVE + "# fixed\n"))
    result = run(wants(solution="# fixed"), writer)
    assert (result.ending, result.refused) == ("valid", 1)
    assert "no JSON" in writer.asked[1][0].evidence[-1]


def test_a_plan_that_never_builds_costs_a_round() -> None:
    result = run(wants(environment="mended"), Writer(BuildError("step 3")), rounds=1)
    assert (result.ending, result.refused) == ("exhausted", 1)


def test_used_rounds_are_exhausted() -> None:
    drafts = [make_task(solve=SOLVE + f"# try {n}\n") for n in range(3)]

    def judge(task: Task) -> Judgement:
        return judgement(task, failed(evidence=f"solution {task.digest}"))

    result = run(judge, Writer(*drafts), rounds=3)
    assert (result.ending, len(result.rounds)) == ("exhausted", 3)
    assert result.task == GOOD.replace("solution", drafts[-1].solution)


def test_no_rounds_means_no_rewrite() -> None:
    assert run(wants(solution="# fixed"), Writer(), rounds=0).ending == "exhausted"


def test_blame_without_artifact_is_unexplained_and_scenario_blame_discards() -> None:
    nobody = run(lambda t: judgement(t, failed(evidence="nobody knows")), Writer())
    assert nobody.ending == "unexplained"
    scenario = run(lambda t: judgement(t, failed(evidence="scenario is impossible")), Writer())
    assert scenario.ending == "discarded"


def test_the_same_complaint_demands_another_patch_and_the_third_time_ends() -> None:
    writer = Writer(*(make_task(solve=SOLVE + f"# {n}\n") for n in range(3)))
    result = run(wants(solution="# fixed"), writer)
    assert [repeated for _, repeated in writer.asked] == [False, True]
    assert (result.ending, len(result.rounds)) == ("unexplained", 2)
    assert "came back" in result.reason


def test_a_solution_returned_unchanged_twice_blames_the_instruction_once() -> None:
    clearer = GOOD.replace("instruction", Instruction(text="Clear words."))
    fixed = make_task(solve=SOLVE + "# fixed\n")
    writer = Writer(GOOD, GOOD, clearer, fixed)
    result = run(wants(solution="# fixed"), writer)
    assert [b.artifact for b, _ in writer.asked] == [
        "solution",
        "solution",
        "instruction",
        "solution",
    ]
    assert writer.asked[2][0].rule == "writer_stands_by_it"
    assert result.ending == "valid"
    assert result.refused == 2


def test_in_a_dispute_over_the_final_state_the_other_side_has_its_turn_too() -> None:
    fixed = make_task(tests=TESTS + "# fixed\n")

    def judge(task: Task) -> Judgement:
        if "# fixed" in task.verifier.files.text("test_state.py"):
            return judgement(task)
        return judgement(task, failed(evidence="solution differs"))

    writer = Writer(GOOD, GOOD, GOOD, fixed)
    result = run(judge, writer)
    assert [(b.artifact, b.rule) for b, _ in writer.asked][2:] == [
        ("instruction", "writer_stands_by_it"),
        ("verifier", "other_side_stands_by_it"),
    ]
    assert (result.ending, len(result.rounds)) == ("valid", 4)


def test_a_crashing_solution_never_turns_against_the_verifier() -> None:
    gate = failed("solution_runs", "solution crashes")
    result = run(lambda task: judgement(task, gate), Writer(GOOD, GOOD, GOOD), rounds=9)
    assert result.ending == "unexplained"
    assert [r.blame.artifact for r in result.rounds] == ["solution", "solution", "instruction"]


def test_what_never_moves_is_unexplained_after_the_instruction_had_its_turn() -> None:
    clearer = GOOD.replace("instruction", Instruction(text="Clear words."))
    writer = Writer(GOOD, GOOD, clearer, *(clearer for _ in range(6)))
    result = run(wants(solution="# fixed"), writer, rounds=9)
    assert result.ending == "unexplained"
    assert [b.artifact for b, _ in writer.asked].count("instruction") == 1


def test_an_unchanged_environment_or_instruction_twice_is_unexplained() -> None:
    for artifact in ("environment", "instruction"):
        result = run(wants(**{artifact: "# never there"}), Writer(GOOD, GOOD), rounds=9)
        assert (result.ending, len(result.rounds)) == ("unexplained", 2)


def test_a_rewrite_that_removes_a_check_goes_back_with_the_reason() -> None:
    cut = TESTS[: TESTS.index('@pytest.mark.check(id="log"')]
    writer = Writer(make_task(tests=cut), make_task(tests=TESTS + "# fixed\n"))
    result = run(wants(verifier="# fixed"), writer)
    assert result.ending == "valid"
    assert "check log was removed" in result.rounds[0].refused
    assert result.rounds[0].before == result.rounds[0].after
    assert result.rounds[0].diff == ""
    assert "check log was removed" in writer.asked[1][0].evidence[-1]


def test_a_verifier_under_which_a_failing_probe_passes_is_refused() -> None:
    label = "partials/log-only.sh"
    soft = make_task(tests=TESTS + "# soft\n")
    hard = make_task(tests=TESTS + "# fixed\n")

    def judge(task: Task) -> Judgement:
        text = task.verifier.files.text("test_state.py")
        checks = results("passed" if "# soft" in text else "failed", log="passed")
        partial = trial("partial", label=label, checks=checks)
        gate = None if "# fixed" in text else failed(evidence="verifier is off")
        return judgement(task, gate, (partial,))

    result = run(judge, Writer(soft, hard))
    assert result.ending == "valid"
    assert result.task.verifier == hard.verifier
    assert "used to fail" in result.rounds[0].refused


def test_a_solution_that_drops_its_partials_is_refused() -> None:
    writer = Writer(
        make_task(solve=SOLVE + "# fixed\n", partials={}),
        make_task(solve=SOLVE + "# fixed\n", partials={"partials/other.sh": PARTIAL}),
    )
    result = run(wants(solution="# fixed"), writer)
    assert result.ending == "valid"
    assert "partial" in result.rounds[0].refused


def test_the_observer_hears_everything_in_order() -> None:
    heard: list[str] = []

    class Ear(Observer):
        def judged(self, task: Task, judgement: Judgement, round: int) -> None:
            heard.append(f"judged {round} {judgement.valid}")

        def blamed(self, task: Task, blame: Blame, round: int) -> None:
            heard.append(f"blamed {round} {blame.artifact}")

        def rewritten(self, task: Task, round: Round) -> None:
            heard.append(f"round {round.number} {task.digest == round.after}")

    run(wants(solution="# fixed"), Writer(make_task(solve=SOLVE + "# fixed\n")), observe=Ear())
    assert heard == ["judged 0 False", "blamed 1 solution", "round 1 True", "judged 1 True"]
