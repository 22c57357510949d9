"""Live containers: started in the background, looked at, bounded, always removed."""

import threading
import time
from collections.abc import Callable

import pytest

from facet.errors import BuildError, EngineError
from facet.live import IDLE_S, MOST, LiveView, Opened, Room
from facet.sandbox.base import ExecResult, Process, Sandbox
from facet.types.task import Task
from facet.types.trial import Log, StateChange
from tests.judging import make_task


class FakeSandbox:
    """Says what it was asked; `listing` is the answer to `find`."""

    def __init__(self, listing: str = "") -> None:
        self.id = "c0ffee" * 4
        self.listing = listing
        self.commands: list[str] = []
        self.put_paths: list[str] = []
        self.closed = 0
        self.up = True

    def exec(self, command: list[str], *, timeout_s: float, **more: object) -> ExecResult:
        self.commands.append(command[-1])
        ok = "missing" not in command[-1]
        return ExecResult(
            exit=0 if ok else 1, stdout=Log(text=self.listing), stderr=Log(text="" if ok else "no")
        )

    def put(self, files: list[object]) -> None:
        self.put_paths += [f.path for f in files]  # type: ignore[attr-defined]

    def read(self, path: str, *, max_bytes: int = 0) -> bytes:
        if path == "/missing":
            raise FileNotFoundError(path)
        return b"h\xff"

    def processes(self) -> tuple[Process, ...]:
        return (Process(pid=7, user="root", command="sleep infinity"),)

    def changes(self, *, limit: int = 0) -> tuple[StateChange, ...]:
        return (StateChange(path="/app/x", change="added"),)

    def alive(self) -> bool:
        return self.up

    def close(self) -> None:
        self.closed += 1


def wait(room: Room, digest: str, state: str) -> LiveView:
    """The view once it is in this state."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        view = room.view(digest)
        if view.state == state:
            return view
        time.sleep(0.01)
    raise AssertionError(f"never {state}: {room.view(digest)}")


def maker(*boxes: FakeSandbox) -> Callable[[Task], tuple[Sandbox, Opened]]:
    left = list(boxes)

    def make(task: Task) -> tuple[Sandbox, Opened]:
        return left.pop(0), Opened(image="sha256:image")  # type: ignore[return-value]

    return make


@pytest.fixture
def task() -> Task:
    return make_task()


def test_a_container_is_made_in_the_background_and_can_be_looked_at(task: Task) -> None:
    box = FakeSandbox(listing="d\t4096\t755\troot\tout\0f\t31\t644\tnobody\ta b.csv\0")
    removed: list[str] = []
    room = Room(maker(box), removed.append)
    assert room.view(task.digest).state == "none"
    assert room.open(task).state in ("building", "ready")
    assert wait(room, task.digest, "ready").container == box.id[:12]
    assert [(e.name, e.kind, e.size) for e in room.entries(task.digest, "/app")] == [
        ("out", "dir", 4096),
        ("a b.csv", "file", 31),
    ]
    assert room.processes(task.digest)[0].command == "sleep infinity"
    assert room.changes(task.digest)[0].path == "/app/x"
    assert room.read(task.digest, "/app/x") == "h\N{REPLACEMENT CHARACTER}"
    room.close(task.digest)
    assert (box.closed, removed) == (1, ["sha256:image"])
    assert room.view(task.digest).state == "none"


def test_a_folder_name_is_data_and_never_shell(task: Task) -> None:
    box = FakeSandbox()
    room = Room(maker(box))
    room.open(task)
    wait(room, task.digest, "ready")
    room.entries(task.digest, "/app; touch /owned")
    assert "cd -P -- '/app; touch /owned' &&" in box.commands[-1]
    with pytest.raises(EngineError, match="missing"):
        room.entries(task.digest, "/missing")
    with pytest.raises(EngineError, match="missing"):
        room.read(task.digest, "/missing")


def test_the_reference_solution_runs_without_its_partials(task: Task) -> None:
    box = FakeSandbox()
    room = Room(maker(box))
    room.open(task)
    wait(room, task.digest, "ready")
    room.solve(task.digest, task, timeout_s=5)
    assert box.put_paths == ["/solution/solve.sh"]
    assert box.commands[-1] == "/solution/solve.sh"


def test_an_image_that_does_not_build_is_told_with_its_log_and_can_be_tried_again(
    task: Task,
) -> None:
    tries: list[int] = []

    def make(_: Task) -> tuple[Sandbox, Opened]:
        tries.append(1)
        raise BuildError("COPY failed", log="step 2")

    room = Room(make)
    room.open(task)
    view = wait(room, task.digest, "failed")
    assert ("COPY failed" in view.line, view.log) == (True, "step 2")
    room.open(task)
    wait(room, task.digest, "failed")
    assert len(tries) == 2
    with pytest.raises(EngineError, match="start it first"):
        room.run(task.digest, "ls")


def test_opening_twice_makes_one_container(task: Task) -> None:
    room = Room(maker(FakeSandbox()))  # a second one would be an IndexError
    room.open(task)
    room.open(task)
    assert wait(room, task.digest, "ready").state == "ready"


def test_a_container_stopped_while_it_was_built_is_removed_when_it_comes_up(task: Task) -> None:
    box, go, done = FakeSandbox(), threading.Event(), threading.Event()

    def make(_: Task) -> tuple[Sandbox, Opened]:
        go.wait(60)
        return box, Opened(image="sha256:image")  # type: ignore[return-value]

    room = Room(make, lambda _: done.set())
    room.open(task)
    room.close(task.digest)
    go.set()
    assert done.wait(60)
    assert (box.closed, room.view(task.digest).state) == (1, "none")


def test_a_vanished_container_is_reported_and_forgotten(task: Task) -> None:
    box = FakeSandbox()
    room = Room(maker(box))
    room.open(task)
    wait(room, task.digest, "ready")
    box.up = False
    assert "gone" in room.view(task.digest).line
    assert room.view(task.digest).state == "none"


def test_idle_containers_are_removed_and_used_ones_kept(task: Task) -> None:
    now = [0.0]
    boxes = FakeSandbox(), FakeSandbox()
    other = make_task(name="facet/other", instruction="other")
    room = Room(maker(*boxes), clock=lambda: now[0])
    room.open(task)
    wait(room, task.digest, "ready")
    room.open(other)
    wait(room, other.digest, "ready")
    now[0] = IDLE_S + 1
    room.run(other.digest, "ls")
    assert room.close_idle() == 1
    assert [b.closed for b in boxes] == [1, 0]
    room.close_all()
    assert [b.closed for b in boxes] == [1, 1]


def test_only_a_few_containers_are_up_at_once() -> None:
    room = Room(maker(*(FakeSandbox() for _ in range(MOST + 1))))
    tasks = [make_task(instruction=str(n)) for n in range(MOST + 1)]
    for one in tasks[:MOST]:
        room.open(one)
    assert room.open(tasks[-1]).state == "failed"
    room.close_all()
