"""The benchmark's arithmetic, tables and task folders. Nothing is timed here."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.figures import (
    BEST,
    FLOOR,
    OURS,
    STOCK,
    WAYS,
    Lap,
    Part,
    disagreements,
    ratio,
    rows,
    shares,
    table,
)
from bench.harbor import names, verdicts
from bench.tasks import MOST, STOP, chosen, write
from bench.timed import TimedEngine, kind_of
from facet.errors import EngineError, InputError
from facet.types.task import FileSet


def lap(way: str, seconds: float, number: int = 1, **valid: bool | None) -> Lap:
    return Lap(way=way, round=number, seconds=seconds, valid=tuple(valid.items()))


def test_ratios_are_of_median_laps_and_ways_keep_their_order() -> None:
    laps = [lap(FLOOR, 2.0), lap(STOCK, 60.0)]
    laps += [lap(OURS, seconds, n) for n, seconds in enumerate((2.0, 9.0, 3.0), 1)]
    found = rows(laps, 3)
    assert [row.way for row in found] == [way for way in WAYS if way in (OURS, STOCK, FLOOR)]
    ours, stock, floor = found
    assert (ours.seconds, ours.per_task, ours.laps) == (3.0, 1.0, (2.0, 9.0, 3.0))
    assert (ours.times_facet, ours.times_floor) == (1.0, 1.5)
    assert (stock.times_facet, stock.times_floor) == (20.0, 30.0)
    assert floor.times_facet == 0.67


def test_a_ratio_to_nothing_is_none_not_a_number() -> None:
    assert ratio(3.0, None) is None
    assert ratio(3.0, 0.0) is None
    assert rows([lap(BEST, 4.0)], 2)[0].times_facet is None
    assert rows([], 1) == ()


def test_verdicts_that_differ_are_named_and_no_verdict_is_one_of_them() -> None:
    same = [lap(OURS, 1, a=True, b=False), lap(BEST, 1, a=True, b=False), lap(FLOOR, 1)]
    assert disagreements(same) == ()
    assert disagreements([*same, lap(STOCK, 1, 2, a=None, b=False)]) == (
        f"a: {OURS}, round 1: valid; {BEST}, round 1: valid; {STOCK}, round 2: no verdict",
    )


def test_shares_are_of_the_work_and_longest_first() -> None:
    parts = [Part(name="build", seconds=1.0, calls=2), Part(name="grade", seconds=3.0, calls=4)]
    assert shares(parts, 2) == (("grade", 1.5, 2, 0.75), ("build", 0.5, 1, 0.25))
    assert shares([], 2) == ()


def test_a_table_aligns_numbers_to_the_right_and_shows_nothing_as_a_dash() -> None:
    lines: Sequence[Sequence[object]] = (("facet", 3.0), ("harbor best", None), ("x", 12.25))
    assert table(("way", "s"), lines).splitlines() == [
        "way              s",
        "facet          3.0",
        "harbor best      -",
        "x            12.25",
    ]


def test_the_two_exports_differ_by_the_stopsignal_line_alone(tmp_path: Path) -> None:
    tasks = chosen(2)
    plain, slow = write(tasks, tmp_path)
    assert sorted(names(plain)) == sorted(names(slow))
    assert len(names(plain)) == 2
    differing = {
        str(file.relative_to(plain).parts[1:])
        for file in plain.rglob("*")
        if file.is_file() and file.read_bytes() != (slow / file.relative_to(plain)).read_bytes()
    }
    assert differing == {"('environment', 'Dockerfile')"}
    for file in plain.glob("*/environment/Dockerfile"):
        other = slow / file.relative_to(plain)
        assert other.read_text() == file.read_text().replace(STOP, "")


@pytest.mark.parametrize("count", [0, -1, MOST + 1])
def test_a_number_of_tasks_that_is_not_there_is_wrong_input(count: int) -> None:
    with pytest.raises(InputError, match="give a number"):
        chosen(count)


@pytest.mark.parametrize(
    ("nop", "oracle", "valid"),
    [("0", "1", True), ("1", "1", False), ("0", "0", False), ("null", "1", None)],
)
def test_harbors_verdict_is_read_from_its_result_files(
    tmp_path: Path, nop: str, oracle: str, valid: bool | None
) -> None:
    for agent, reward in (("nop", nop), ("oracle", oracle)):
        file = tmp_path / "job" / agent / "result.json"
        file.parent.mkdir(parents=True)
        file.write_text(
            f'{{"task_name": "o/t", "agent_info": {{"name": "{agent}"}},'
            f' "verifier_result": {{"rewards": {{"reward": {reward}}}}}}}'
        )
    assert verdicts(tmp_path, ["o/t", "o/gone"]) == (("o/t", valid), ("o/gone", None))


def test_work_is_counted_by_kind_also_when_it_fails() -> None:
    class Bad:
        def build(self, context: FileSet, **_: Any) -> str:
            raise EngineError("no")

        def image(self, name: str) -> str:
            return "id"

    bad: Any = Bad()
    engine = TimedEngine(bad)
    with pytest.raises(EngineError):
        engine.build(FileSet(files=()))
    assert engine.image("x") == engine.image("y") == "id"
    counted = {part.name: part.calls for part in engine.parts()}
    assert counted == {"build": 1, "ask for an image": 2}


def test_commands_are_told_apart_by_their_words() -> None:
    assert kind_of(["/solution/solve.sh"]) == "act (solve.sh)"
    assert kind_of(["/x/run", "--grade", "/s", "/tests"]) == "grade (test.sh)"
    assert kind_of(["bash", "/tests/test.sh"]) == "grade (test.sh)"
    assert kind_of(["/bin/bash", "-c", "pids=(); ready=()"]) == "start services"
    assert kind_of(["python3"]) == "other commands"
