"""Faults seen in the field that no other file shows: see docs/field-faults.md."""

import importlib.util
import os
import tracemalloc
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from facet import gates
from facet.config import data_dir
from facet.images import Images
from facet.judge import judge
from facet.reports import Found, Left, read_left
from facet.strict import STRICT
from facet.trial import ActorSpec
from facet.types.task import Task
from facet.types.trial import CheckResult, Trial
from facet.types.verdict import Blame, Gate, Judgement
from facet.validation import Verdict, validate
from facet.validation_table import print_states
from tests import foreign
from tests.judging import make_task, results, trial
from tests.test_foreign_faults import Images as NoContainers
from tests.test_judge import StubEngine, realizer


def judged(path: Path, before: dict[str, str], after: dict[str, str]) -> Verdict:
    """The verdict on a foreign task whose checks ended so in both states."""

    def ends(actor: Any, checks: dict[str, str]) -> Trial:
        found = tuple(CheckResult.model_validate({"id": i, "status": s}) for i, s in checks.items())
        full = all(status == "passed" for status in checks.values())
        return Trial(
            task_digest="d",
            actor=actor,
            outcome="graded",
            reward=float(full),
            checks=found,
            actor_exit=0,
        )

    def prepared(task: Task, **_: Any) -> Judgement:
        nop, oracle = ends("nop", before), ends("oracle", after)
        found = (gates.initial_fails(task, nop), gates.final_passes(task, oracle))
        return Judgement(task_digest="d", gates=found, trials=(nop, oracle))

    return validate(
        [foreign.plain(path)],
        engine=lambda: NoContainers(),  # type: ignore[arg-type,return-value]
        judge=prepared,
        blame=lambda task, judgement: Blame(artifact="solution", rule="r"),
    )[0]


def test_a_check_that_never_passes_is_not_called_fixed_by_the_solution(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """B10: a font is missing here, so the check fails before and after."""
    verdict = judged(
        tmp_path / "t",
        {"font": "failed", "work": "failed", "keep": "passed", "gone": "passed", "off": "skipped"},
        {"font": "failed", "work": "passed", "keep": "passed", "gone": "failed", "off": "passed"},
    )
    assert verdict.state == "invalid"
    assert {c.id: c.course for c in verdict.checks} == {
        "font": "never passes",
        "work": "turns",
        "keep": "guard",
        "gone": "breaks",
        "off": "not known",
    }
    print_states(verdict)
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[:3] for row in rows if "never" in row] == [["font", "(never", "passes)"]]


def test_the_one_of_twelve_checks_that_fails_is_named_and_the_table_is_kept(tmp_path: Path) -> None:
    """B11: the reference solution passes eleven of twelve."""
    ids = [f"check_{n}" for n in range(12)]
    verdict = judged(
        tmp_path / "t",
        dict.fromkeys(ids, "failed"),
        {**dict.fromkeys(ids, "passed"), "check_7": "failed"},
    )
    assert verdict.line == (
        "invalid [solution]: final_passes: 1 of 12 checks fail after the solution: check_7"
    )
    assert [(c.id, c.before, c.after) for c in verdict.checks] == [
        (id, "failed", "failed" if id == "check_7" else "passed") for id in ids
    ]


class Now:
    """Trials of which every third oracle passes check `log`, the first one included."""

    def __init__(self) -> None:
        self.oracles = 0

    def __call__(
        self, engine: Any, image: str, task: Task, actor: ActorSpec, conditions: Any = None
    ) -> Trial:
        if actor.actor != "oracle":
            return trial(actor.actor).model_copy(update={"label": actor.label})
        self.oracles += 1
        lucky = self.oracles % 3 == 1
        checks = results("passed") if lucky else results("passed", log="failed")
        return trial("oracle", checks=checks).model_copy(update={"label": actor.label})


def test_a_check_that_passes_one_run_in_three_is_called_flaky_with_counts() -> None:
    """B13a: how often it turned, of how many runs."""
    engine: Any = StubEngine()
    with Images(engine, realizer()) as images:
        found = judge(
            make_task(),
            engine=engine,
            images=images,
            trial=Now(),
            gates=("loads", "builds", "stable"),
            more=STRICT,
        )
    gate = found.gate("stable")
    assert isinstance(gate, Gate)
    assert gate.status == "failed"
    counted = [line for line in gate.details if "further runs" in line]
    (line,) = counted
    turned, runs = (int(word) for word in line.split() if word.isdigit())
    assert line.startswith("verifier: oracle: check log turns in ")
    assert turned == sum(n % 3 != 1 for n in range(2, runs + 2))
    assert 0 < turned < runs


def runner() -> ModuleType:
    """The code that collects reports in the grading container."""
    path = data_dir() / "base" / "runner" / "main.py"
    spec = importlib.util.spec_from_file_location("facet_runner_main", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_reward_file_of_two_gigabytes_or_a_fifo_is_refused_with_flat_memory(
    tmp_path: Path,
) -> None:
    """B25: refused by its size or kind, before a byte is read."""
    read = runner().read_regular
    huge, fifo = tmp_path / "reward.txt", tmp_path / "reward.json"
    with huge.open("wb") as file:
        file.truncate(2 << 30)
    os.mkfifo(fifo)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="it has 2147483648 bytes, 65536 are allowed"):
            read(huge, 65536)
        with pytest.raises(ValueError, match="it is a FIFO"):
            read(fifo, 65536)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_status_word_broken_by_the_terminal_counts_nothing() -> None:
    """B44: checks are counted from the report; a log of 80 columns decides nothing."""
    tests = '[{"name": "a", "status": "passed"}, {"name": "b", "status": "failed"}]'
    files = {
        "reward.txt": Found(state="read", data=b"0"),
        "ctrf.json": Found(state="read", data=b'{"results": {"tests": %s}}' % tests.encode()),
    }
    pane = ("test_state.py::" + "x" * 62 + " PAS\nSED\n") * 5 + "5 pas\nsed in 1s\n"
    reading = read_left(Left(files=files, exit=1, log=pane))
    assert [(c.id, c.status) for c in reading.checks] == [("a", "passed"), ("b", "failed")]
    assert reading == read_left(Left(files=files, exit=1, log=""))
