"""A person's finding starts one round: rewritten, refused or judged, all of it as events."""

from pathlib import Path
from typing import Any

import pytest

from facet.errors import BudgetExceeded, EngineError, InputError, ModelUnavailable, WorkspaceBusy
from facet.llm.scripted import ScriptedProvider
from facet.pipeline.person_round import PersonRound, find_task, person_round, spec_of
from facet.store import Store
from facet.store.rows import TaskRow
from facet.types.asks import InstructionReply
from facet.types.decision import Decision
from facet.types.payloads import DecisionMade, TaskBlamed, TaskEnded
from facet.types.task import Task
from facet.types.verdict import Judgement
from facet.workspace import Workspace
from tests.pipeline.doubles import FakeWorkshop, judgement, provider
from tests.pipeline.test_run import events, go, make_skills


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace with one valid task."""
    opened = Workspace.open(tmp_path / "ws")
    go(opened, make_skills(tmp_path / "skills", 8), count=1)
    return opened


def row_of(workspace: Workspace, wanted: str = "") -> TaskRow:
    with Store.memory(workspace) as store:
        return find_task(store, wanted or store.tasks()[0].key)


def mend(
    workspace: Workspace,
    artifact: Any = "instruction",
    note: str = "say which column is summed",
    *,
    asked: ScriptedProvider | None = None,
    judge: Any = judgement,
) -> PersonRound:
    row = row_of(workspace)
    return person_round(
        workspace,
        row,
        artifact=artifact,
        note=note,
        spec=spec_of(workspace, row),
        provider=asked or provider(),
        workshop=FakeWorkshop(judge),
    )


def new_kinds(workspace: Workspace, before: int) -> list[str]:
    kinds = [e.kind for e in workspace.journal.read()][before:]
    return [k for k in kinds if k.startswith("task.")]


def test_a_finding_is_blamed_written_judged_and_ended_in_this_order(workspace: Workspace) -> None:
    before = len(list(workspace.journal.read()))
    done = mend(workspace)
    assert new_kinds(workspace, before) == [
        "task.blamed",
        "task.written",
        "task.round",
        "task.judged",
        "task.ended",
    ]
    blamed = TaskBlamed.model_validate(events(workspace, "task.blamed")[-1].data).blame
    assert (blamed.by, blamed.artifact) == ("person", "instruction")
    assert blamed.evidence == ("say which column is summed",)
    assert (done.ending, done.refused, done.round) == ("valid", "", 1)
    assert row_of(workspace).digest == done.after != done.before


def test_only_the_named_artifact_changes(workspace: Workspace) -> None:
    done = mend(workspace, "solution", "it is slow")
    old, new = (workspace.bundles.read(d).digests for d in (done.before, done.after))
    assert {a for a in old if old[a] != new[a]} == {"solution"}


def test_the_writer_reads_the_note(workspace: Workspace) -> None:
    asked = provider()
    mend(workspace, asked=asked)
    request: Any = asked.requests[-1]
    assert request.role == "repair/instruction"
    assert request.ask.complaint.note == "say which column is summed"


def test_a_decision_on_the_old_digest_becomes_stale(workspace: Workspace) -> None:
    row = row_of(workspace)
    decision = Decision(task=row.key, task_digest=row.digest, verdict="approve", person="ada")
    workspace.journal.append("decision", DecisionMade(decision=decision), person="ada")
    assert row_of(workspace).decision == "approve"
    mend(workspace)
    after = row_of(workspace)
    assert (after.decision, after.stale_decision) == (None, "approve")


def test_a_rewrite_that_changes_nothing_is_refused_and_the_task_stays(workspace: Workspace) -> None:
    before = row_of(workspace)
    done = mend(workspace, "verifier", "too strict")
    assert done.refused == "the rewrite changes nothing"
    after = row_of(workspace)
    assert (after.digest, after.status, after.checks) == (before.digest, "valid", before.checks)
    assert "as it was" in after.reason


def test_a_rewrite_after_which_a_gate_fails_ends_as_judged_and_wanting(
    workspace: Workspace,
) -> None:
    done = mend(workspace, judge=lambda task: judgement(task, failed="final_passes"))
    assert done.ending == "exhausted"
    assert done.reason.startswith("final_passes: ")
    assert row_of(workspace).gate == "final_passes"


def test_rounds_of_persons_are_numbered_on(workspace: Workspace) -> None:
    assert [mend(workspace, note=f"finding {n}").round for n in (1, 2, 3)] == [1, 2, 3]
    assert row_of(workspace).rounds == 3
    assert len({e.id for e in events(workspace, "task.blamed")}) == 3


def test_a_round_counts_against_valid_at_once_only_when_taken(workspace: Workspace) -> None:
    def first_time() -> bool:
        return TaskEnded.model_validate(events(workspace, "task.ended")[-1].data).first_time_valid

    assert first_time()
    mend(workspace, "verifier")
    assert first_time()
    mend(workspace, "instruction")
    assert not first_time()


@pytest.mark.parametrize("error", [ModelUnavailable("down"), BudgetExceeded("spent")])
def test_without_a_writer_the_task_stays_as_it_was(workspace: Workspace, error: Exception) -> None:
    def fail(request: Any) -> InstructionReply:
        raise error

    before = row_of(workspace)
    with pytest.raises(type(error)):
        mend(workspace, asked=provider(repair_instruction=fail))
    after = row_of(workspace)
    assert (after.digest, after.status) == (before.digest, "valid")


def test_engine_trouble_takes_nothing(workspace: Workspace) -> None:
    def away(task: Task) -> Judgement:
        return judgement(task, failed="builds", status="not_assessed")

    before = row_of(workspace).digest
    with pytest.raises(EngineError, match="cannot be judged"):
        mend(workspace, judge=away)
    assert row_of(workspace).digest == before


def test_a_run_at_work_is_not_disturbed(workspace: Workspace) -> None:
    with workspace.run_lock(row_of(workspace).run), pytest.raises(WorkspaceBusy):
        mend(workspace)


def test_a_task_is_found_by_key_name_and_digest_also_an_old_one(workspace: Workspace) -> None:
    row = row_of(workspace)
    short = row.name.rpartition("/")[2]
    for wanted in (row.name, short, row.digest, row.digest[:19], row.digest[7:15]):
        assert row_of(workspace, wanted).key == row.key
    mend(workspace)
    assert row_of(workspace, row.digest).key == row.key


def test_an_unknown_or_ambiguous_task_is_wrong_input(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no task 'nothing'"):
        row_of(workspace, "nothing")
    go(workspace, tmp_path / "skills", count=2)
    with Store.memory(workspace) as store:
        names = [r.name for r in store.tasks()]
        twice = next(n for n in names if names.count(n) > 1)
        with pytest.raises(InputError, match=f"{names.count(twice)} tasks fit"):
            find_task(store, twice)
