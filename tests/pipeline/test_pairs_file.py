"""The published pair records: good lines become skills, bad ones are listed, others go on."""

import json
from pathlib import Path
from typing import Any

import pytest

from facet.errors import InputError
from facet.pipeline.pairs_file import read_pairs
from tests.asks import skill

GOOD = {
    "pair_id": "pair_1",
    "skill_ids": ["clawhub/csv-clean", "clawhub/sqlite-report"],
    "skill_summaries": ["Cleans CSV tables.", "Reports from SQLite."],
    "scenario_texts": ["An export is dirty.", "A report is wanted."],
    "quality": {"overall_status": "pass", "score": 3},
    "extra": [1],
}


def write(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "pairs.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts))
    return path


def test_a_record_becomes_two_skills_with_summary_and_scenario(tmp_path: Path) -> None:
    (record,), bad = read_pairs(write(tmp_path, GOOD))
    assert bad == []
    one, two = record.skills
    assert (one.id, two.id) == ("clawhub/csv-clean", "clawhub/sqlite-report")
    assert one.description == "Cleans CSV tables."
    assert "An export is dirty." in one.body
    assert one.source.path == "pair_1"
    assert one.digest != two.digest


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "not JSON"),
        ({**GOOD, "skill_ids": ["one"]}, "skill_ids"),
        ({**GOOD, "skill_ids": [1, 2]}, "skill_ids"),
        ({**GOOD, "skill_ids": ["a", "a"]}, "two different skills"),
        ({**GOOD, "skill_summaries": ["only one"]}, "skill_summaries"),
        ({**GOOD, "skill_summaries": None}, "skill_summaries"),
        ({**GOOD, "quality": {"overall_status": "FAIL"}}, "overall_status"),
        ({**GOOD, "quality": 3}, "quality"),
        ({**GOOD, "scenario_texts": "text"}, "scenario_texts"),
    ],
)
def test_a_bad_line_is_listed_by_number_and_hides_no_other(
    tmp_path: Path, line: Any, reason: str
) -> None:
    good, bad = read_pairs(write(tmp_path, GOOD, line, "", GOOD))
    assert [g.line for g in good] == [1, 4]
    assert [b.line for b in bad] == [2]
    assert reason in bad[0].reason
    assert "\n" not in bad[0].reason


def test_known_skills_are_used_whole_and_need_no_summary(tmp_path: Path) -> None:
    known = {s.id: s for s in (skill(1), skill(2))}
    line = {"skill_ids": ["demo/skill-1", "demo/skill-2"]}
    (record,), _ = read_pairs(write(tmp_path, line), known)
    assert record.skills == (skill(1), skill(2))


def test_bytes_that_are_no_text_are_a_bad_line(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    path.write_bytes(path.read_bytes() + b"\n\xff\xfe{}\n")
    good, bad = read_pairs(path)
    assert (len(good), len(bad)) == (1, 1)


def test_no_file_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none"):
        read_pairs(tmp_path / "none")
