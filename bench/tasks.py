"""The tasks of the benchmark: made by the embedded author without slips, exported as folders."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from facet.errors import InputError
from facet.exports import Chosen, export_harbor
from facet.selftest.good import BY_AUTHOR, good_task
from facet.types.task import Task

BASE = "facet-base"
STOP = "STOPSIGNAL SIGKILL\n"
MOST = len(BY_AUTHOR)


def chosen(count: int) -> tuple[Task, ...]:
    """The first `count` tasks, the same on every machine. Raises InputError."""
    if not 1 <= count <= MOST:
        raise InputError(f"--tasks {count}: give a number from 1 to {MOST}")
    return tuple(good_task("-".join(pair)) for pair in BY_AUTHOR[:count])


def write(tasks: Sequence[Task], folder: Path) -> tuple[Path, Path]:
    """Write the tasks as an export, and a copy of it without our STOPSIGNAL line."""
    plain, slow = folder / "tasks", folder / "tasks-without-stopsignal"
    export_harbor([Chosen(task=task) for task in tasks], plain, base_ref=BASE)
    (plain / "manifest.json").unlink()  # Harbor and we read task folders only
    shutil.copytree(plain, slow)
    for dockerfile in slow.glob("*/environment/Dockerfile"):
        text = dockerfile.read_text(encoding="utf-8")
        if STOP not in text:
            raise InputError(f"{dockerfile}: has no line {STOP.strip()}")
        dockerfile.write_text(text.replace(STOP, ""), encoding="utf-8")
    return plain, slow
