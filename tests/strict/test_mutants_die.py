"""Gate `mutants_die` with prepared trials and states: what counts, what is set aside, blame."""

from typing import Any

import pytest

from facet.blame import blame
from facet.images import Images
from facet.judge import Bench, judge
from facet.statediff import Difference, FinalState, StateEntry
from facet.strict.mutants_die import is_asked, mutants_die, spoken_of
from facet.strict.observed import Observed, is_program_text, meaning, repository, telling
from facet.trial import ActorSpec
from facet.types.task import FileSet, Solution, Task, text_file
from facet.types.trial import Trial
from facet.types.verdict import Gate, Judgement
from tests.judging import SOLVE, make_task, results, trial
from tests.test_judge import StubEngine, realizer

TOTALS = "/app/out/totals.json"
LOG = "/app/out/work.log"


def entry(path: str, content: str, **more: Any) -> StateEntry:
    return StateEntry(
        path=path, kind="file", mode="0644", owner="root:root", sha256=content, **more
    )


def left(*entries: StateEntry, complete: bool = True, **more: Any) -> Observed:
    return Observed(state=FinalState(entries=entries, complete=complete), **more)


ORACLE = left(entry(TOTALS, "right"), entry(LOG, "done"))


class World:
    """Trials of mutants in the order they are asked, and the state each leaves."""

    def __init__(self, *mutants: Trial, state: Observed | None = ORACLE, **others: Trial) -> None:
        self.mutants = list(mutants)
        self.others = others
        self.state = state
        self.limits: list[float] = []
        self.looked: list[str] = []

    def trial(self, engine: Any, image: str, task: Task, actor: ActorSpec) -> Trial:
        if actor.actor == "mutant":
            self.limits.append(task.settings.agent_timeout_sec)
            made = self.mutants.pop(0) if len(self.mutants) > 1 else self.mutants[0]
        else:
            made = self.others.get(actor.actor, trial(actor.actor))
        return made.model_copy(update={"label": actor.label, "actor": actor.actor})

    def observe(self, bench: Bench, actor: ActorSpec) -> Observed | None:
        self.looked.append(actor.actor)
        return self.state if actor.actor == "mutant" else ORACLE


DEAD = trial("mutant", checks=results("passed", total="failed"))
SURVIVES = trial("mutant", checks=results("passed"))
CRASHED = trial("mutant", outcome="actor_error", actor_exit=1)


def found(world: World, task: Task | None = None, wanted: int = 4) -> Gate:
    gate = judged(world, task or make_task(), wanted).gate("mutants_die")
    assert gate is not None
    return gate


def judged(world: World, task: Task, wanted: int = 4) -> Judgement:
    engine: Any = StubEngine()
    with Images(engine, realizer()) as images:
        return judge(
            task,
            engine=engine,
            images=images,
            trial=world.trial,
            gates=("mutants_die",),
            more={"mutants_die": lambda b: mutants_die(b, wanted=wanted, observe=world.observe)},
        )


def test_mutants_that_fail_a_check_pass_the_gate_with_evidence_for_each() -> None:
    gate = found(World(DEAD))
    assert gate.status == "passed"
    assert gate.evidence == "of 4 mutants 4 fail a check"
    assert all(line.startswith("dead: line ") and "fails total" in line for line in gate.details)


def test_a_mutant_that_scores_with_another_result_is_alive_and_the_verifier_blamed() -> None:
    other = left(entry(TOTALS, "wrong"), entry(LOG, "done"))
    task = make_task()
    judgement = judged(World(DEAD, SURVIVES, DEAD, state=other), task)
    gate = judgement.deciding
    assert gate is not None
    assert gate.status == "failed"
    assert gate.evidence.startswith("verifier: line ")
    assert TOTALS in gate.evidence
    complaint = blame(task, judgement)
    assert (complaint.artifact, complaint.category) == ("verifier", "weak verifier")


def test_a_mutant_with_the_state_of_the_oracle_is_set_aside_and_replaced() -> None:
    gate = found(World(SURVIVES, SURVIVES, DEAD))
    assert gate.status == "passed"
    assert gate.evidence == "of 6 mutants 4 fail a check, 2 leave the same state"


def test_a_crash_proves_nothing_and_is_counted_apart() -> None:
    gate = found(World(CRASHED, DEAD))
    assert gate.evidence == "of 5 mutants 4 fail a check, 1 do not come to their end"


def test_only_crashes_prove_nothing_so_the_gate_does_not_apply() -> None:
    gate = found(World(CRASHED))
    assert gate.status == "not_applicable"
    assert "0 fail" not in gate.evidence


def test_tries_are_bounded() -> None:
    world = World(SURVIVES)
    gate = found(world, wanted=3)
    assert gate.status == "not_applicable"
    assert len(world.limits) <= 12


def test_a_difference_where_nobody_asks_for_anything_is_set_aside() -> None:
    beside = left(*ORACLE.state.entries, entry("/var/cache-of-mine", "x"))
    assert "only where nobody asks" in found(World(SURVIVES, DEAD, state=beside)).evidence


def test_a_difference_in_the_text_of_a_program_alone_is_set_aside() -> None:
    program = frozenset({LOG})
    other = left(entry(TOTALS, "right"), entry(LOG, "edited"), programs=program)
    assert not is_program_text(Difference(path=LOG, left=None, right=None), other, other)
    world = World(SURVIVES, DEAD, state=other)
    assert found(world).status == "failed"
    oracle = ORACLE.model_copy(update={"programs": program})
    world.observe = lambda bench, actor: other if actor.actor == "mutant" else oracle  # type: ignore[method-assign]
    world.mutants = [SURVIVES, DEAD]
    assert "only in the text of a program" in found(world).evidence


