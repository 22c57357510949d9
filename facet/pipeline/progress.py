"""Progress on stderr: a bar where somebody looks, plain lines where a log is written."""

import time
from collections import Counter
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from facet.pipeline.run import Watcher
from facet.types.payloads import TaskEnded
from facet.types.skill import Seed

GROUPS = {"valid": "valid", "owed": "owed"}  # every other ending is "dropped"


class ProgressBar(Watcher):
    """Counts of valid, dropped and owed, tasks an hour and dollars. A context manager."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._counts: Counter[str] = Counter()
        self._started = time.monotonic()
        self._total = 0

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.completed}/{task.total}"),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("reading skills", total=None)
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def note(self, line: str) -> None:
        """A line above the bar."""
        self._console.print(escape(_printable(line)), highlight=False, soft_wrap=True)

    def started(self, seeds: int, already: int) -> None:
        """Seeds are known."""
        self._started = time.monotonic()
        self._total = seeds
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, total=seeds, completed=already, description=self._line())
        else:
            self.note(f"{seeds} seeds, {already} done before")

    def ended(self, seed: Seed, ended: TaskEnded, dollars: float | None) -> None:
        """One more."""
        group = GROUPS.get(ended.ending, "dropped")
        self._counts[group] += 1
        rounds = f", {ended.rounds} repair rounds" if ended.rounds else ""
        checks = f", {ended.checks} checks" if ended.checks else ""
        why = "" if ended.ending == "valid" else f": {ended.reason}"
        self.note(f"{seed.id} {ended.ending}{checks}{rounds} in {ended.seconds:.0f} s{why[:300]}")
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=1, description=self._line(dollars))

    def _line(self, dollars: float | None = 0.0) -> str:
        hours = max(time.monotonic() - self._started, 1e-9) / 3600
        rate = sum(self._counts.values()) / hours if self._counts else 0.0
        counts = " · ".join(f"{self._counts[g]} {g}" for g in ("valid", "dropped", "owed"))
        cost = "cost unknown" if dollars is None else f"${dollars:.2f}"
        return f"{counts} · {rate:.0f} an hour · {cost}"


def _printable(text: str) -> str:
    """Text of others cannot steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)
