"""The funnel: from skills read to tasks valid, with the reason of everything that fell out. Pure.

Three units follow one another, each with its own denominator: skills (read, kept, asked, with a
context), pairs (judged, kept) and seeds (accepted, scenario, environment, task, valid). A step
counts what reached it *or a later one*, so within a unit no count is larger than the one before.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from facet.types.event import Event, EventKind
from facet.types.payloads import (
    ContextsProposed,
    PairJudged,
    SeedAccepted,
    SkillRead,
    SkillUnreadable,
    TaskEnded,
)
from facet.types.value import Value

Unit = Literal["skill", "pair", "seed"]

STEPS: tuple[tuple[Unit, str, str], ...] = (
    ("skill", "read", "skill packages found"),
    ("skill", "kept", "passed the screening rules"),
    ("skill", "asked", "looked at for an application context, as many as the seeds needed"),
    ("skill", "context", "an application context was proposed"),
    ("pair", "judged", "pairs the judge saw"),
    ("pair", "kept", "pairs that complement each other and can be done in a terminal"),
    ("seed", "accepted", "scenario-skill seeds taken up"),
    ("seed", "scenario", "scenario fused, both references agree"),
    ("seed", "environment", "image built and probed as planned"),
    ("seed", "task", "instruction, solution and verifier written"),
    ("seed", "valid", "every deciding gate passed"),
)
"""Unit, name and meaning of each step, in order."""

SCENARIO_DONE = ("consistency", "environment")
"""The scenario stands once a stage of one of these names is done."""


FUNNEL_KINDS: tuple[EventKind, ...] = (
    "skill.read",
    "skill.unreadable",
    "context",
    "pair.judged",
    "seed",
    "environment.built",
    "task.written",
    "task.ended",
)
"""Events the funnel needs all of; of the `stage.done` it needs those of SCENARIO_DONE."""


class Step(Value):
    """One row of the funnel."""

    unit: Unit
    name: str
    meaning: str
    count: int  # distinct skills, pairs or seeds that reached this step
    of: int  # what the unit started with: the denominator
    first_time: int | None = None  # of `count`, without a repair round; None = does not apply
    after_repair: int | None = None  # of `count`, with at least one


class Drop(Value):
    """One skill, pair or seed that fell out, and why."""

    unit: Unit
    id: str  # skill id, "a + b", or task key
    name: str = ""
    step: str  # rule, "pair", or the task's ending
    reason: str


class Funnel(Value):
    """The whole table of one run ("" = of everything)."""

    run: str
    steps: tuple[Step, ...]
    drops: tuple[Drop, ...]
    endings: dict[str, int]  # seeds by ending; those without one are `working`
    working: int

    def step(self, unit: Unit, name: str) -> Step:
        """The row of this unit and name; raises KeyError."""
        for row in self.steps:
            if (row.unit, row.name) == (unit, name):
                return row
        raise KeyError(f"{unit}/{name}")


class _Seeds:
    """How far each seed came; the last word about each."""

    def __init__(self) -> None:
        self.rank: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.environment_rounds: dict[str, int] = {}
        self.ended: dict[str, TaskEnded] = {}

    def reach(self, key: str, rank: int) -> None:
        self.rank[key] = max(self.rank.get(key, 0), rank)


def funnel(events: Iterable[Event], run: str = "") -> Funnel:
    """Count the events of one run ("" = all runs), given in time order.

    Skills read outside any run (`facet skills import`) count for a run that read none itself.
    Events whose payload does not parse raise pydantic.ValidationError.
    """
    events = [e for e in events if not run or e.run in (run, "")]
    own_skills = {e.run for e in events if e.kind in ("skill.read", "skill.unreadable")}
    skills_of = run if run in own_skills else ""
    read: dict[str, SkillRead | SkillUnreadable] = {}
    contexts: dict[str, ContextsProposed] = {}
    pairs: dict[str, PairJudged] = {}
    seeds = _Seeds()
    for event in events:
        ours = not run or event.run == run
        match event.kind:
            case "skill.read" if not run or event.run == skills_of:
                skill = SkillRead.from_json(event.data)
                read[skill.skill_id] = skill
            case "skill.unreadable" if not run or event.run == skills_of:
                bad = SkillUnreadable.from_json(event.data)
                read[bad.path] = bad
            case "context" if ours:
                proposed = ContextsProposed.from_json(event.data)
                contexts[proposed.skill_id] = proposed
            case "pair.judged" if ours:
                pair = PairJudged.from_json(event.data)
                pairs[_pair_key(pair)] = pair
            case "seed" | "stage.done" | "environment.built" | "task.written" | "task.ended" if (
                ours
            ):
                _follow_seed(event, seeds)
            case _:
                pass
    return Funnel(
        run=run,
        steps=(*_skill_steps(read, contexts), *_pair_steps(pairs), *_seed_steps(seeds)),
        drops=(*_skill_drops(read, contexts), *_pair_drops(pairs), *_seed_drops(seeds)),
        endings=dict(sorted(Counter(e.ending for e in seeds.ended.values()).items())),
        working=len(seeds.rank) - len(seeds.ended),
    )


def _pair_key(pair: PairJudged) -> str:
    first, second = (
        f"{s} ({c})" if c else s for s, c in zip(pair.skill_ids, pair.capabilities, strict=True)
    )
    return f"{first} + {second}"


def _follow_seed(event: Event, seeds: _Seeds) -> None:
    """Ranks: 0 accepted, 1 scenario, 2 environment, 3 task, 4 valid.

    The frequent kinds are read without parsing the whole payload: a run has many of them.
    """
    key = f"{event.run}/{event.seed}" if event.seed else str(event.data.get("key", ""))
    if not key:
        return
    match event.kind:
        case "seed":
            seed = SeedAccepted.from_json(event.data)
            seeds.names[key] = " + ".join(seed.skill_names)
            seeds.reach(key, 0)
        case "stage.done":
            if event.data.get("stage") in SCENARIO_DONE:
                seeds.reach(key, 1)
        case "environment.built":
            realized = event.data.get("realized")
            if isinstance(realized, dict) and not realized.get("mismatches"):
                seeds.environment_rounds.setdefault(key, int(event.data.get("rounds") or 0))
                seeds.reach(key, 2)
        case "task.written":
            seeds.reach(key, 3)
        case _:
            ended = TaskEnded.from_json(event.data)
            seeds.ended[key] = ended
            seeds.reach(key, 4 if ended.ending == "valid" else 0)


def _steps(unit: Unit, counts: Iterable[int]) -> list[Step]:
    rows = [(name, meaning) for u, name, meaning in STEPS if u == unit]
    numbers = list(counts)
    return [
        Step(unit=unit, name=name, meaning=meaning, count=n, of=numbers[0])
        for (name, meaning), n in zip(rows, numbers, strict=True)
    ]


def _skill_steps(
    read: dict[str, SkillRead | SkillUnreadable], contexts: dict[str, ContextsProposed]
) -> list[Step]:
    kept = {i for i, s in read.items() if isinstance(s, SkillRead) and s.kept}
    used = {i for i, c in contexts.items() if c.contexts}
    asked = contexts.keys()
    counts = (len(read.keys() | asked), len(kept | asked), len(asked), len(used))
    return _steps("skill", counts)


def _pair_steps(pairs: dict[str, PairJudged]) -> list[Step]:
    return _steps("pair", (len(pairs), sum(p.verdict.keep for p in pairs.values())))


def _seed_steps(seeds: _Seeds) -> list[Step]:
    rows = _steps("seed", (sum(r >= n for r in seeds.rank.values()) for n in range(5)))
    valid = {k: e for k, e in seeds.ended.items() if e.ending == "valid"}
    built = [seeds.environment_rounds.get(k, 0) for k, r in seeds.rank.items() if r >= 2]
    firsts = {
        "environment": sum(rounds == 0 for rounds in built),
        "valid": sum(e.first_time_valid for e in valid.values()),
    }
    return [
        row
        if row.name not in firsts
        else row.model_copy(
            update={
                "first_time": min(firsts[row.name], row.count),
                "after_repair": row.count - min(firsts[row.name], row.count),
            }
        )
        for row in rows
    ]


def _skill_drops(
    read: dict[str, SkillRead | SkillUnreadable], contexts: dict[str, ContextsProposed]
) -> list[Drop]:
    drops = []
    for ident, skill in read.items():
        if isinstance(skill, SkillUnreadable):
            drops.append(Drop(unit="skill", id=ident, step="unreadable", reason=skill.reason))
        elif not skill.kept:
            first = next(f for f in skill.findings if f.effect == "drop")
            place = f" ({first.path}:{first.line})" if first.line else f" ({first.path})"
            drops.append(
                Drop(
                    unit="skill",
                    id=ident,
                    name=skill.name,
                    step=first.rule,
                    reason=first.reason + (place if first.path else ""),
                )
            )
    for ident, proposed in contexts.items():
        if not proposed.contexts:
            reason = proposed.not_covered or "no application context was found"
            drops.append(Drop(unit="skill", id=ident, step="context", reason=reason))
    return drops


def _pair_drops(pairs: dict[str, PairJudged]) -> list[Drop]:
    return [
        Drop(
            unit="pair",
            id=key,
            step="pair",
            reason=f"{pair.verdict.complementary}; {pair.verdict.executable}",
        )
        for key, pair in pairs.items()
        if not pair.verdict.keep
    ]


def _seed_drops(seeds: _Seeds) -> list[Drop]:
    return [
        Drop(
            unit="seed",
            id=key,
            name=seeds.names.get(key, ""),
            step=ended.ending,
            reason=ended.reason or "no reason was recorded",
        )
        for key, ended in seeds.ended.items()
        if ended.ending != "valid"
    ]
