"""`facet validate`: real folders in real containers, one line each, honest exit codes."""

import json
from pathlib import Path

import pytest

from facet.base_images import base_ready
from facet.cli.main import main
from facet.errors import BaseMissing
from facet.sandbox.docker import DockerEngine
from facet.taskdir import write_task
from facet.types.task import Environment, FileSet, Solution, Task, text_file
from tests.conftest import missing
from tests.golden import good_tasks

GOOD = good_tasks()[0]


@pytest.fixture(scope="module")
def base(docker_server: str) -> None:
    """The base image is there."""
    try:
        base_ready(DockerEngine("tests-validate"))
    except BaseMissing as error:
        missing("DOCKER", str(error))


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["validate", *words])
    code = ended.value.code
    return code if isinstance(code, int) else 0 if code is None else 1


def half_solved(task: Task) -> Task:
    """solve.sh leaves the report out."""
    text = task.solution.files.text("partials/no-report.sh")
    files = task.solution.files.with_file(text_file("solve.sh", text, executable=True))
    return task.replace("solution", Solution(files=files))


def foreign(task: Task, dockerfile: str) -> Task:
    files = FileSet(files=(text_file("Dockerfile", dockerfile),))
    return task.replace("environment", Environment(files=files))


@pytest.mark.docker
def test_a_service_task_is_valid_and_prints_both_states(
    base: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_task(good_tasks()[2], tmp_path / "t")
    assert run(str(tmp_path / "t")) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[-1] == "golden/catalog: valid"
    row = next(line for line in lines if line.startswith("script.again"))
    assert row.split()[-2:] == ["failed", "passed"]
    guard = next(line for line in lines if line.startswith("service.up (guard)"))
    assert guard.split()[-2:] == ["passed", "passed"]
    assert "gate final_passes" in captured.err


@pytest.mark.docker
def test_many_folders_have_one_row_each_and_one_bad_item_hides_no_other(
    base: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_task(half_solved(GOOD), tmp_path / "half")
    write_task(foreign(GOOD, "FROM no.such.host/image:1\n"), tmp_path / "no-image")
    offline = "FROM facet-base\nRUN curl -fsS http://no.such.host/x || exit 7\n"
    write_task(foreign(GOOD, offline), tmp_path / "wants-network")
    write_task(foreign(GOOD, "FROM facet-base\nRUN exit 3\n"), tmp_path / "no-build")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "task.toml").write_text("verifier = []\n")
    assert run(str(tmp_path), "--json") == 1
    found = {Path(t["path"]).name: t for t in json.loads(capsys.readouterr().out)["tasks"]}
    assert {name: t["state"] for name, t in found.items()} == {
        "half": "invalid",
        "no-image": "cannot run here",
        "wants-network": "cannot run here",
        "no-build": "invalid",
        "broken": "broken",
    }
    assert found["half"]["blamed"] == "solution"
    assert "final_passes" in found["half"]["verdict"]
    assert found["no-build"]["blamed"] == "environment"
    states = {c["id"]: (c["before"], c["after"]) for c in found["half"]["checks"]}
    assert states["clean.ids"] == ("failed", "passed")
    assert states["report.total"] == ("failed", "failed")


def test_a_broken_folder_needs_no_docker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
    (tmp_path / "task.toml").write_text('task = "x"\nenvironment = 3\n')
    assert run(str(tmp_path)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "also: task.toml:2: environment must be a table, not a number '3'" in lines
    assert lines[-1].endswith(
        "broken: task.toml:1: task must be a table, not text 'x' (and 2 more)"
    )


def test_a_missing_docker_server_is_one_line_and_exit_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
    write_task(GOOD, tmp_path / "t")
    assert run(str(tmp_path / "t")) == 3
    captured = capsys.readouterr()
    assert len(captured.err.splitlines()) == 1
    assert "Docker" in captured.err


def test_a_path_without_tasks_is_wrong_input(tmp_path: Path) -> None:
    assert run(str(tmp_path)) == 2
    assert run(str(tmp_path / "absent")) == 2
