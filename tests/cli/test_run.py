"""`facet run` before anything runs: one clear line each, and specs that may or may not change."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from facet.cli.main import main
from facet.cli.run import _resumable, make_spec, summary
from facet.errors import FacetError, InputError, ModelUnavailable, WorkspaceError
from facet.pipeline.run import Outcome, new_run
from facet.types.payloads import RunFinished, RunSpec, TaskEnded
from facet.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = 0
    try:
        code = main(["run", *args]) or 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


def test_an_unknown_model_is_one_line_that_lists_the_forms(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = run(capsys, "--model", "gpt-best")
    assert code == 2
    assert len(err.strip().splitlines()) == 1
    assert "anthropic:<model>" in err


def test_a_missing_key_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--model", "anthropic:some")
    assert code == 2
    assert err.strip().count("\n") == 0
    assert "ANTHROPIC_API_KEY" in err


def test_an_empty_or_absent_folder_of_skills_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "absent"):
        code, _, err = run(capsys, "--skills", str(tmp_path / folder))
        assert code == 2
        assert folder in err
        assert len(err.strip().splitlines()) == 1


def test_an_absent_file_of_pairs_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, err = run(capsys, "--pairs", str(tmp_path / "none.jsonl"))
    assert code == 2
    assert "none.jsonl" in err


def test_an_absent_folder_of_skills_beside_pairs_starts_no_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "pairs.jsonl").write_text("{}\n")
    folders = ("--workspace", str(tmp_path / "ws"), "--skills", str(tmp_path / "absent"))
    code, _, err = run(capsys, "--pairs", str(tmp_path / "pairs.jsonl"), *folders)
    assert code == 2
    assert err.startswith("facet: no folder of skills at")
    assert not (tmp_path / "ws" / "runs").exists()


@pytest.mark.parametrize("error", [WorkspaceError("no space left"), ModelUnavailable("away")])
def test_trouble_in_mid_run_says_how_to_go_on(
    error: FacetError, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(type(error)), _resumable("r1"):
        raise error
    assert capsys.readouterr().err.endswith("go on with: facet run --resume r1\n")


@pytest.mark.parametrize("address", ["ftp://host/v1", "host:8000", "http://", "http:// x"])
def test_what_is_no_address_is_one_line_at_once(
    address: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    where = ("--workspace", str(tmp_path / "ws"), "--model", "openai:x")
    code, _, err = run(capsys, *where, "--base-url", address)
    assert code == 2
    assert "--base-url" in err
    assert len(err.strip().splitlines()) == 1


def test_no_docker_server_is_one_line_and_exit_3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    code, _, err = run(capsys)
    assert code == 3
    assert len(err.strip().splitlines()) == 1
    assert "Docker" in err


def test_a_workspace_of_a_newer_version_is_one_line_and_exit_4(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "version").write_text("99\n")
    code, _, err = run(capsys, "--workspace", str(tmp_path / "ws"))
    assert code == 4
    assert "newer" in err


def test_resuming_nothing_names_what_there_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    known = new_run(workspace, RunSpec(count=1, seed=1))
    code, _, err = run(capsys, "--resume", "nothing", "--workspace", str(tmp_path / "ws"))
    assert code == 2
    assert known in err


@pytest.mark.parametrize(
    "wrong", [{"count": 0}, {"workers": 0}, {"slips": -1.0}, {"budget_usd": 0.0}, {"max_calls": 0}]
)
def test_values_out_of_range_are_named(tmp_path: Path, wrong: dict[str, object]) -> None:
    flag = "--" + next(iter(wrong)).replace("_", "-")
    with pytest.raises(InputError, match=flag):
        make_spec(wrong, Workspace.open(tmp_path / "ws"), None)


def test_a_resumed_run_keeps_what_makes_it_itself(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    name = new_run(workspace, RunSpec(count=4, seed=3, max_calls=10))
    spec = make_spec({"max_calls": 99, "workers": 5, "count": 4}, workspace, name)
    assert spec == RunSpec(count=4, seed=3, max_calls=99, workers=5)
    with pytest.raises(InputError, match="--order, --seed"):
        make_spec({"seed": 4, "order": "joint"}, workspace, name)


def test_the_model_comes_from_the_settings_unless_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    monkeypatch.setenv("FACET_MODEL", "openai:mine")
    assert make_spec({}, workspace, None).model == "openai:mine"
    assert make_spec({"model": "offline"}, workspace, None).model == "offline"


def test_the_summary_counts_endings_checks_and_cost() -> None:
    ends = (("valid", 20), ("valid", 25), ("exhausted", 0))
    endings = tuple(
        TaskEnded.model_validate({"key": "r/s", "ending": e, "reason": "", "checks": c})
        for e, c in ends
    )
    counts = {"valid": 2, "exhausted": 1, "not started": 4}
    finished = RunFinished(status="cancelled", counts=counts, seconds=61.2, dollars=None)
    line = summary(Outcome(run="r", finished=finished, endings=endings, seeds=7))
    assert line == (
        "run r cancelled: 2 of 7 valid, 1 exhausted, 4 not started, mean 22.5 checks, 61 s, "
        "cost unknown"
    )


CHILD = """
import sys
import facet.pipeline.workshop, facet.sandbox.docker, facet.llm.registry
from tests.pipeline.doubles import FakeWorkshop, answer, provider


