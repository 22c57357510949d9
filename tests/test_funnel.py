"""The funnel: three units, honest denominators, a reason for everything that fell out."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facet.funnel import STEPS, Funnel, funnel
from facet.types.event import Event, EventKind
from facet.types.manifest import Mismatch, RealizedManifest
from facet.types.payloads import (
    ContextsProposed,
    EnvironmentBuilt,
    PairJudged,
    SeedAccepted,
    SkillRead,
    StageRecord,
    TaskEnded,
    TaskWritten,
)
from facet.types.skill import Context, PairVerdict, ScreenFinding, SkillSource
from facet.types.value import Value
from facet.workspace import Workspace
from tests.store.story import RUN, Teller, read_skill, tell


def story(tmp_path: Path, run: str = RUN) -> tuple[Workspace, Funnel]:
    workspace = Workspace.open(tmp_path / "ws")
    tell(workspace, run)
    return workspace, funnel(workspace.journal.read(), run)


def counts(numbers: Funnel, unit: str) -> list[tuple[str, int, int]]:
    return [(s.name, s.count, s.of) for s in numbers.steps if s.unit == unit]


def test_each_unit_has_its_own_denominator(tmp_path: Path) -> None:
    _, numbers = story(tmp_path)

    assert counts(numbers, "skill") == [
        ("read", 5, 5),
        ("kept", 3, 5),
        ("asked", 3, 5),
        ("context", 2, 5),
    ]
    assert counts(numbers, "pair") == [("judged", 2, 2), ("kept", 1, 2)]
    assert counts(numbers, "seed") == [
        ("accepted", 4, 4),
        ("scenario", 2, 4),
        ("environment", 2, 4),
        ("task", 2, 4),
        ("valid", 2, 4),
    ]
    assert (numbers.endings, numbers.working) == ({"discarded": 1, "valid": 2}, 1)


def test_first_time_and_after_repair_are_kept_apart(tmp_path: Path) -> None:
    _, numbers = story(tmp_path)
    environment, valid = numbers.step("seed", "environment"), numbers.step("seed", "valid")

    assert (environment.first_time, environment.after_repair) == (1, 1)
    assert (valid.first_time, valid.after_repair) == (1, 1)
    assert numbers.step("seed", "task").first_time is None


def test_everything_that_fell_out_has_its_reason(tmp_path: Path) -> None:
    _, numbers = story(tmp_path)

    assert [(d.unit, d.id, d.step, d.reason) for d in numbers.drops] == [
        ("skill", "hub/keyed", "account", "a key (SKILL.md:7)"),
        ("skill", "hub/empty", "unreadable", "is empty"),
        ("skill", "hub/c", "context", "no recipe"),
        ("pair", "hub/b + hub/a", "pair", "feeds it; in a shell"),
        ("seed", f"{RUN}/0002-abcd", "discarded", "ended discarded"),
    ]


def test_a_run_that_read_skills_itself_counts_only_those(tmp_path: Path) -> None:
    workspace, before = story(tmp_path)
    read_skill(workspace.journal, "own", run=RUN)

    after = funnel(workspace.journal.read(), RUN)

    assert before.step("skill", "read").count == 5
    assert after.step("skill", "kept").count == 4  # own, and the three asked for a context
    assert after.step("skill", "read").of == 4


def test_another_run_is_not_counted(tmp_path: Path) -> None:
    workspace, before = story(tmp_path)
    tell(workspace, "r2")

    assert funnel(workspace.journal.read(), RUN) == before
    assert funnel(workspace.journal.read()).step("seed", "accepted").count == 8


def test_an_environment_with_mismatches_is_not_built(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    Teller(workspace, 0).built(wrong=True)

    assert funnel(workspace.journal.read(), RUN).step("seed", "environment").count == 0


def test_the_last_ending_of_a_resumed_task_counts(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    teller = Teller(workspace, 0)
    teller.ended("owed")
    teller.written(1)
    teller.ended("valid", 1, first=True)

    numbers = funnel(workspace.journal.read(), RUN)

    assert (numbers.endings, numbers.drops) == ({"valid": 1}, ())


def test_an_unknown_step_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        funnel([]).step("seed", "sold")


KEYS = st.sampled_from(["0000-a", "0001-b", "0002-c"])
SKILLS = st.sampled_from(["hub/a", "hub/b", "hub/c"])
CONTEXT = Context(skill_id="x", situation="", inputs=(), outputs=(), tools=())
DROP = ScreenFinding(rule="r", effect="drop", path="", line=None, excerpt="", reason="why")
OFF = Mismatch(what="file", name="x", planned="", found="")


@st.composite
def events(draw: st.DrawFn) -> Event:
    kind, payload = draw(
        st.one_of(
            st.builds(
                lambda s, keep: (
                    "skill.read",
                    SkillRead(
                        skill_id=s,
                        name=s,
                        description="",
                        digest="",
                        source=SkillSource(),
                        kept=keep,
                        findings=() if keep else (DROP,),
                        blob="",
                    ),
                ),
                SKILLS,
                st.booleans(),
            ),
            st.builds(
                lambda s, some: (
                    "context",
                    ContextsProposed(skill_id=s, contexts=(CONTEXT,) if some else ()),
                ),
                SKILLS,
                st.booleans(),
            ),
            st.builds(
                lambda a, b, keep: (
                    "pair.judged",
                    PairJudged(
                        skill_ids=(a, b),
                        verdict=PairVerdict(keep=keep, complementary="", executable=""),
                    ),
                ),
                SKILLS,
                SKILLS,
                st.booleans(),
            ),
            st.just(
                (
                    "seed",
                    SeedAccepted(number=0, skill_ids=("a", "b"), skill_names=("a", "b"), blob=""),
                )
            ),
            st.builds(
                lambda stage: ("stage.done", StageRecord(stage=stage, key="")),
                st.sampled_from(["axes", "consistency", "verifier"]),
            ),
            st.builds(
                lambda wrong, rounds: (
                    "environment.built",
                    EnvironmentBuilt(
                        environment="",
                        realized=RealizedManifest(files=(), mismatches=(OFF,) if wrong else ()),
                        seconds=0,
                        rounds=rounds,
                    ),
                ),
                st.booleans(),
                st.integers(0, 3),
            ),
            st.just(
                ("task.written", TaskWritten(key="", digest="", name="", title="", artifacts={}))
            ),
            st.builds(
                lambda ending, first: (
                    "task.ended",
                    TaskEnded(key="", ending=ending, reason="", first_time_valid=first),
                ),
                st.sampled_from(["valid", "exhausted", "unexplained", "discarded", "owed"]),
                st.booleans(),
            ),
        )
    )
    return event(kind, payload, draw(st.sampled_from(["", "r1", "r2"])), draw(KEYS))


def event(kind: EventKind, payload: Value, run: str, seed: str) -> Event:
    return Event(id="", at="", kind=kind, run=run, seed=seed, data=payload.to_json())


@given(st.lists(events(), max_size=30), st.sampled_from(["", "r1", "r2"]))
def test_within_a_unit_the_funnel_never_grows(story: list[Event], run: str) -> None:
    numbers = funnel(story, run)

    for unit in ("skill", "pair", "seed"):
        steps = [s for s in numbers.steps if s.unit == unit]
        found = [s.count for s in steps]
        assert found == sorted(found, reverse=True)
        assert all(s.count <= s.of for s in steps)
        assert all(
            s.count == s.first_time + s.after_repair for s in steps if s.first_time is not None
        )
    assert [(s.unit, s.name) for s in numbers.steps] == [(u, n) for u, n, _ in STEPS]
    assert sum(numbers.endings.values()) + numbers.working == numbers.step("seed", "accepted").count
    assert numbers.working >= 0
    assert all(d.reason for d in numbers.drops)
