"""The real line: the embedded author, real containers, bundled skills; a kill in the middle."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from facet.errors import EngineError
from facet.sandbox.docker import DockerEngine
from facet.types.payloads import TaskEnded
from facet.workspace import Workspace
from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.docker


@pytest.fixture(autouse=True)
def bases(docker_server: str) -> None:
    """The base image and the runner are built."""
    from facet.base_images import base_ready

    try:
        base_ready(DockerEngine("tests"))
    except EngineError as error:
        missing("DOCKER", str(error))


def start(*args: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "facet.cli.main", "run", *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(workspace: Path) -> dict[str, TaskEnded]:
    """The last ending of each seed."""
    found = {}
    for event in Workspace.open(workspace).journal.read():
        if event.kind == "task.ended":
            found[event.seed] = TaskEnded.from_json(event.data)
    return found


def leftovers(workspace: Path) -> list[str]:
    """Containers and images that carry this workspace's label."""
    api = DockerEngine("tests").api
    wanted = {"label": [f"facet.workspace={workspace}"]}
    found = [*api.containers(all=True, filters=wanted), *api.images(all=True, filters=wanted)]
    return [str(item["Id"]) for item in found]


def test_a_run_killed_in_the_middle_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    words = ("--count", "2", "--seed", "3", "--slips", "0", "--workers", "2")
    plain, broken = tmp_path / "plain", tmp_path / "broken"
    first = start(*words, "--workspace", str(plain))
    out, err = first.communicate(timeout=300)
    assert first.returncode == 0, out + err
    assert "2 of 2 valid" in out, err

    victim = start(*words, "--workspace", str(broken))
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and victim.poll() is None:
        journal = broken / "journal"
        texts = [p.read_text("utf-8", "replace") for p in journal.glob("*.jsonl")]
        if any('"stage":"instruction"' in t.replace(" ", "") for t in texts):
            break
        time.sleep(0.05)
    os.killpg(victim.pid, signal.SIGKILL)
    victim.communicate(timeout=60)
    (name,) = Workspace.open(broken).runs()
    again = start("--resume", name, "--workspace", str(broken))
    out, err = again.communicate(timeout=300)
    assert again.returncode == 0, out + err

    one, two = ended(plain), ended(broken)
    assert {s: e.ending for s, e in two.items()} == dict.fromkeys(one, "valid")
    assert {s: e.digest for s, e in two.items()} == {s: e.digest for s, e in one.items()}
    assert min(e.checks for e in two.values()) >= 10
    done = Counter(
        (e.seed, e.data["stage"], e.data["key"])
        for e in Workspace.open(broken).journal.read()
        if e.kind == "stage.done"
    )
    assert set(done.values()) == {1}, "a finished stage was done again"
    assert leftovers(plain) == []
    assert leftovers(broken) == []
