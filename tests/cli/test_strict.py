"""Strict gates on the command line: wrong choices in words, and what a run remembers of them."""

from pathlib import Path

import pytest

from facet.cli.main import main
from facet.cli.run import make_spec
from facet.errors import InputError
from facet.gates import SEVEN
from facet.pipeline.run import new_run
from facet.pipeline.workshop import DockerWorkshop
from facet.strict import STRICT_GATES
from facet.strict.choice import choose
from facet.types.payloads import RunSpec
from facet.validation_record import conditions
from facet.workspace import Workspace
from tests.foreign import plain


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["validate", *arguments])
    return int(str(ended.value.code)), capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--gates", "stable"], "go with --strict"),
        (["--mutants", "4"], "go with --strict"),
        (["--strict", "--gates", "stable,nice"], "--gates nice: known are partials_fail"),
        (["--strict", "--gates", "intent_kept"], "--gates intent_kept"),
        (["--strict", "--mutants", "0"], "--mutants 0: from 1"),
        (["--strict", "--repeats", "1000"], "--repeats 1000"),
    ],
)
def test_a_wrong_choice_is_one_line_before_anything_runs(
    options: list[str], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain(tmp_path / "t")
    code, err = run(capsys, str(tmp_path / "t"), *options)
    assert code == 2
    assert word in err
    assert err.count("\n") == 1


def test_a_recorded_verdict_of_the_seven_is_not_taken_for_a_strict_one() -> None:
    assert conditions({}) == conditions({}, SEVEN)
    assert conditions({}, choose().told) != conditions({})


def test_a_run_remembers_that_it_is_strict_and_cannot_become_so_later(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    assert make_spec({"strict": True}, workspace, None).strict
    plain_run = new_run(workspace, RunSpec(count=1, seed=0))
    with pytest.raises(InputError, match="--strict cannot change"):
        make_spec({"strict": True}, workspace, plain_run)
    strict_run = new_run(workspace, RunSpec(count=1, seed=0, strict=True))
    assert make_spec({}, workspace, strict_run).strict


def test_a_strict_workshop_asks_every_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        "facet.pipeline.workshop.judge", lambda task, *, gates, **rest: asked.append(gates)
    )
    workspace = Workspace.open(tmp_path)
    for strict in (False, True):
        workshop = DockerWorkshop(None, workspace, strict=strict)  # type: ignore[arg-type]
        workshop.open("run").judge(None)  # type: ignore[arg-type]
    assert asked == [SEVEN, STRICT_GATES]
