"""A whole run without Docker or a model: endings, resume, budgets, and the same digests always."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from facet.errors import (
    BuildError,
    EngineError,
    InputError,
    ModelUnavailable,
    WorkspaceBusy,
    WorkspaceError,
)
from facet.llm.base import Request
from facet.llm.scripted import ScriptedProvider
from facet.pipeline.run import Outcome, Watcher, execute, new_run, read_spec
from facet.pipeline.stop import Stop
from facet.types.asks import EnvironmentReply, Look, SolutionReply
from facet.types.event import Event
from facet.types.payloads import RunSpec, TaskEnded
from facet.types.scenario import Consistency, ConsistencyItem
from facet.types.skill import PairVerdict, Seed
from facet.types.task import Environment, Task
from facet.types.verdict import Judgement
from facet.workspace import Workspace
from tests.pipeline.doubles import FakeWorkshop, answer, judgement, no_build, provider, roles


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """A folder of eight plain skills."""
    return make_skills(tmp_path / "skills", 8)


def make_skills(folder: Path, count: int) -> Path:
    for n in range(1, count + 1):
        package = folder / "demo" / f"skill-{n}"
        package.mkdir(parents=True)
        words = " ".join(f"word{n}x{i}" for i in range(40))
        (package / "SKILL.md").write_text(
            f"---\nname: skill-{n}\ndescription: Does thing {n} with tables.\n---\n"
            f"# Skill {n}\n\nAlways do thing {n} by key. {words}\n"
            f"\n```bash\npython3 thing{n}.py data-{n}.csv\n```\n"
        )
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def go(
    workspace: Workspace,
    skills: Path,
    *,
    asked: ScriptedProvider | None = None,
    shop: FakeWorkshop | None = None,
    run: str = "",
    watcher: Watcher | None = None,
    stop: Stop | None = None,
    **changes: Any,
) -> Outcome:
    folder = "" if "pairs" in changes else str(skills)
    spec = RunSpec.model_validate({"count": 3, "seed": 7, "skills": folder, **changes})
    resumed = bool(run)
    run = run or new_run(workspace, spec)
    return execute(
        workspace,
        run,
        spec,
        provider=asked or provider(),
        workshop=shop or FakeWorkshop(),
        watcher=watcher,
        stop=stop,
        resumed=resumed,
    )


def events(workspace: Workspace, *kinds: str) -> list[Event]:
    return [e for e in workspace.journal.read() if not kinds or e.kind in kinds]


def endings(outcome: Outcome) -> list[str]:
    return [e.ending for e in outcome.endings]


def test_skills_become_valid_tasks_with_their_bundles(workspace: Workspace, skills: Path) -> None:
    outcome = go(workspace, skills)
    assert endings(outcome) == ["valid"] * 3
    assert outcome.finished.status == "finished"
    assert outcome.finished.counts == {"valid": 3}
    for ended in outcome.endings:
        task = workspace.bundles.read(ended.digest)
        assert task.digest == ended.digest
        assert task.provenance.model == "scripted"
        assert ended.checks == 1
        assert ended.first_time_valid


def test_every_stage_leaves_its_event_for_every_seed(workspace: Workspace, skills: Path) -> None:
    go(workspace, skills)
    done = Counter(e.data["stage"] for e in events(workspace, "stage.done"))
    names = (
        "skill_analysis exploration association evolution expansion axes scenario "
        "solution_reference instruction_reference consistency environment instruction solution "
        "verifier judge"
    )
    assert done == dict.fromkeys(names.split(), 3)
    kinds = Counter(e.kind for e in events(workspace))
    assert kinds["seed"] == kinds["task.ended"] == kinds["task.written"] == 3
    assert kinds["skill.read"] == kinds["context"] == 8
    assert kinds["run.started"] == kinds["run.finished"] == 1


@pytest.mark.parametrize("order", ["forward", "reverse", "joint"])
def test_an_order_decides_what_each_writer_sees(
    workspace: Workspace, skills: Path, order: str
) -> None:
    asked = provider()
    go(workspace, skills, asked=asked, order=order, count=1)
    seen: dict[str, set[str]] = {}
    for request in asked.requests:
        if request.role in ("instruction", "solution", "verifier"):
            written: Any = request.ask.written  # type: ignore[attr-defined]
            shown = {n for n in type(written).model_fields if getattr(written, n) is not None}
            seen[request.role] = shown
    assert (
        seen
        == {
            "forward": {
                "instruction": set(),
                "solution": {"instruction"},
                "verifier": {"instruction", "solution"},
            },
            "reverse": {
                "verifier": set(),
                "solution": {"verifier"},
                "instruction": {"verifier", "solution"},
            },
            "joint": {"instruction": set(), "solution": set(), "verifier": set()},
        }[order]
    )


def digests(outcome: Outcome) -> list[str]:
    return [e.digest for e in outcome.endings]


def test_the_same_seed_gives_the_same_digests_in_any_workspace_with_any_workers(
    tmp_path: Path, skills: Path
) -> None:
    outcomes = [
        go(Workspace.open(tmp_path / f"ws{workers}"), skills, workers=workers, count=5)
        for workers in (1, 4)
    ]
    assert len(set(digests(outcomes[0]))) == 5
    assert digests(outcomes[0]) == digests(outcomes[1])


def test_another_seed_gives_other_pairs(tmp_path: Path, skills: Path) -> None:
    pairs = []
    for seed in (1, 2):
        where = Workspace.open(tmp_path / f"ws{seed}")
        go(where, skills, seed=seed)
        pairs.append([e.data["skill_ids"] for e in events(where, "seed")])
    assert pairs[0] != pairs[1]


def failing(*gates: str) -> Any:
    """A judge that fails these gates one after the other, then passes; per task name."""
    seen: dict[str, list[str]] = {}

    def judge(task: Task) -> Judgement:
        left = seen.setdefault(task.name, list(gates))
        return judgement(task, failed=left.pop(0)) if left else judgement(task)

    return judge


def test_a_failed_gate_is_blamed_repaired_and_judged_again(
    workspace: Workspace, skills: Path
) -> None:
    asked, shop = provider(), FakeWorkshop(failing("solution_runs"))
    outcome = go(workspace, skills, asked=asked, shop=shop, count=1)
    (ended,) = outcome.endings
    assert (ended.ending, ended.rounds, ended.first_time_valid) == ("valid", 1, False)
    (blamed,) = events(workspace, "task.blamed")
    role = "repair/" + blamed.data["blame"]["artifact"]
    assert roles(asked)[role] == 1
    written = [e.task for e in events(workspace, "task.written")]
    assert len(set(written)) == 2
    assert ended.digest == written[1]
    assert [e.data["valid"] for e in events(workspace, "task.judged")] == [False, True]


def test_a_seed_whose_references_never_agree_is_discarded_with_its_items(
    workspace: Workspace, skills: Path
) -> None:
    item = ConsistencyItem(side="end", item="two totals", agrees=False, why="one total")
    never = Consistency(items=(item,), off="instruction")
    asked = provider(consistency=lambda r: never)
    outcome = go(workspace, skills, asked=asked, count=1)
    (ended,) = outcome.endings
    assert ended.ending == "discarded"
    assert "two totals" in ended.reason
    assert roles(asked)["consistency"] == 3
    assert roles(asked)["instruction_reference"] == 3
    assert roles(asked)["solution_reference"] == 1
    assert roles(asked)["environment"] == 0


def test_an_environment_that_never_builds_is_discarded_after_its_rounds(
    workspace: Workspace, skills: Path
) -> None:
    asked = provider()
    outcome = go(workspace, skills, asked=asked, shop=FakeWorkshop(build=no_build), count=1)
    (ended,) = outcome.endings
    assert ended.ending == "discarded"
    assert "3 repair rounds" in ended.reason
    assert "COPY failed" in ended.reason
    assert roles(asked)["environment"] == 4
    last: Any = [r.ask for r in asked.requests if r.role == "environment"][-1]
    assert last.previous is not None
    assert "no such file" in " ".join(last.problems)
    assert len(events(workspace, "environment.round")) == 4


def test_an_environment_mended_in_the_second_round_counts_one(
    workspace: Workspace, skills: Path
) -> None:
    calls = 0

    def once(environment: Environment) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise BuildError("apt failed")

    outcome = go(workspace, skills, shop=FakeWorkshop(build=once), count=1)
    (ended,) = outcome.endings
    assert (ended.ending, ended.environment_rounds) == ("valid", 1)


def test_an_answer_that_is_no_plan_or_no_script_ends_one_seed_only(
    workspace: Workspace, skills: Path
) -> None:
    def bad_for_the_first(request: Request) -> Any:
        first = request.ask.nonce.startswith("7:0000")
        return SolutionReply() if first else answer(request)

    outcome = go(workspace, skills, asked=provider(solution=bad_for_the_first))
    assert endings(outcome) == ["discarded", "valid", "valid"]


def test_looks_are_answered_and_shown_in_the_next_ask(workspace: Workspace, skills: Path) -> None:
    def look_first(request: Request) -> Any:
        ask: Any = request.ask
        if not ask.looked:
            return SolutionReply(looks=(Look(kind="list", arg="/app"),))
        return answer(request)

    asked, shop = provider(solution=look_first), FakeWorkshop()
    outcome = go(workspace, skills, asked=asked, shop=shop, count=1)
    assert endings(outcome) == ["valid"]
    assert [look.arg for look in shop.looks] == ["/app"]
    last: Any = [r.ask for r in asked.requests if r.role == "solution"][-1]
    assert last.looked[0].output == "seen"


def test_a_writer_that_only_looks_is_told_that_looks_are_used_up_then_dropped(
    workspace: Workspace, skills: Path
) -> None:
    only = SolutionReply(looks=tuple(Look(kind="list", arg=f"/{i}") for i in range(5)))
    asked, shop = provider(solution=lambda r: only), FakeWorkshop()
    outcome = go(workspace, skills, asked=asked, shop=shop, count=1)
    assert endings(outcome) == ["discarded"]
    assert len(shop.looks) <= 12
    last: Any = [r.ask for r in asked.requests if r.role == "solution"][-1]
    assert "no looks are left" in last.looked[-1].output


def test_an_outage_is_owed_and_finished_by_resume(workspace: Workspace, skills: Path) -> None:
    down = {"now": True}

    def outage(request: Request) -> Any:
        if down["now"]:
            return ModelUnavailable("the server is down")
        return answer(request)

    asked = provider(verifier=outage)
    first = go(workspace, skills, asked=asked)
    assert endings(first) == ["owed"] * 3
    assert "the server is down" in first.endings[0].reason
    down["now"] = False
    again = go(workspace, skills, asked=asked, run=first.run)
    assert endings(again) == ["valid"] * 3
    assert roles(asked)["solution"] == 3
    assert len(events(workspace, "seed")) == 3


def test_a_resumed_run_ends_as_an_undisturbed_one(tmp_path: Path, skills: Path) -> None:
    plain = go(Workspace.open(tmp_path / "plain"), skills)
    broken = Workspace.open(tmp_path / "broken")
    first = go(broken, skills, asked=provider(verifier=lambda r: ModelUnavailable("down")))
    again = go(broken, skills, run=first.run, workers=1)
    assert digests(again) == digests(plain)


def test_engine_trouble_is_owed_and_nobody_is_blamed(workspace: Workspace, skills: Path) -> None:
    def gone(environment: Environment) -> None:
        raise EngineError("the server went away")

    outcome = go(workspace, skills, shop=FakeWorkshop(build=gone), count=1)
    assert endings(outcome) == ["owed"]
    assert events(workspace, "task.blamed") == []


def test_a_gate_that_was_not_assessed_is_owed_and_judged_again_on_resume(
    workspace: Workspace, skills: Path
) -> None:
    def unknown(task: Task) -> Judgement:
        return judgement(task, failed="builds", status="not_assessed")

    first = go(workspace, skills, shop=FakeWorkshop(unknown), count=1)
    assert endings(first) == ["owed"]
    asked, shop = provider(), FakeWorkshop()
    again = go(workspace, skills, asked=asked, shop=shop, run=first.run, count=1)
    assert endings(again) == ["valid"]
    assert len(shop.judged) == 1
    assert roles(asked) == {}


def test_a_finished_run_resumed_does_nothing_again(workspace: Workspace, skills: Path) -> None:
    first = go(workspace, skills)
    asked, shop = provider(), FakeWorkshop()
    again = go(workspace, skills, asked=asked, shop=shop, run=first.run)
    assert endings(again) == ["valid"] * 3
    assert roles(asked) == {}
    assert shop.judged == []
    assert again.finished.counts == {"valid": 3}


def test_the_call_limit_ends_the_run_as_budget_and_resume_with_more_finishes(
    workspace: Workspace, skills: Path
) -> None:
    asked = provider()
    first = go(workspace, skills, asked=asked, max_calls=30, workers=1)
    assert first.finished.status == "budget"
    assert len(asked.requests) == 30
    assert "--max-calls 30" in first.finished.reason
    again = go(workspace, skills, asked=asked, run=first.run, max_calls=500)
    assert again.finished.status == "finished"
    assert endings(again) == ["valid"] * 3


def test_a_spent_call_limit_counts_over_resumes(workspace: Workspace, skills: Path) -> None:
    asked = provider()
    first = go(workspace, skills, asked=asked, max_calls=30, workers=1)
    again = go(workspace, skills, asked=asked, run=first.run, max_calls=31, workers=1)
    assert again.finished.status == "budget"
    assert len(asked.requests) == 31


def test_a_limit_during_sourcing_is_a_budget_end_not_a_crash(
    workspace: Workspace, skills: Path
) -> None:
    outcome = go(workspace, skills, max_calls=3)
    assert outcome.finished.status == "budget"
    assert outcome.seeds == 0


def test_a_dollar_budget_needs_a_known_price(workspace: Workspace, skills: Path) -> None:
    with pytest.raises(InputError, match=r"prices\.toml"):
        go(workspace, skills, budget_usd=1.0)


def test_a_stopped_run_starts_nothing_new_and_resumes(workspace: Workspace, skills: Path) -> None:
    stop = Stop()

    class StopAfterOne(Watcher):
        def ended(self, seed: Seed, ended: TaskEnded, dollars: float | None) -> None:
            stop.person()

    first = go(workspace, skills, watcher=StopAfterOne(), stop=stop, workers=1)
    assert first.finished.status == "cancelled"
    assert endings(first) == ["valid"]
    again = go(workspace, skills, run=first.run)
    assert endings(again) == ["valid"] * 3
    assert len(events(workspace, "seed")) == 3


def test_a_bug_in_one_seed_is_recorded_and_raised_after_the_others_ended(
    workspace: Workspace, skills: Path
) -> None:
    def buggy(environment: Environment) -> None:
        if b"7:0001" in environment.files.model_dump_json().encode():
            raise ZeroDivisionError("ours")
        text = environment.manifest.files[0].data if environment.manifest else None
        if text and b"7:0001" in text:
            raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError):
        go(workspace, skills, shop=FakeWorkshop(build=buggy))
    ended = {e.seed[:4]: e.data["ending"] for e in events(workspace, "task.ended")}
    assert ended == {"0000": "valid", "0001": "owed", "0002": "valid"}
    (log,) = [e for e in events(workspace, "run.log") if e.data["level"] == "error"]
    assert "ZeroDivisionError" in log.data["text"]
    assert events(workspace, "run.finished")


def test_a_workspace_that_cannot_be_written_stops_the_run(
    workspace: Workspace, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(task: Task) -> Path:
        raise WorkspaceError("cannot store a task: No space left on device")

    monkeypatch.setattr(workspace.bundles, "write", full)
    with pytest.raises(WorkspaceError, match="No space left"):
        go(workspace, skills)
    assert events(workspace, "task.ended") == []
    (finished,) = events(workspace, "run.finished")
    assert finished.data["status"] == "failed"


def test_pairs_that_the_judge_drops_keep_their_reasons_and_shortfalls_are_said(
    workspace: Workspace, skills: Path
) -> None:
    no = PairVerdict(keep=False, complementary="both do the same", executable="yes")
    outcome = go(workspace, skills, asked=provider(pair=lambda r: no))
    assert outcome.seeds == 0
    reasons = {e.data["verdict"]["complementary"] for e in events(workspace, "pair.judged")}
    assert reasons == {"both do the same"}
    assert "only 0 of 3 seeds" in events(workspace, "run.log")[0].data["text"]


def test_published_pairs_become_seeds_in_their_order_and_bad_lines_are_listed(
    workspace: Workspace, tmp_path: Path
) -> None:
    def line(one: int, two: int) -> str:
        return json.dumps(
            {
                "pair_id": f"p{one}",
                "skill_ids": [f"demo/skill-{one}", f"demo/skill-{two}"],
                "skill_summaries": [f"Always do thing {one} by key.", f"Do thing {two}."],
                "scenario_texts": ["An export is dirty."],
                "quality": {"overall_status": "pass"},
            }
        )

    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([line(3, 4), "{broken", line(1, 2), line(5, 6)]))
    outcome = go(workspace, tmp_path, pairs=str(path), count=2)
    assert endings(outcome) == ["valid"] * 2
    seeds = [e.data["skill_ids"] for e in events(workspace, "seed")]
    assert seeds == [["demo/skill-3", "demo/skill-4"], ["demo/skill-1", "demo/skill-2"]]
    (log,) = events(workspace, "run.log")
    assert f"{path}:2" in log.data["text"]


def test_a_file_without_a_usable_pair_is_wrong_input(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match="no usable pair"):
        go(workspace, tmp_path, pairs=str(tmp_path / "pairs.jsonl"))


def test_of_very_many_bad_lines_only_the_first_are_told(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "pairs.jsonl").write_text("{}\n" * 500)
    with pytest.raises(InputError, match="500 bad lines"):
        go(workspace, tmp_path, pairs=str(tmp_path / "pairs.jsonl"))
    told = [e.data["text"] for e in events(workspace, "run.log")]
    assert len(told) == 21
    assert "480 more lines" in told[-1]


def test_an_empty_folder_of_skills_is_wrong_input(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        go(workspace, tmp_path / "empty")


def test_one_run_is_worked_on_by_one_process(workspace: Workspace, skills: Path) -> None:
    run = new_run(workspace, RunSpec(count=1, seed=1))
    with workspace.run_lock(run), pytest.raises(WorkspaceBusy):
        go(workspace, skills, run=run)


def test_the_spec_of_a_run_is_on_disk_and_an_unknown_run_names_the_latest(
    workspace: Workspace,
) -> None:
    spec = RunSpec(count=9, seed=4, order="reverse")
    run = new_run(workspace, spec)
    assert read_spec(workspace, run) == spec
    with pytest.raises(InputError, match=run):
        read_spec(workspace, "20200101-nothing")


def test_an_environment_reply_without_a_manifest_is_asked_again(
    workspace: Workspace, skills: Path
) -> None:
    def second(request: Request) -> Any:
        return answer(request) if request.ask.attempt else EnvironmentReply()

    outcome = go(workspace, skills, asked=provider(environment=second), count=1)
    assert endings(outcome) == ["valid"]
    assert outcome.endings[0].environment_rounds == 1


CHILD = """
import os, signal, sys
from pathlib import Path
from facet.pipeline.run import Watcher, execute
from facet.types.payloads import RunSpec
from facet.workspace import Workspace
from tests.pipeline.doubles import FakeWorkshop, answer, provider

