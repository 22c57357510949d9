"""`facet repair` in words: wrong input, the summary, and its exit codes."""

from pathlib import Path

import pytest

from facet.cli.main import main
from facet.cli.repair import summary
from facet.pipeline.person_round import PersonRound
from facet.workspace import Workspace

DONE = PersonRound(
    key="r/0001-x",
    name="facet/orders",
    artifact="verifier",
    before="sha256:" + "a" * 64,
    after="sha256:" + "b" * 64,
    round=3,
    ending="valid",
    reason="every gate passed",
    seconds=11.6,
    dollars=0.0,
)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["repair", *arguments])
    return int(str(ended.value.code))


def test_an_unknown_task_is_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Workspace.open(tmp_path / "ws")
    where = ["--workspace", str(tmp_path / "ws")]
    assert run("abcd", "--artifact", "solution", "--note", "x", *where) == 2
    assert "no task 'abcd'" in capsys.readouterr().err


def test_an_artifact_and_a_note_are_needed(tmp_path: Path) -> None:
    where = ["--workspace", str(tmp_path)]
    assert run("abcd", "--note", "x", *where) == 2
    assert run("abcd", "--artifact", "scenario", "--note", "x", *where) == 2
    assert run("abcd", "--artifact", "solution", "--note", "  ", *where) == 2
    assert run("abcd", "--artifact", "solution", "--note", "x" * 4001, *where) == 2


def test_an_absent_workspace_is_not_made(tmp_path: Path) -> None:
    where = tmp_path / "absent"
    code = run("abcd", "--artifact", "solution", "--note", "x", "--workspace", str(where))
    assert code == 4
    assert not where.exists()


def test_the_summary_says_what_became_of_the_finding() -> None:
    assert summary(DONE) == (
        "facet/orders: verifier rewritten, valid: every gate passed"
        " (sha256:aaaaaaaaaaaa -> sha256:bbbbbbbbbbbb, round 3, 12 s, $0.00)"
    )
    refused = DONE.model_copy(update={"refused": "check total was removed", "dollars": None})
    assert summary(refused) == (
        "facet/orders: verifier not rewritten: check total was removed"
        " (round 3, 12 s, cost unknown)"
    )
