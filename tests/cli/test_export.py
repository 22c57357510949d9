"""`facet export`: which tasks of a workspace leave it, and how it says no."""

import json
from pathlib import Path
from typing import Any

import pytest

from facet.cli.main import main
from facet.taskdir import read_task
from facet.types.decision import Decision, Verdict
from facet.types.payloads import DecisionMade, SeedAccepted, TaskEnded, TaskJudged, TaskWritten
from facet.types.task import Task
from facet.types.verdict import Ending, Gate
from facet.workspace import Workspace
from tests.golden import good_tasks

TASKS = good_tasks()


def store_task(
    workspace: Workspace, number: int, task: Task, *, ending: Ending = "valid", decided: str = ""
) -> str:
    """One seed's task as a run leaves it; `decided` is the digest an approval is bound to."""
    journal, seed, key = workspace.journal, f"{number:04d}-x", f"run/{number:04d}-x"
    workspace.bundles.write(task)
    accepted = SeedAccepted(number=number, skill_ids=("a", "b"), skill_names=("a", "b"), blob="")
    written = TaskWritten(key=key, digest=task.digest, name=task.name, title="", artifacts={})
    good = ending == "valid"
    judged = TaskJudged(
        key=key,
        digest=task.digest,
        gates=(Gate(name="loads", status="passed" if good else "failed"),),
        valid=good,
        checks=17,
        blob="",
    )
    ended = TaskEnded(key=key, ending=ending, reason="", digest=task.digest, checks=17)
    journal.append("seed", accepted, run="run", seed=seed)
    journal.append("task.written", written, run="run", seed=seed, task=task.digest)
    journal.append("task.judged", judged, run="run", seed=seed, task=task.digest)
    journal.append("task.ended", ended, run="run", seed=seed, task=task.digest)
    if decided:
        decide(workspace, key, decided, "approve")
    return key


def decide(workspace: Workspace, key: str, digest: str, verdict: Verdict, who: str = "ana") -> None:
    decision = Decision(task=key, task_digest=digest, verdict=verdict, person=who)
    workspace.journal.append("decision", DecisionMade(decision=decision), person=who)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["export", *words])
    code = ended.value.code
    return code if isinstance(code, int) else 0 if code is None else 1


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def exported(out: Path) -> dict[str, Any]:
    return {t["folder"]: t for t in json.loads((out / "manifest.json").read_text())["tasks"]}


def test_validated_tasks_leave_and_others_stay(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_task(workspace, 0, TASKS[0])
    store_task(workspace, 1, TASKS[1], ending="exhausted")
    store_task(workspace, 2, TASKS[2])
    out = tmp_path / "out"
    assert run(str(out), "--workspace", str(workspace.root), "--base-ref", "b") == 0
    assert set(exported(out)) == {"orders", "catalog"}
    assert exported(out)["orders"]["digest"] == TASKS[0].digest
    read_task(out / "orders")
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == f"2 tasks in {out}: 2 written, 0 as they were"


def test_approved_means_this_very_digest_and_no_dispute(
    workspace: Workspace, tmp_path: Path
) -> None:
    store_task(workspace, 0, TASKS[0], decided=TASKS[0].digest)
    store_task(workspace, 1, TASKS[1], decided="sha256:" + "0" * 64)
    key = store_task(workspace, 2, TASKS[2], decided=TASKS[2].digest)
    decide(workspace, key, TASKS[2].digest, "reject", who="ben")
    out = tmp_path / "out"
    words = (str(out), "--workspace", str(workspace.root), "--base-ref", "b", "--approved")
    assert run(*words) == 0
    assert set(exported(out)) == {"orders"}
    assert exported(out)["orders"]["decision"] == "approve"


def test_nothing_to_export_is_one_line(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_task(workspace, 0, TASKS[0])
    out = tmp_path / "out"
    assert run(str(out), "--workspace", str(workspace.root), "--approved") == 2
    captured = capsys.readouterr()
    assert "no approved and validated task" in captured.err
    assert len(captured.err.splitlines()) == 1
    assert not out.exists()


def test_a_task_that_two_seeds_made_alike_is_counted_once(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_task(workspace, 0, TASKS[0])
    store_task(workspace, 1, TASKS[0])
    out = tmp_path / "out"
    assert run(str(out), "--workspace", str(workspace.root), "--base-ref", "b") == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == f"1 tasks in {out}: 1 written, 0 as they were"


def test_a_folder_that_cannot_be_made_is_one_line(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_task(workspace, 0, TASKS[0])
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "out"
    assert run(str(out), "--workspace", str(workspace.root), "--base-ref", "b") == 2
    assert capsys.readouterr().err.splitlines() == [
        f"facet: cannot make the folder {out}: Not a directory; give another"
    ]


def test_an_unknown_format_and_a_missing_workspace_are_refused(
    workspace: Workspace, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    assert run(out, "--format", "zip", "--workspace", str(workspace.root)) == 2
    assert run(out, "--workspace", str(tmp_path / "absent")) == 4


def test_json_is_one_document(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_task(workspace, 0, TASKS[0])
    words = (str(tmp_path / "out"), "--workspace", str(workspace.root), "--base-ref", "b")
    assert run(*words, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["written"] == 1
    assert document["summary"]["tasks"][0]["name"] == "golden/orders"


def test_one_lost_bundle_is_named_and_the_others_are_written(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_task(workspace, 0, TASKS[0])
    lost = store_task(workspace, 1, TASKS[1])
    (workspace.bundles.root / f"{TASKS[1].digest.partition(':')[2]}.json").unlink()
    out = tmp_path / "out"
    assert run(str(out), "--workspace", str(workspace.root), "--base-ref", "b") == 1
    said = capsys.readouterr()
    assert said.err.startswith(f"left out: {lost}: ")
    assert said.out.splitlines()[-1].endswith("1 written, 0 as they were, 1 left out")
    assert read_task(next(p.parent for p in out.rglob("task.toml"))).digest
