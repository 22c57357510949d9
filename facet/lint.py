"""What can be said about a task without running it: faults that decide, remarks that do not.

Faults are those of the `loads` gate (`static_faults`). Remarks add what a reader should look at:
suspect shell syntax, checks declared twice, exact comparisons of clock readings, names that stock
Harbor refuses. Pure; the shell parser is an argument, as it runs a child process.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from facet.check_clock import exact_times
from facet.static_faults import static_faults, static_remarks
from facet.types.task import Task
from facet.types.value import Value

type ShellSuspects = Callable[[Mapping[str, bytes]], Mapping[str, str]]


class Lint(Value):
    """Lines as `<path in the folder>[:line]: <what>`."""

    faults: tuple[str, ...]
    remarks: tuple[str, ...]


def lint(task: Task, shell: ShellSuspects | None = None) -> Lint:
    """Read a task's artifacts. Without `shell` nothing is said about shell syntax."""
    remarks = [*static_remarks(task), *_doubled(task), *exact_times(task.verifier.files)]
    if shell is not None:
        remarks += [f"{path}: {what}" for path, what in sorted(shell(_scripts(task)).items())]
    return Lint(faults=static_faults(task), remarks=tuple(remarks))


def _doubled(task: Task) -> list[str]:
    counts = Counter(check.id for check in task.verifier.checks)
    return [f"tests: check {id!r} is declared {n} times" for id, n in counts.items() if n > 1]


def _scripts(task: Task) -> dict[str, bytes]:
    folders = (("solution", task.solution.files), ("tests", task.verifier.files))
    return {
        f"{folder}/{file.path}": file.data
        for folder, files in folders
        for file in files.files
        if file.path.endswith(".sh")
    }
