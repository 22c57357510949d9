"""Bundles: a task once, under its digest, as a Harbor folder and as a value."""

import threading
from pathlib import Path

import pytest

from facet.bundles import Bundles
from facet.errors import WorkspaceError
from facet.taskdir import read_task
from facet.types.task import (
    Environment,
    FileSet,
    Instruction,
    Provenance,
    Solution,
    Task,
    Verifier,
    text_file,
)


def task(text: str = "Do it.") -> Task:
    return Task(
        name="facet/example",
        instruction=Instruction(text=text),
        environment=Environment(
            files=FileSet(files=(text_file("Dockerfile", "FROM debian:bookworm-slim\n"),))
        ),
        solution=Solution(
            files=FileSet(files=(text_file("solve.sh", "#!/bin/bash\ntrue\n", executable=True),))
        ),
        verifier=Verifier(
            files=FileSet(files=(text_file("test.sh", "#!/bin/bash\ntrue\n", executable=True),))
        ),
        provenance=Provenance(run="r1", model="offline"),
    )


def test_a_task_comes_back_whole_and_as_a_harbor_folder(tmp_path: Path) -> None:
    bundles = Bundles(tmp_path / "bundles")
    folder = bundles.write(task())

    assert bundles.read(task().digest) == task()
    assert read_task(folder).instruction == task().instruction
    assert bundles.has(task().digest)


def test_the_same_digest_is_written_once(tmp_path: Path) -> None:
    bundles = Bundles(tmp_path)
    first = bundles.write(task())
    other = task().model_copy(update={"provenance": Provenance(run="r2")})

    assert bundles.write(other) == first
    assert bundles.read(task().digest).provenance.run == "r1"


def test_a_write_that_was_cut_between_folder_and_value_is_finished(tmp_path: Path) -> None:
    bundles = Bundles(tmp_path)
    folder = bundles.write(task())
    folder.with_name(folder.name + ".json").unlink()
    assert not bundles.has(task().digest)

    bundles.write(task())

    assert bundles.read(task().digest) == task()


def test_writers_of_one_task_at_once_agree(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def write() -> None:
        try:
            Bundles(tmp_path).write(task())
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert Bundles(tmp_path).read(task().digest) == task()
    assert len(list(tmp_path.iterdir())) == 2


def test_an_absent_altered_or_misnamed_task_is_one_line(tmp_path: Path) -> None:
    bundles = Bundles(tmp_path)
    folder = bundles.write(task())
    whole = folder.with_name(folder.name + ".json")
    other = task("Do something else.").digest

    with pytest.raises(WorkspaceError, match="is not in"):
        bundles.read(other)
    bundles.path(other).with_name(bundles.path(other).name + ".json").write_bytes(
        whole.read_bytes()
    )
    with pytest.raises(WorkspaceError, match="another task"):
        bundles.read(other)
    whole.write_text("{}")
    with pytest.raises(WorkspaceError, match="damaged"):
        bundles.read(task().digest)
    with pytest.raises(WorkspaceError, match="not a task digest"):
        bundles.path("../etc")
