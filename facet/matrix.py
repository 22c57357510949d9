"""The check x state table of one judgement: what each check said before, after, and in between.

Pure. Columns are states (the untouched state, the reference solution, each partial, ...), rows are
checks in the order of the report; flags name what is wrong with a check. Not covered: rollouts.
"""

from collections.abc import Sequence
from typing import Literal

from facet.types.task import DeclaredCheck
from facet.types.trial import CheckResult, Trial
from facet.types.value import Value
from facet.types.verdict import Judgement

Flag = Literal["vacuous", "brittle", "dead", "guard", "never ran"]

FLAG_MEANING: dict[Flag, str] = {
    "vacuous": "passes on the untouched state and is no guard",
    "brittle": "fails or errors after the reference solution",
    "dead": "never failed in any state that was run",
    "guard": "must be true before and after; does not count as gain",
    "never ran": "declared, but gave no result in any state",
}
"""Every flag with its meaning; the page shows these."""


class Column(Value):
    """One state in which the verifier ran."""

    key: str  # "nop", "oracle", "partial:partials/x.sh", ...
    title: str
    outcome: str
    detail: str = ""
    reward: float | None = None


class Row(Value):
    """One check over all states; `statuses[i]` belongs to `columns[i]`, "" = no result there."""

    id: str
    title: str
    file: str = ""
    guard: bool = False
    weight: float = 1.0
    statuses: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


class Matrix(Value):
    """The whole table."""

    columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = ()

    def counts(self, column: int) -> tuple[int, int]:
        """(passed, with a result) of one column."""
        found = [r.statuses[column] for r in self.rows if r.statuses[column]]
        return sum(s == "passed" for s in found), len(found)


STATE_TITLES: dict[str, str] = {
    "nop": "before",
    "oracle": "after",
    "partial": "partial",
    "alternative": "alternative",
    "mutant": "mutant",
    "probe": "probe",
    "agent": "rollout",
}
"""How each actor's state is called in the table."""


def matrix(judgement: Judgement, declared: Sequence[DeclaredCheck] = ()) -> Matrix:
    """The table of a judgement; `declared` gives titles, and rows to checks that never ran.

    nop and oracle come first, then the other trials in their order. One trial a state: of equal
    ones the first is shown.
    """
    order = {"nop": 0, "oracle": 1}
    trials: dict[str, Trial] = {}
    for trial in sorted(judgement.trials, key=lambda t: order.get(t.actor, 2)):
        trials.setdefault(_key(trial), trial)
    results = {key: {c.id: c for c in trial.checks} for key, trial in trials.items()}
    names: dict[str, CheckResult | None] = {}
    for key in sorted(trials, key=lambda k: k != "oracle"):
        for check in trials[key].checks:
            names.setdefault(check.id, check)
    titles = {c.id: c.title for c in declared}
    for name in titles:
        if not any(n.partition("[")[0] == name for n in names):
            names[name] = None
    rows = []
    for name, sample in names.items():
        statuses = tuple(
            results[key][name].status if name in results[key] else "" for key in trials
        )
        rows.append(
            Row(
                id=name,
                title=(sample.title if sample else "") or titles.get(name.partition("[")[0], ""),
                file=sample.file if sample else "",
                guard=bool(sample and sample.guard),
                weight=sample.weight if sample else 1.0,
                statuses=statuses,
                flags=_flags(dict(zip(trials, statuses, strict=True)), sample),
            )
        )
    columns = tuple(
        Column(
            key=key,
            title=_title(trial),
            outcome=trial.outcome,
            detail=trial.detail,
            reward=trial.reward,
        )
        for key, trial in trials.items()
    )
    return Matrix(columns=columns, rows=tuple(rows))


def _key(trial: Trial) -> str:
    return trial.actor if trial.actor in ("nop", "oracle") else f"{trial.actor}:{trial.label}"


def _title(trial: Trial) -> str:
    title = STATE_TITLES.get(trial.actor, trial.actor)
    if trial.actor in ("nop", "oracle"):
        return title
    label = trial.label.rpartition("/")[2].removesuffix(".sh")
    return f"{title} {label}".strip()


def _flags(statuses: dict[str, str], sample: CheckResult | None) -> tuple[Flag, ...]:
    flags: list[Flag] = []
    ran = [s for s in statuses.values() if s]
    if sample is None or not ran:
        return ("never ran",)
    if sample.guard:
        flags.append("guard")
    elif statuses.get("nop") == "passed":
        flags.append("vacuous")
    if statuses.get("oracle") in ("failed", "error"):
        flags.append("brittle")
    if not sample.guard and all(s == "passed" for s in ran) and len(ran) > 1:
        flags.append("dead")
    return tuple(flags)


READING_ORDER: tuple[tuple[str, str, str], ...] = (
    ("all pass", "pass", "verifier is vacuous, or the environment is already solved"),
    ("some pass", "pass", "those checks are vacuous, or regression guards (mark them)"),
    ("error", "any", "environment or infrastructure: read the log before the checks"),
    ("fail", "fail", "solution, then verifier, then instruction: compare expected and actual"),
    ("fail", "pass", "as it should be"),
)
"""Before, after, first suspect: shown under the table."""


def suspect(table: Matrix) -> str:
    """One line on what the two deciding states say, "" when one of them is missing."""
    keys = [c.key for c in table.columns]
    if "nop" not in keys or "oracle" not in keys:
        return ""
    before, after = keys.index("nop"), keys.index("oracle")
    for column in (table.columns[before], table.columns[after]):
        if column.outcome != "graded":
            state = f"{column.title}: {column.outcome.replace('_', ' ')}"
            return f"{state}{': ' + column.detail if column.detail else ''}"
    passed_before, ran_before = table.counts(before)
    passed_after, ran_after = table.counts(after)
    guards = sum(r.guard and r.statuses[before] == "passed" for r in table.rows)
    line = (
        f"before {ran_before - passed_before} of {ran_before} fail, "
        f"after {ran_after - passed_after} of {ran_after} fail"
    )
    vacuous = passed_before - guards
    if ran_before and passed_before == ran_before:
        return f"{line}: {READING_ORDER[0][2]}"
    if passed_after < ran_after:
        return f"{line}: {READING_ORDER[3][2]}"
    if vacuous > 0:
        return f"{line}: {READING_ORDER[1][2]}"
    return f"{line}{f' (guards: {guards})' if guards else ''}: {READING_ORDER[4][2]}"
