"""Run processes started by the app: own session, own log, found again by their lock."""

import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from facet.errors import InputError
from facet.launch import Launches, announced, holder, tail
from facet.workspace import Workspace

WORKER = """
    import os, sys, time
    from pathlib import Path
    from facet.workspace import Workspace

    words = sys.argv[1:]
    workspace = Workspace.open(words[words.index("--workspace") + 1])
    run = words[words.index("--resume") + 1] if "--resume" in words else "run-x"
    if "--fail" in words:
        sys.exit("facet: no base image: run `facet base build`")
    with workspace.run_lock(run):
        print("run", run, flush=True)
        print("sid", os.getsid(0), os.getpid(), flush=True)
        time.sleep(600)
"""


@pytest.fixture
def launches(tmp_path: Path) -> Launches:
    script = tmp_path / "worker.py"
    root = Path(__file__).resolve().parents[1]
    script.write_text(f"import sys\nsys.path.insert(0, {str(root)!r})\n" + textwrap.dedent(WORKER))
    return Launches(Workspace.open(tmp_path / "w"), (sys.executable, str(script)))


def until(question: Callable[[], object]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + 60
    while not question():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.02)


def test_a_run_is_a_session_of_its_own_and_is_cancelled_by_its_lock(launches: Launches) -> None:
    launches.start("--count", "4")
    until(lambda: "sid" in launches.views()[0].tail)
    (view,) = launches.views()
    assert (view.run, view.running, view.words) == ("run-x", True, ("--count", "4"))
    _, session, pid = view.tail.splitlines()[1].split()
    assert session == pid
    assert holder(launches.lock_path("run-x")) == int(pid)
    assert launches.cancel("run-x")
    until(lambda: not launches.views()[0].running)
    assert holder(launches.lock_path("run-x")) is None
    assert not launches.cancel("run-x")


def test_another_server_finds_the_process_of_a_run_without_having_started_it(
    launches: Launches, tmp_path: Path
) -> None:
    launches.start("--resume", "run-y", run="run-y")
    until(lambda: "sid" in launches.views()[0].tail)
    after_restart = Launches(Workspace.open(tmp_path / "w"))
    assert after_restart.views() == ()
    assert after_restart.cancel("run-y")
    until(lambda: not launches.views()[0].running)


def test_a_run_that_cannot_start_leaves_its_line_and_exit_code(launches: Launches) -> None:
    launches.start("--fail")
    until(lambda: launches.views()[0].exit is not None)
    (view,) = launches.views()
    assert (view.exit, view.run) == (1, "")
    assert view.tail == "facet: no base image: run `facet base build`"


def test_a_command_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    launches = Launches(Workspace.open(tmp_path / "w"), ("/nowhere/facet",))
    with pytest.raises(InputError, match="cannot start"):
        launches.start()


def test_nobody_holds_a_lock_that_is_not_there(tmp_path: Path) -> None:
    assert holder(tmp_path / "lock") is None
    (tmp_path / "lock").write_text("")
    assert holder(tmp_path / "lock") is None


def test_a_log_is_bounded_and_shows_the_last_state_of_a_progress_bar(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(b"x" * 50_000 + b"\nrun abc\n 1/4\r 2/4\r 3/4\ndone \xff\n")
    assert tail(log, 60).splitlines()[-2:] == [" 3/4", "done \N{REPLACEMENT CHARACTER}"]
    assert len(tail(log)) < 9000
    assert tail(tmp_path / "none.log") == ""
    assert announced(log) == "abc"
    assert announced(tmp_path / "none.log") == ""
