"""A delivery as it is judged: each folder with its task, its verdict and its licence text."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from facet.errors import TaskFolderError
from facet.taskdir import read_task
from facet.types.task import Task
from facet.types.value import Value
from facet.validation import Verdict

LICENCE_FILES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING")
LICENCE_BYTES = 20_000


class Item(Value):
    """One folder of a delivery."""

    path: str
    task: Task | None = None  # None: cannot be read
    fault: str = ""  # why it cannot
    verdict: Verdict | None = None  # None: was not judged
    licence_text: str = ""  # beginning of a licence file in the folder

    @property
    def name(self) -> str:
        """As reports call it."""
        return Path(self.path).name


class Delivery(Value):
    """All of it, and why some of it was not judged."""

    items: tuple[Item, ...]
    trouble: str = ""  # engine trouble that kept verdicts away

    @property
    def readable(self) -> tuple[tuple[Item, Task], ...]:
        """Items with a task."""
        return tuple((i, i.task) for i in self.items if i.task is not None)

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Lines about the others."""
        return tuple(f"{i.name}: cannot be read: {i.fault}" for i in self.items if i.task is None)


def read_delivery(
    folders: Sequence[Path], verdicts: Mapping[str, Verdict], trouble: str = ""
) -> Delivery:
    """Read every folder; `verdicts` by path."""
    items = []
    for path in folders:
        task, fault = None, ""
        try:
            task = read_task(path)
        except TaskFolderError as error:
            fault = str(error)
        items.append(
            Item(
                path=str(path),
                task=task,
                fault=fault,
                verdict=verdicts.get(str(path)),
                licence_text=_licence_text(path),
            )
        )
    return Delivery(items=tuple(items), trouble=trouble)


def _licence_text(path: Path) -> str:
    for name in LICENCE_FILES:
        file = path / name
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as stream:
                return stream.read(LICENCE_BYTES).decode("utf-8", "replace")
    return ""
