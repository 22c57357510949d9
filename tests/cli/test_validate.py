"""`facet validate`: real folders in real containers, one line each, honest exit codes."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from facet.base_images import base_ready
from facet.cli.main import main
from facet.errors import BaseMissing
from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_owner import WORKSPACE
from facet.taskdir import write_task
from facet.types.task import Environment, FileSet, Solution, Task, text_file
from tests import foreign as foreign_folders
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


@pytest.mark.docker
def test_a_replaced_base_is_said_in_the_line_the_table_and_json(
    base: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dockerfile = "FROM some.host/base:1\nRUN mkdir -p /app\nWORKDIR /app\n"
    path = foreign_folders.plain(tmp_path / "t", **{"environment/Dockerfile": dockerfile})
    words = (str(path), "--base-map", "some.host/base:1=facet-base")
    assert run(*words) == 0
    line = "other/t: valid (on other bases: some.host/base:1=facet-base)"
    assert capsys.readouterr().out.splitlines()[-1] == line
    foreign_folders.plain(tmp_path / "u")
    assert run(str(tmp_path), "--resume", *words[1:]) == 0
    shown = capsys.readouterr().out
    assert "(on other bases: some.host/base:1=facet-base)" in shown
    assert shown.splitlines()[-1] == "2 tasks: 2 valid (1 recorded earlier)"
    assert run(str(tmp_path), "--resume", "--json", *words[1:]) == 0
    tasks = json.loads(capsys.readouterr().out)["tasks"]
    assert [t["bases"] for t in tasks] == [["some.host/base:1=facet-base"], []]
    assert all(t["recorded"] for t in tasks)


@pytest.mark.docker
def test_ctrl_c_ends_at_once_with_a_summary_and_the_rest_can_be_resumed(
    base: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The trial in hand is not waited for; no container stays; what was judged is kept."""
    foreign_folders.plain(tmp_path / "tasks" / "a")
    slow = "#!/bin/bash\n[ -e /app/x ] || sleep 600\n"
    path = foreign_folders.plain(tmp_path / "tasks" / "b", **{"solution/solve.sh": slow})
    config = (path / "task.toml").read_text().replace("timeout_sec = 60.0", "timeout_sec = 900.0")
    (path / "task.toml").write_text(config)
    workspace = tmp_path / "workspace"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "facet.cli.main", "validate", str(tmp_path / "tasks")),
            *("--workspace", str(workspace)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "[2/2] b: trial oracle" in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert out.splitlines()[-1] == "1 tasks: 1 valid"
    assert "cancelled after 1 of 2 tasks; go on with --resume" in err.splitlines()[-1]
    assert "Traceback" not in err
    engine = DockerEngine(str(workspace))
    filters = {"label": [f"{WORKSPACE}={workspace}"]}
    assert engine.api.containers(all=True, filters=filters) == []
    engine.close()
    foreign_folders.plain(tmp_path / "tasks" / "b")
    assert run(str(tmp_path / "tasks"), "--resume", "--workspace", str(workspace)) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 tasks: 2 valid (1 recorded earlier)"


@pytest.mark.docker
def test_steps_have_a_row_each(
    base: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign_folders.two_steps(
        tmp_path / "s", **{"steps/01/solution/solve.sh": "#!/bin/bash\nexit 3\n"}
    )
    foreign_folders.plain(tmp_path / "t")
    assert run(str(tmp_path)) == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[:2] for row in rows[1:5]] == [
        ["other/s", "invalid"],
        ["step", "01"],
        ["step", "02"],
        ["other/t", "valid"],
    ]


def test_a_base_map_that_is_none_is_wrong_input(tmp_path: Path) -> None:
    write_task(GOOD, tmp_path / "t")
    assert run(str(tmp_path), "--base-map", "ubuntu") == 2
