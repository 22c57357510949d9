"""Pass rates from the result files of trials (Harbor job folders), interrupted ones included.

A trial counts when its verifier gave a reward, whatever exception stands beside it (a time-out
with a reward is graded); one without a reward is no failure, it is not counted and said so.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from facet.errors import InputError
from facet.types.value import Value

RESULT = "result.json"
MAX_RESULT = 20_000_000  # bytes
MAX_DEPTH = 6


class TrialResult(Value):
    """One trial of a model on a task."""

    task: str  # as the result names it
    models: tuple[str, ...]  # names it goes by: "claude-x", "anthropic/claude-x"
    reward: float | None = None  # None: not graded


class Trials(Value):
    """Everything a folder holds."""

    results: tuple[TrialResult, ...] = ()
    unreadable: tuple[str, ...] = ()

    def of(self, model: str) -> dict[str, list[float | None]]:
        """Rewards by task of one model."""
        found: defaultdict[str, list[float | None]] = defaultdict(list)
        for result in self.results:
            if model in result.models:
                found[result.task].append(result.reward)
        return dict(found)


def read_trials(folder: Path) -> Trials:
    """Every trial below a folder; raises InputError where there is none."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder of trial results")
    results: list[TrialResult] = []
    broken: list[str] = []
    for path in _result_files(folder, 0):
        where = str(path.relative_to(folder))
        try:
            if path.is_symlink() or path.stat().st_size > MAX_RESULT:
                raise ValueError("a link, or too large")
            document = json.loads(path.read_bytes())
            result = _result(document)
        except (OSError, ValueError, RecursionError) as error:
            broken.append(f"{where}: {str(error)[:200]}")
            continue
        if result is not None:
            results.append(result)
    if not results and not broken:
        raise InputError(f"{folder}: holds no trial results ({RESULT} with a task_name)")
    return Trials(results=tuple(results), unreadable=tuple(broken))


def _result_files(folder: Path, depth: int) -> Iterator[Path]:
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if entry.name == RESULT and entry.is_file(follow_symlinks=False):
            yield folder / entry.name
        elif entry.is_dir(follow_symlinks=False) and depth < MAX_DEPTH:
            yield from _result_files(folder / entry.name, depth + 1)


def _result(document: Any) -> TrialResult | None:
    """None for the result of a whole job; ValueError for a trial that cannot be read."""
    if not isinstance(document, dict):
        raise ValueError("no object")
    task = document.get("task_name")
    if task is None:
        return None
    if not isinstance(task, str):
        raise ValueError("task_name is no text")
    return TrialResult(task=task, models=_models(document), reward=_reward(document))


def _models(document: dict[str, Any]) -> tuple[str, ...]:
    info = _table(_table(document, "agent_info"), "model_info")
    name, provider = info.get("name"), info.get("provider")
    given = _table(_table(document, "config"), "agent").get("model_name")
    names = [n for n in (name, given) if isinstance(n, str) and n]
    if isinstance(name, str) and isinstance(provider, str) and provider:
        names.append(f"{provider}/{name}")
    return tuple(dict.fromkeys(names))


def _reward(document: dict[str, Any]) -> float | None:
    rewards = _table(_table(document, "verifier_result"), "rewards")
    value = rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise ValueError("its reward is no number")
    return float(value)


def _table(document: dict[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}