class NoEngine:
    def __init__(self, label): pass
    def reap(self): return 0
    def close(self): pass


def slow(request):
    print("ASKED", file=sys.stderr, flush=True)
    sys.stdin.read()  # answers once the test closes it
    return answer(request)


facet.sandbox.docker.DockerEngine = NoEngine
facet.pipeline.workshop.DockerWorkshop = lambda engine, workspace, **options: FakeWorkshop()
if sys.argv[1] == "slow":
    del sys.argv[1]
    given = provider(axes=slow)
else:
    given = provider()
facet.llm.registry.provider = lambda *a, **k: given
from facet.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def start(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on_and_goes_on(
    tmp_path: Path, by: signal.Signals
) -> None:
    from tests.pipeline.test_run import make_skills

    skills, where = make_skills(tmp_path / "skills", 6), tmp_path / "ws"
    words = ("run", "--count", "3", "--workers", "1", "--skills", str(skills))
    first = start("slow", *words, "--workspace", str(where))
    assert first.stderr
    for line in first.stderr:
        if line.startswith("ASKED"):
            os.kill(first.pid, by)
        if line.startswith("stopping"):
            break
    out, err = first.communicate(timeout=120)
    assert first.returncode == 130, err
    (name,) = Workspace.open(where).runs()
    assert f"facet run --resume {name}" in err
    assert "cancelled" in out.strip().splitlines()[-1]
    again = start("run", "--resume", name, "--json", "--workspace", str(where))
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    report = json.loads(out)
    assert report["finished"]["counts"] == {"valid": 3}


def test_a_second_interrupt_ends_at_once_and_the_run_still_goes_on(tmp_path: Path) -> None:
    from tests.pipeline.test_run import make_skills

    skills, where = make_skills(tmp_path / "skills", 6), tmp_path / "ws"
    words = ("run", "--count", "2", "--workers", "1", "--skills", str(skills))
    first = start("slow", *words, "--workspace", str(where))
    assert first.stderr
    for line in first.stderr:
        if line.startswith("ASKED"):
            os.kill(first.pid, signal.SIGINT)
        if line.startswith("stopping"):
            os.kill(first.pid, signal.SIGINT)
    first.communicate(timeout=120)
    assert first.returncode == 130
    (name,) = Workspace.open(where).runs()
    again = start("run", "--resume", name, "--workspace", str(where))
    out, err = again.communicate(timeout=120)
    assert "2 of 2 valid" in out, err


def test_two_runs_at_once_on_one_workspace_both_work(tmp_path: Path) -> None:
    from tests.pipeline.test_run import make_skills

    skills, where = make_skills(tmp_path / "skills", 6), tmp_path / "ws"
    words = ("run", "--count", "2", "--skills", str(skills), "--workspace", str(where))
    both = [start(*words), start(*words)]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "2 of 2 valid" in out
    assert len(Workspace.open(where).runs()) == 2
