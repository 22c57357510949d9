"""Single stages: quotes, references, environment rounds, rewriting one artifact, model blame."""

from typing import Any

import pytest

from facet.assemble import (
    environment_from,
    instruction_from,
    solution_from,
    task_from,
    verifier_from,
)
from facet.errors import BuildError, ReplyError
from facet.stages.blaming import model_blame
from facet.stages.consistency import agree
from facet.stages.contexts import propose_contexts
from facet.stages.dropped import SeedDropped
from facet.stages.environment import build_environment
from facet.stages.quotes import quoted
from facet.stages.references import Ground
from facet.stages.rewrite import Rewriter, evidence, keep, written_of
from facet.stages.skill_analysis import analyse_skills
from facet.types.asks import (
    Ask,
    BlameReply,
    ContextsReply,
    EnvironmentReply,
    InstructionReply,
    Looked,
    NamedScript,
    SkillAnalysis,
    SolutionReply,
)
from facet.types.manifest import Mismatch, RealizedManifest
from facet.types.scenario import Capability, Consistency, ConsistencyItem
from facet.types.task import ARTIFACTS, Artifact, Environment, Provenance, Task
from facet.types.trial import CheckResult, Log, Trial
from facet.types.value import Value
from facet.types.verdict import Blame, Gate, Judgement
from tests.asks import (
    ASSOCIATION,
    AXES,
    CONSISTENCY,
    EXPANSION,
    MANIFEST,
    REALIZED,
    SCENARIO,
    SEED,
    SOLUTION,
    VERIFIER,
    capabilities,
    context,
    reference,
    skill,
)


class Asked:
    """A caller that answers in order and keeps the asks."""

    def __init__(self, *answers: Value | Exception) -> None:
        self.answers = list(answers)
        self.asks: list[Any] = []

    def call[R: Value](self, ask: Ask[R]) -> R:
        self.asks.append(ask)
        answer: Any = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[no-any-return]


def test_a_quote_counts_only_if_the_skill_says_it() -> None:
    one = skill(1, "Always  deduplicate\n on the Key.")
    assert quoted("always deduplicate on the key.", one) == "always deduplicate on the key."
    assert quoted("never deduplicate", one) == ""
    assert quoted("  ", one) == ""


def test_contexts_get_their_skill_and_lose_invented_quotes() -> None:
    made_up = context(1).model_copy(update={"skill_id": "other", "quote": "It sings."})
    reply = propose_contexts(Asked(ContextsReply(contexts=(made_up,) * 5)), skill(1))
    assert {(c.skill_id, c.quote) for c in reply.contexts} == {("demo/skill-1", "")}
    assert len(reply.contexts) == 3


def test_a_skill_without_context_always_has_a_reason() -> None:
    assert propose_contexts(Asked(ContextsReply(contexts=())), skill(1)).not_covered


def test_an_analysis_needs_a_capability_of_each_skill_and_keeps_no_strangers() -> None:
    stranger = Capability(skill_id="demo/skill-9", name="fly", quote="")
    found = analyse_skills(Asked(SkillAnalysis(capabilities=(*capabilities(), stranger))), SEED)
    assert {c.skill_id for c in found.capabilities} == {"demo/skill-1", "demo/skill-2"}
    with pytest.raises(SeedDropped, match="demo/skill-2"):
        analyse_skills(Asked(SkillAnalysis(capabilities=capabilities()[:1])), SEED)


GROUND = Ground(association=ASSOCIATION, expansion=EXPANSION, axes=AXES, scenario="Sum it.")


def off(side: Any) -> Consistency:
    item = ConsistencyItem(side="end", item="the report", agrees=False, why="another path")
    return Consistency(items=(item,), off=side)


def roles(asked: Asked) -> list[str]:
    return [a.role for a in asked.asks]


@pytest.mark.parametrize(
    ("side", "rewritten"),
    [
        ("solution", ["solution_reference"]),
        ("instruction", ["instruction_reference"]),
        ("both", ["solution_reference", "instruction_reference"]),
        ("none", ["instruction_reference"]),
    ],
)
def test_the_reference_that_is_off_is_written_again_and_told_why(
    side: str, rewritten: list[str]
) -> None:
    better = [reference("better") for _ in rewritten]
    asked = Asked(off(side), *better, CONSISTENCY)
    agreed = agree(asked, GROUND, reference(), reference())
    assert roles(asked) == ["consistency", *rewritten, "consistency"]
    assert asked.asks[1].off == ("end: the report (another path)",)
    assert asked.asks[1].attempt == 1
    assert agreed.rewrites == 1


def test_a_check_that_compares_nothing_agrees_with_nothing() -> None:
    empty = Consistency(items=())
    asked = Asked(empty, reference(), empty, reference(), empty)
    with pytest.raises(SeedDropped, match="nothing was compared"):
        agree(asked, GROUND, reference(), reference())


def test_a_planned_item_that_is_not_found_is_the_next_rounds_problem() -> None:
    gap = Mismatch(what="port", name="8080", planned="open", found="closed")
    answers = [REALIZED.model_copy(update={"mismatches": (gap,)}), REALIZED]
    told: list[tuple[int, tuple[str, ...]]] = []
    asked = Asked(EnvironmentReply(manifest=MANIFEST), EnvironmentReply(manifest=MANIFEST))
    built = build_environment(
        asked,
        SCENARIO,
        assemble=environment_from,
        realize=lambda environment: answers.pop(0),
        max_rounds=3,
        failed=lambda number, problems: told.append((number, problems)),
    )
    assert built.rounds == 1
    assert told == [(1, ("port 8080: planned open, found closed",))]
    assert asked.asks[1].previous == MANIFEST
    assert asked.asks[1].attempt == 1


