"""A workspace: versions, foreign folders, runs that are alive or dead."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from facet.errors import InputError, WorkspaceBusy, WorkspaceError
from facet.workspace import WORKSPACE_VERSION, Workspace

ROOT = Path(__file__).resolve().parents[1]


def test_a_new_workspace_holds_only_its_version(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "deep" / "ws")

    assert [p.name for p in workspace.root.iterdir()] == ["version"]
    assert (workspace.root / "version").read_text() == f"{WORKSPACE_VERSION}\n"
    assert Workspace.open(workspace.root, create=False).root == workspace.root


def test_a_newer_workspace_is_refused_in_one_line(tmp_path: Path) -> None:
    Workspace.open(tmp_path)
    (tmp_path / "version").write_text(f"{WORKSPACE_VERSION + 1}\n")

    with pytest.raises(WorkspaceError, match="newer FACET") as caught:
        Workspace.open(tmp_path)

    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("text", ["-1", "1.5", "two", "1\n2"])
def test_a_version_that_is_no_number_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "version").write_text(text)

    with pytest.raises(WorkspaceError, match="no version number"):
        Workspace.open(tmp_path)


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")

    with pytest.raises(WorkspaceError, match="holds other files"):
        Workspace.open(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_workspace_that_lost_its_version_file_opens_again(tmp_path: Path) -> None:
    event = Workspace.open(tmp_path).journal.append("run.log", {"text": "kept"})
    (tmp_path / "version").unlink()

    assert list(Workspace.open(tmp_path).journal.read()) == [event]


def test_an_absent_workspace_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no workspace at"):
        Workspace.open(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("path", ["file", "file/below"])
def test_a_file_in_the_way_is_one_line(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(WorkspaceError):
        Workspace.open(tmp_path / path)


def test_many_processes_may_make_one_workspace_at_once(tmp_path: Path) -> None:
    code = """
import sys
from facet.workspace import Workspace
Workspace.open(sys.argv[1]).journal.append("run.log", {"text": "x"})
"""
    command = [sys.executable, "-c", code, str(tmp_path / "ws")]
    children = [subprocess.Popen(command, cwd=ROOT) for _ in range(4)]

    assert [c.wait(timeout=120) for c in children] == [0, 0, 0, 0]
    assert len(list(Workspace.open(tmp_path / "ws").journal.read())) == 4


@pytest.mark.parametrize("run", ["", ".", "..", "a/b", "/etc", "x" * 101, "a\n", "-rf"])
def test_a_run_name_never_leaves_the_runs_folder(tmp_path: Path, run: str) -> None:
    with pytest.raises(InputError, match="no run id|not a run id"):
        Workspace.open(tmp_path / "ws").run_dir(run)


def test_a_run_is_alive_exactly_while_a_process_holds_its_lock(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    code = """
import sys
from facet.workspace import Workspace
lock = Workspace.open(sys.argv[1]).run_lock("r1").acquire()
print("held", flush=True)
sys.stdin.read()
"""
    assert not workspace.run_lock("r1").alive()
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.readline()

    assert workspace.run_lock("r1").alive()
    with pytest.raises(WorkspaceBusy, match="r1"):
        workspace.run_lock("r1").acquire()
    os.kill(child.pid, signal.SIGKILL)
    child.wait(timeout=60)
    child.stdin.close()
    child.stdout.close()
    assert not workspace.run_lock("r1").alive()
    with workspace.run_lock("r1") as lock:
        assert lock.alive()
    assert not lock.alive()
    assert workspace.runs() == ["r1"]