def test_a_survivor_that_cannot_be_looked_at_is_unknown_not_alive() -> None:
    assert "1 cannot be compared" in found(World(SURVIVES, DEAD, state=None)).evidence


def test_a_mutant_that_breaks_the_verifier_is_the_verifiers_fault() -> None:
    broken = trial("mutant", outcome="verifier_error", detail="no reward")
    gate = found(World(broken, DEAD))
    assert gate.status == "failed"
    assert "breaks the verifier: no reward" in gate.evidence


@pytest.mark.parametrize("actor", ["mutant", "alternative"])
def test_engine_trouble_leaves_the_gate_unassessed(actor: str) -> None:
    away = trial(outcome="infrastructure", detail="no space")
    world = World(away) if actor == "mutant" else World(DEAD, alternative=away)
    gate = found(world, with_alternative())
    assert gate.status == "not_assessed"
    assert "no space" in gate.evidence


def with_alternative() -> Task:
    task = make_task()
    other = text_file("alternatives/jq.sh", SOLVE, executable=True)
    return task.replace("solution", Solution(files=task.solution.files.with_file(other)))


def test_an_alternative_that_passes_is_told() -> None:
    world = World(DEAD, alternative=trial("alternative", checks=results("passed")))
    assert found(world, with_alternative()).evidence.endswith("1 of 1 alternatives pass")


def test_an_alternative_that_fails_a_check_blames_the_verifier() -> None:
    task = with_alternative()
    world = World(DEAD, alternative=trial("alternative", checks=results("passed", log="failed")))
    judgement = judged(world, task)
    gate = judgement.deciding
    assert gate is not None
    assert "alternatives/jq.sh solves it in another manner, but log" in gate.evidence
    assert blame(task, judgement).artifact == "verifier"


def test_an_alternative_that_crashes_blames_the_solution() -> None:
    task = with_alternative()
    judgement = judged(World(DEAD, alternative=CRASHED), task)
    assert blame(task, judgement).artifact == "solution"


def test_mutants_get_a_limit_of_their_own_and_their_trials_belong_to_the_task() -> None:
    task = make_task()
    world = World(DEAD, oracle=trial("oracle", actor_s=4.0))
    judgement = judged(world, task)
    assert set(world.limits) == {40.0}
    assert {t.actor for t in judgement.trials} == {"nop", "oracle", "mutant"}
    assert {t.task_digest for t in judgement.trials if t.actor == "mutant"} == {task.digest}


def test_a_task_without_a_script_cannot_be_asked() -> None:
    task = make_task().replace("solution", Solution(files=FileSet()))
    assert found(World(DEAD), task).status == "not_applicable"


def test_what_two_oracle_runs_differ_in_is_no_evidence() -> None:
    one, two = left(entry(TOTALS, "a")), left(entry(TOTALS, "b"))
    assert telling(one, two, left(entry(TOTALS, "c"))) == ()
    assert telling(one, one, left(entry(TOTALS, "c"))) != ()
    assert telling(one, one, left(complete=False)) is None


def test_equal_meaning_is_no_difference_but_another_mode_is() -> None:
    one = left(entry(TOTALS, "a"), meanings={TOTALS: "json 1"})
    two = left(entry(TOTALS, "b"), meanings={TOTALS: "json 1"})
    assert telling(one, one, two) == ()
    wider = entry(TOTALS, "a").model_copy(update={"mode": "0666"})
    assert telling(one, one, left(wider, meanings=one.meanings))


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (b'{"a": 1, "b": 2}', b'{"b":2,"a":1}\n', True),
        (b'{"a": 1}', b'{"a": 2}', False),
        (b"a \nb\n\n", b"a\nb", True),
        (b"a\nb", b"b\na", False),
        (b"<html><p>x</p></html>", b"<html><p>x</html>", True),
        (b"<html><p>x", b"<html><b>x", False),
    ],
)
def test_meaning_ignores_layout_only(one: bytes, two: bytes, same: bool) -> None:
    assert (meaning(one) == meaning(two)) is same


def test_bytes_that_are_no_text_have_no_known_meaning() -> None:
    assert meaning(b"\xff\xfe\x00") == ""
    assert meaning(b"[" * 100_000) != ""


def test_what_is_named_or_lies_in_a_named_folder_is_asked_for() -> None:
    spoken = spoken_of(make_task(instruction="Fill `/app/out/` and `plan.txt` below /app."))
    assert is_asked("/app/out/a/b.txt", spoken)
    assert is_asked("/srv/plan.txt", spoken)
    assert not is_asked("/app/else.txt", spoken)
    assert not is_asked("/root/.cache/x", spoken)


def test_a_repository_counts_by_its_history_not_by_the_names_of_its_objects() -> None:
    def repo(objects: str, history: str) -> Observed:
        return left(entry(f"/app/r/.git/objects/{objects}", "x"), meanings={"/app/r/.git": history})

    one, two = repo("3a/a8", "git 1"), repo("11/bd", "git 1")
    assert telling(one, two, repo("7f/00", "git 1")) == ()
    other = telling(one, two, repo("7f/00", "git 2"))
    assert other is not None
    assert [d.path for d in other] == ["/app/r/.git"]
    assert telling(one, repo("11/bd", "git 9"), repo("7f/00", "git 2")) == ()
    assert repository("/srv/x.git/HEAD") == "/srv/x.git"
    assert repository("/app/.gitignore") == ""