def make_task() -> Task:
    partial = NamedScript(name="half.sh", text="#!/usr/bin/env bash\ntrue\n")
    return task_from(
        SEED,
        SCENARIO,
        instruction_from(InstructionReply(text="Sum it.")),
        environment_from(MANIFEST),
        solution_from(SOLUTION.model_copy(update={"partials": (partial,)})),
        verifier_from(VERIFIER),
        Provenance(),
    )


TASK = make_task()
FAILED = Judgement(
    task_digest=TASK.digest,
    gates=(Gate(name="final_passes", status="failed", evidence="1 check fails"),),
    trials=(
        Trial(
            task_digest=TASK.digest,
            actor="oracle",
            outcome="graded",
            reward=0.0,
            checks=(
                CheckResult(
                    id="out", status="failed", message="wrong sum", expected="12", actual="11"
                ),
            ),
        ),
    ),
)


def blamed(artifact: Artifact | None) -> Blame:
    return Blame(artifact=artifact, rule="example", evidence=("out: wrong sum",))


def rewriter(asked: Asked) -> Rewriter:
    def look(_: object) -> Looked:
        raise AssertionError("nobody asked to look")

    def realized(_: Environment) -> RealizedManifest:
        return REALIZED

    return Rewriter(asked, realized_of=realized, looker_of=lambda e: look, nonce="n")


NEW: dict[Artifact, Value] = {
    "instruction": InstructionReply(text="Sum it well."),
    "solution": SolutionReply(script="#!/usr/bin/env bash\necho new\n"),
    "verifier": VERIFIER.model_copy(
        update={"files": (VERIFIER.files[0].model_copy(update={"path": "test_new.py"}),)}
    ),
    "environment": EnvironmentReply(manifest=MANIFEST.model_copy(update={"workdir": "/srv"})),
}


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_a_rewrite_changes_the_blamed_artifact_and_no_other(artifact: Artifact) -> None:
    asked = Asked(NEW[artifact])
    new = rewriter(asked).rewrite(TASK, blamed(artifact), FAILED, False, 2)
    changed = {a for a in ARTIFACTS if new.digests[a] != TASK.digests[a]}
    assert changed == {artifact}
    (ask,) = asked.asks
    assert ask.role == f"repair/{artifact}"
    assert (ask.nonce, ask.attempt) == ("n", 2)
    assert ask.written == written_of(TASK)
    assert any("expected '12', actual '11'" in line for line in ask.complaint.evidence)


def test_a_rewrite_never_shows_image_ids() -> None:
    asked = Asked(NEW["solution"])
    rewriter(asked).rewrite(TASK, blamed("solution"), FAILED, False, 1)
    assert asked.asks[0].realized.image == ""


def test_a_plan_that_cannot_be_assembled_is_a_build_error() -> None:
    bad = MANIFEST.files[0].model_copy(update={"path": "relative/path"})
    reply = EnvironmentReply(manifest=MANIFEST.model_copy(update={"files": (bad,)}))
    with pytest.raises(BuildError):
        rewriter(Asked(reply)).rewrite(TASK, blamed("environment"), FAILED, False, 1)


def test_blame_without_an_artifact_is_never_rewritten() -> None:
    with pytest.raises(ReplyError):
        rewriter(Asked()).rewrite(TASK, blamed(None), FAILED, False, 1)


def test_what_was_written_comes_back_as_it_was_replied() -> None:
    written = written_of(TASK)
    assert written.instruction == "Sum it.\n"
    assert written.solution is not None
    assert [p.name for p in written.solution.partials] == ["half.sh"]
    assert written.verifier is not None
    assert written.verifier.files == VERIFIER.files
    assert verifier_from(written.verifier) == TASK.verifier


def test_a_verifier_repair_is_told_which_checks_stay() -> None:
    lines = keep(TASK, Blame(artifact="verifier", rule="r", evidence=("another: too strict",)))
    assert any("out" in line and "strict" in line for line in lines)
    assert "the solution stays as shown" in lines


def test_evidence_is_bounded_and_shows_crashes_with_their_output() -> None:
    crash = Trial(
        task_digest=TASK.digest,
        actor="nop",
        outcome="verifier_error",
        detail="no reward",
        verifier_log=Log(text="x" * 9000 + "Traceback: KeyError"),
    )
    noisy = Blame(artifact="verifier", rule="r", evidence=tuple(f"line {i}" for i in range(99)))
    assert len(evidence(noisy, FAILED)) == 40
    lines = evidence(blamed("verifier"), FAILED.model_copy(update={"trials": (crash,)}))
    assert any("KeyError" in line for line in lines)
    assert sum(map(len, lines)) < 10_000


def test_a_models_blame_is_labelled_as_one_and_an_unusable_reply_blames_nobody() -> None:
    reply = BlameReply(artifact="solution", category="solution runtime", reason="line 3")
    found = model_blame(Asked(reply), TASK, FAILED, REALIZED)
    assert (found.artifact, found.by, found.gate) == ("solution", "model", "final_passes")
    assert found.evidence[0] == "line 3"
    nobody = model_blame(Asked(ReplyError("not JSON")), TASK, FAILED, REALIZED)
    assert (nobody.artifact, nobody.by) == (None, "model")