where, run, skills, after = sys.argv[1:]
left = int(after)


def answering(request):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer(request)


roles = "instruction solution verifier environment axes evolution".split()
spec = RunSpec(count=3, seed=7, skills=skills, workers=2)
execute(
    Workspace.open(where), run, spec, provider=provider(**dict.fromkeys(roles, answering)),
    workshop=FakeWorkshop(), resumed=True,
)
"""


@pytest.mark.parametrize("after", [4, 15])
def test_a_killed_run_resumes_without_repeating_a_finished_stage(
    tmp_path: Path, skills: Path, after: int
) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    run = new_run(workspace, RunSpec(count=3, seed=7, skills=str(skills)))
    root = Path(__file__).resolve().parents[2]
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(workspace.root), run, str(skills), str(after)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        timeout=120,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()
    before = [(e.seed, e.data["stage"], e.data["key"]) for e in events(workspace, "stage.done")]
    asked = provider()
    outcome = go(workspace, skills, asked=asked, run=run)
    assert endings(outcome) == ["valid"] * 3
    done = [(e.seed, e.data["stage"], e.data["key"]) for e in events(workspace, "stage.done")]
    assert len(done) == len(set(done)), "a finished stage was done again"
    assert done[: len(before)] == before
    assert len(events(workspace, "seed")) == 3
    plain = go(Workspace.open(tmp_path / "plain"), skills)
    assert digests(outcome) == digests(plain)
