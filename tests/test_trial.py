"""How a trial ends when the engine fails it: told apart from the task, and nothing is left."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import pytest

from facet.base_images import recipe_digest
from facet.errors import EngineError, EngineUnavailable, SandboxGone
from facet.sandbox.base import ExecResult, PutFile, SandboxOptions
from facet.trial import ActorSpec, run_trial
from facet.trial_grading import parse_bundle
from facet.types.task import text_file
from facet.types.trial import Log, Trial
from tests.grading.conftest import SOLVE, make_task

ORACLE = ActorSpec(actor="oracle", script=text_file("solve.sh", SOLVE, executable=True))
NOP = ActorSpec(actor="nop")


def bundle(reward: float = 1) -> bytes:
    """What the runner would have collected."""
    report = {"results": {"tests": [{"name": "a", "status": "passed" if reward else "failed"}]}}
    files = {"reward.json": {"reward": reward}, "ctrf.json": report}
    packed = {
        name: {"state": "read", "data": base64.b64encode(json.dumps(value).encode()).decode()}
        for name, value in files.items()
    }
    return json.dumps({"files": packed, "tamper": []}).encode()


class Box:
    """A container that answers from the engine's script."""

    def __init__(self, engine: "Bench", image: str) -> None:
        self.engine, self.image, self.closed = engine, image, False

    def exec(self, command: Sequence[str], *, timeout_s: float, **_: Any) -> ExecResult:
        if command[-1] == "--version":
            return ExecResult(exit=0, stdout=Log(text=recipe_digest()), stderr=Log())
        return self.engine.on_exec(self, command)

    def put(self, files: Sequence[PutFile]) -> None:
        self.engine.put += [f.path for f in files]

    def read(self, path: str, *, max_bytes: int = 0) -> bytes:
        if not path.endswith("bundle.json"):
            raise FileNotFoundError(path)
        return bundle()

    def changes(self, *, limit: int = 0) -> tuple[()]:
        return ()

    def end_processes(self, *, grace_s: float = 0.0) -> None:
        self.engine.events.append(f"ended {grace_s:g}")

    def commit(self, *, labels: Mapping[str, str] | None = None) -> str:
        self.engine.images.add("snapshot")
        return "snapshot"

    def alive(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Bench:
    """An engine whose answers a test decides."""

    def __init__(self) -> None:
        self.images = {"task"}
        self.boxes: list[Box] = []
        self.put: list[str] = []
        self.events: list[str] = []
        self.on_start: Callable[[str], None] = lambda image: None
        self.on_exec: Callable[[Box, Sequence[str]], ExecResult] = lambda box, command: done()

    def image(self, name: str) -> str:
        return "base"

    def start(self, image: str, options: SandboxOptions | None = None) -> Box:
        if not image.startswith("facet-base"):
            self.on_start(image)
        self.boxes.append(Box(self, image))
        return self.boxes[-1]

    def remove_image(self, image: str) -> None:
        self.images.discard(image)


def done(exit: int | None = 0, *, timed_out: bool = False, killed: str = "") -> ExecResult:
    return ExecResult(
        exit=exit, stdout=Log(), stderr=Log(), timed_out=timed_out, killed=killed, seconds=0.1
    )


@pytest.fixture
def bench() -> Bench:
    return Bench()


def run(bench: Bench, actor: ActorSpec = ORACLE) -> Trial:
    trial = run_trial(bench, "task", make_task(), actor)  # type: ignore[arg-type]
    assert all(box.closed for box in bench.boxes)
    assert bench.images == {"task"}
    return trial


def test_a_trial_that_goes_well_leaves_no_container_and_no_snapshot(bench: Bench) -> None:
    trial = run(bench)
    assert (trial.outcome, trial.reward, trial.actor_exit) == ("graded", 1.0, 0)
    assert [box.image for box in bench.boxes] == ["facet-base:latest", "task", "snapshot"]
    assert bench.events == ["ended 0"]


def test_doing_nothing_needs_one_container_and_no_snapshot(bench: Bench) -> None:
    assert run(bench, NOP).outcome == "graded"
    assert [box.image for box in bench.boxes] == ["facet-base:latest", "task"]


@pytest.mark.parametrize("error", [EngineError("disk full"), EngineUnavailable("no server")])
@pytest.mark.parametrize("actor", [NOP, ORACLE])
def test_engine_trouble_is_infrastructure(
    bench: Bench, actor: ActorSpec, error: EngineError
) -> None:
    def fail(image: str) -> None:
        raise error

    bench.on_start = fail
    trial = run(bench, actor)
    assert (trial.outcome, trial.detail, trial.reward) == ("infrastructure", str(error), None)


def test_a_container_that_vanishes_while_grading_is_infrastructure(bench: Bench) -> None:
    def gone(box: Box, command: Sequence[str]) -> ExecResult:
        if box.image == "snapshot":
            raise SandboxGone("container 12 is gone")
        return done()

    bench.on_exec = gone
    assert run(bench).outcome == "infrastructure"


def test_a_final_state_that_does_not_start_is_the_actors_doing(bench: Bench) -> None:
    def fail(image: str) -> None:
        if image == "snapshot":
            raise EngineError("/app is not a directory")

    bench.on_start = fail
    trial = run(bench)
    assert trial.outcome == "actor_error"
    assert "final state does not start as a container: /app is not a directory" in trial.detail


def test_a_final_state_that_does_not_start_because_nothing_does_is_infrastructure(
    bench: Bench,
) -> None:
    seen: list[str] = []

    def fail(image: str) -> None:
        seen.append(image)
        if len(seen) > 1:
            raise EngineError("no space left on device")

    bench.on_start = fail
    assert run(bench).outcome == "infrastructure"
    assert seen == ["task", "snapshot", "task"]


def test_helpers_too_slow_for_their_limit_are_infrastructure_not_a_verdict(bench: Bench) -> None:
    bench.on_exec = lambda box, command: done(None, timed_out=command[1] == "--prepare")
    task = make_task(test_sh="#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n")
    trial = run_trial(bench, "task", task, NOP)  # type: ignore[arg-type]
    assert trial.outcome == "infrastructure"
    assert "the host took more than" in trial.detail


def test_an_actor_killed_for_its_size_is_an_actor_error(bench: Bench) -> None:
    bench.on_exec = lambda box, command: done(None, killed="it grew by 3000 MB")
    trial = run(bench)
    assert trial.outcome == "actor_error"
    assert trial.detail.endswith("it grew by 3000 MB")


def test_a_stop_by_the_user_passes_through_and_leaves_nothing(bench: Bench) -> None:
    def stop(box: Box, command: Sequence[str]) -> ExecResult:
        if box.image == "snapshot":
            raise KeyboardInterrupt
        return done()

    bench.on_exec = stop
    with pytest.raises(KeyboardInterrupt):
        run_trial(bench, "task", make_task(), ORACLE)  # type: ignore[arg-type]
    assert all(box.closed for box in bench.boxes)
    assert bench.images == {"task"}


def test_partial_and_alternative_scripts_are_not_shown_to_an_actor(bench: Bench) -> None:
    task = make_task()
    files = task.solution.files
    for path in ("partials/half.sh", "alternatives/other.sh", "data/rates.csv"):
        files = files.with_file(text_file(path, "x"))
    task = task.replace("solution", task.solution.model_copy(update={"files": files}))
    partial = ActorSpec(actor="partial", script=text_file("partials/half.sh", "#!/bin/sh\n"))
    run_trial(bench, "task", task, partial)  # type: ignore[arg-type]
    placed = {p for p in bench.put if p.startswith("/solution")}
    assert placed == {"/solution/half.sh", "/solution/solve.sh", "/solution/data/rates.csv"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"files": {}}',
        b'{"files": {"reward.json": {"state": "odd"}}, "tamper": []}',
        b'{"files": {"reward.json": {"state": "read", "data": "?"}}, "tamper": []}',
        b'{"files": {}, "tamper": [["/x", "no such kind", ""]]}',
        b'{"files": {}, "tamper": [1]}',
    ],
)
def test_a_broken_bundle_is_no_report(data: bytes) -> None:
    assert parse_bundle(data) == ({}, ())
