"""Progress: a line for each seed, counts and cost in the bar, nothing that steers a terminal."""

import io

from rich.console import Console

from facet.pipeline.progress import ProgressBar
from facet.types.payloads import TaskEnded
from tests.asks import SEED


def show(*endings: TaskEnded, terminal: bool = False, dollars: float | None = 0.25) -> str:
    out = io.StringIO()
    term = {"TERM": "xterm"}  # whatever the tests themselves run in
    console = Console(
        file=out, force_terminal=terminal, width=200, color_system=None, _environ=term
    )
    with ProgressBar(console) as bar:
        bar.started(5, 1)
        for ended in endings:
            bar.ended(SEED, ended, dollars)
    return out.getvalue()


def ended(ending: str, reason: str = "", **more: object) -> TaskEnded:
    return TaskEnded.model_validate({"key": "r/s", "ending": ending, "reason": reason, **more})


def test_each_seed_is_one_plain_line_with_its_reason() -> None:
    text = show(ended("valid", checks=22, rounds=2, seconds=9.0), ended("discarded", "no\nplan"))
    lines = text.splitlines()
    assert lines[0] == "5 seeds, 1 done before"
    assert lines[1].endswith("valid, 22 checks, 2 repair rounds in 9 s")
    assert lines[2].endswith("discarded in 0 s: no plan")


def test_the_bar_counts_valid_dropped_and_owed_with_cost() -> None:
    endings = [ended("valid"), ended("exhausted"), ended("unexplained"), ended("owed")]
    assert "1 valid · 2 dropped · 1 owed" in show(*endings, terminal=True)
    assert "$0.25" in show(*endings, terminal=True)
    assert "cost unknown" in show(*endings, terminal=True, dollars=None)


def test_reasons_of_others_cannot_steer_the_terminal_or_use_markup() -> None:
    text = show(ended("discarded", "\x1b[2J[red]boo[/red]"))
    assert "\x1b" not in text
    assert "[red]boo[/red]" in text
