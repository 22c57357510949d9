"""Gate `stable`: fresh containers under other conditions give the same result of every check.

Asked again with nothing changed, with the checks in other orders, with a clock 400 days ahead, and
with another locale and time zone; nop and oracle each. Services keep the real clock; an image of
others without libfaketime keeps it altogether, which the evidence says.
"""

from collections import Counter
from collections.abc import Iterator

from facet.conditions import FAKETIME, Conditions
from facet.errors import EngineError
from facet.gates import is_ours
from facet.judge import Bench
from facet.strict.orders import telling_seeds
from facet.trial import ActorSpec
from facet.types.trial import Trial
from facet.types.verdict import Gate

VARIED: tuple[tuple[str, Conditions], ...] = (
    ("clock +400d", Conditions(clock_shift="+400d")),
    (
        "other locale and zone",
        Conditions(env=(("LANG", "de_DE.UTF-8"), ("LC_ALL", "C"), ("TZ", "Pacific/Auckland"))),
    ),
)
"""Name and conditions of the runs in which something else than the order of checks is changed."""
FRESH = 3
"""Containers in which nothing is changed, the first one included."""


def stable(bench: Bench, *, fresh: int = FRESH) -> Gate:
    """Run nop and oracle under every condition and compare them with the first two trials."""
    first = bench.both_ends()
    details: list[str] = []
    try:
        clock = is_ours(bench.task) or _has_faketime(bench)
    except EngineError as error:
        return Gate(name="stable", status="not_assessed", evidence=str(error)[:500])
    checks = max(len(trial.checks) for trial in first)
    others: list[tuple[Trial, Trial]] = []
    runs = [run for run in further(fresh, checks) if clock or not run[1].clock_shift]
    for name, conditions in runs:
        solve = bench.task.solution.files.get("solve.sh")
        again = bench.run(
            ActorSpec(actor="nop", label=name),
            ActorSpec(actor="oracle", label=name, script=solve),
            conditions=conditions,
        )
        for before, after in zip(first, again, strict=True):
            if after.outcome == "infrastructure":
                line = after.detail or "the engine failed"
                return Gate(name="stable", status="not_assessed", evidence=line)
            details += differences(before, after)
        others.append((again[0], again[1]))
    if details:
        told = (*details[:40], *tally(first, others))
        return Gate(name="stable", status="failed", evidence=details[0], details=told)
    line = f"{len(runs)} further runs of nop and oracle agree in every check"
    if not clock:
        line += "; the clock was not shifted, since the image has no libfaketime"
    return Gate(name="stable", status="passed", evidence=line)


def further(fresh: int, checks: int) -> Iterator[tuple[str, Conditions]]:
    """Every run after the first, for a verifier of so many checks."""
    for number in range(2, fresh + 1):
        yield "again" if number == 2 else f"again, container {number}", Conditions()
    for number, seed in enumerate(telling_seeds(checks) if checks > 1 else (), start=1):
        yield f"other order {number}", Conditions(check_order_seed=seed)
    yield from VARIED


def _has_faketime(bench: Bench) -> bool:
    with bench.engine.start(bench.realized().image) as sandbox:
        return sandbox.exec(["test", "-e", FAKETIME], timeout_s=60).exit == 0


def differences(before: Trial, after: Trial) -> list[str]:
    """What differs between two trials of one actor; each line starts with the artifact."""
    if before.outcome != after.outcome:
        artifact = "solution" if after.outcome.startswith("actor") else "verifier"
        now_is = f"{before.actor}, {after.label}: {after.outcome}"
        return [f"{artifact}: {now_is}, it was {before.outcome}"]
    was = {c.id: c.status for c in before.checks}
    now = {c.id: c.status for c in after.checks}
    return [
        f"verifier: {before.actor}, {after.label}: check {id} is {now.get(id, 'absent')},"
        f" it was {was.get(id, 'absent')}"
        for id in sorted({*was, *now})
        if was.get(id) != now.get(id)
    ]


def tally(first: tuple[Trial, Trial], others: list[tuple[Trial, Trial]]) -> tuple[str, ...]:
    """How often each check that turned was otherwise than at first, e.g. in 2 of 9 further runs."""
    lines = []
    for i, before in enumerate(first):
        was = {c.id: c.status for c in before.checks}
        turned = Counter(
            id
            for pair in others
            for id, status in {**dict.fromkeys(was), **_statuses(pair[i])}.items()
            if pair[i].outcome == before.outcome and was.get(id) != status
        )
        lines += [
            f"verifier: {before.actor}: check {id} turns in {n} of {len(others)} further runs"
            for id, n in sorted(turned.items())
        ]
    return tuple(lines[:20])


def _statuses(trial: Trial) -> dict[str, str | None]:
    return {c.id: c.status for c in trial.checks}
