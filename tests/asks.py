"""One example of every Ask, for tests of prompts, clients and providers."""

from typing import Any

from facet.types.asks import (
    ASKS,
    Ask,
    Association,
    Candidate,
    Complaint,
    Evolution,
    Expansion,
    Exploration,
    Look,
    Looked,
    SkillAnalysis,
    SolutionReply,
    TestFile,
    VerifierReply,
    Written,
)
from facet.types.manifest import Manifest, PlannedFile, RealFile, RealizedManifest
from facet.types.scenario import (
    Axes,
    Capability,
    Consistency,
    ConsistencyItem,
    Fact,
    Reference,
    Scenario,
)
from facet.types.skill import Context, PairVerdict, Seed, Skill
from facet.types.verdict import Blame


def skill(number: int = 1, body: str = "") -> Skill:
    return Skill(
        id=f"demo/skill-{number}",
        name=f"skill-{number}",
        description=f"Does thing {number} with tables.",
        body=body or f"# Skill {number}\nAlways do thing {number} by key.\n",
        digest=f"sha256:{number:064d}",
    )


def context(number: int = 1, capability: str = "") -> Context:
    return Context(
        skill_id=f"demo/skill-{number}",
        situation=f"An operator has export {number} and needs a report.",
        inputs=(f"/app/in/{number}.csv",),
        outputs=(f"/app/out/{number}.json",),
        tools=("python3",),
        capability=capability or f"do thing {number}",
        quote=f"Always do thing {number} by key.",
    )


def capabilities() -> tuple[Capability, ...]:
    return tuple(
        Capability(skill_id=f"demo/skill-{n}", name=f"do thing {n}", quote=f"thing {n} by key")
        for n in (1, 2)
    )


def reference(text: str = "Sum the rows.") -> Reference:
    return Reference(
        text=text, initial_state=("/app/in/1.csv exists",), end_state=("/app/out/1.json exists",)
    )


CANDIDATE = Candidate(title="Sum the export", theme="billing", sketch="A clerk sums an export.")
ASSOCIATION = Association(chosen=CANDIDATE, capabilities=capabilities())
EVOLUTION = Evolution(steps=("read", "sum"), intermediate_states=("rows",), failures=("bad row",))
EXPANSION = Expansion(facts=(Fact(name="output", value="/app/out/1.json"),))
AXES = Axes(goal="g", context="c", capability="k", state="s", io_tools="i")
CONSISTENCY = Consistency(
    items=(ConsistencyItem(side="end", item="/app/out/1.json exists", agrees=True),)
)
SCENARIO = Scenario(
    title="Sum the export",
    theme="billing",
    axes=AXES,
    text="Sum the export.",
    skill_ids=("demo/skill-1", "demo/skill-2"),
    capabilities=capabilities(),
    facts=EXPANSION.facts,
    solution_reference=reference(),
    instruction_reference=reference(),
    consistency=CONSISTENCY,
)
MANIFEST = Manifest(files=(PlannedFile(path="/app/in/1.csv", data=b"a,b\n1,2\n"),))
REALIZED = RealizedManifest(
    files=(RealFile(path="/app/in/1.csv", kind="file", size=8, head="a,b\n1,2\n"),),
    image="sha256:1",
    architecture="amd64",
)
SOLUTION = SolutionReply(script="#!/usr/bin/env bash\nset -euo pipefail\nmkdir -p /app/out\n")
TEST = """import pytest
from pathlib import Path


@pytest.mark.check(id="out", title="the report is there", weight=1, guard=False)
def test_out():
    assert Path("/app/out/1.json").is_file(), "no report"
"""
VERIFIER = VerifierReply(files=(TestFile(path="test_state.py", text=TEST),))
WRITTEN = Written(instruction="Sum it.", solution=SOLUTION, verifier=VERIFIER)
LOOKED = (Looked(look=Look(kind="list", arg="/app"), ok=True, output="in\n"),)
BLAME = Blame(artifact="verifier", rule="example", evidence=("out: expected 1",))
COMPLAINT = Complaint(blame=BLAME, evidence=("out: expected 1, actual 2",), keep=("a",), note="n")
SEED = Seed(
    number=0,
    skills=(skill(1), skill(2)),
    contexts=(context(1), context(2)),
    verdict=PairVerdict(keep=True, complementary="yes", executable="yes"),
)

VALUES: dict[str, Any] = {
    "skill": skill(1),
    "skills": SEED.skills,
    "contexts": SEED.contexts,
    "analysis": SkillAnalysis(capabilities=capabilities()),
    "exploration": Exploration(candidates=(CANDIDATE,)),
    "association": ASSOCIATION,
    "evolution": EVOLUTION,
    "expansion": EXPANSION,
    "axes": AXES,
    "scenario": SCENARIO,
    "off": ("an item",),
    "solution_reference": reference(),
    "instruction_reference": reference(),
    "previous": MANIFEST,
    "problems": ("no such file",),
    "realized": REALIZED,
    "written": WRITTEN,
    "looked": LOOKED,
    "complaint": COMPLAINT,
    "gate": "final_passes",
    "evidence": ("out failed",),
}


def example(kind: type[Ask[Any]], **changes: Any) -> Ask[Any]:
    """An Ask of this kind with every field filled."""
    fields = {n: VALUES[n] for n in kind.model_fields if n not in ("nonce", "attempt")}
    if fields.get("scenario") is not None and kind.model_fields["scenario"].annotation is str:
        fields["scenario"] = "Sum the export."
    return kind(**{**fields, **changes})


EXAMPLES: tuple[Ask[Any], ...] = tuple(example(kind) for kind in ASKS)
