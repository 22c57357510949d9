"""Ask the embedded author for one whole task in this process: no prompts, no container, no cache.

The author walks in forward order with no slips, so what comes out is a good task; its looks into
the container are answered from the planned bytes. Same pair, same number: same bytes.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from facet.assemble import (
    environment_from,
    instruction_from,
    solution_from,
    task_from,
    verifier_from,
)
from facet.author.provider import OfflineAuthor
from facet.author.recipe import Recipe
from facet.llm.base import Request
from facet.types import asks
from facet.types.asks import Ask, Written
from facet.types.manifest import Manifest, RealFile, RealizedManifest
from facet.types.scenario import Scenario
from facet.types.skill import Context, PairVerdict, Seed, Skill
from facet.types.task import Provenance, Task

HEAD = 600
"""Characters that a probe shows of a file."""


class Caller:
    """Asks the embedded author directly: no prompt, no cache."""

    def __init__(self, slips: float = 0.0) -> None:
        self.author = OfflineAuthor(slips=slips)

    def call(self, ask: Ask[Any]) -> Any:
        """The author's reply, as its type."""
        text = self.author.complete(Request(ask, (), "none")).text
        return type(ask).reply.model_validate_json(text)


@dataclass(frozen=True)
class Walked:
    """Everything one walk made."""

    seed: Seed
    scenario: Scenario
    manifest: Manifest
    realized: RealizedManifest
    instruction: asks.InstructionReply
    solution: asks.SolutionReply
    verifier: asks.VerifierReply

    @property
    def task(self) -> Task:
        """The task it comes to."""
        return task_from(
            self.seed,
            self.scenario,
            instruction_from(self.instruction),
            environment_from(self.manifest),
            solution_from(self.solution),
            verifier_from(self.verifier),
            Provenance(),
        )

    @property
    def bytes(self) -> bytes:
        """All of it, for comparing walks."""
        return self.task.model_dump_json().encode()


def skill_for(recipe: Recipe, side: str) -> Skill:
    """A skill that asks for this recipe in its description."""
    return Skill(
        id=f"tests/{side}-{recipe.name}",
        name=f"{recipe.name}-helper",
        description=f"Use this when you have to {recipe.title}.",
        body=f"It helps to {recipe.title}.",
    )


def context_for(recipe: Recipe, skill: Skill) -> Context:
    """How the skill is put to use."""
    return Context(
        skill_id=skill.id,
        situation=f"somebody has to {recipe.title}",
        inputs=("files",),
        outputs=("files",),
        tools=("python3",),
        capability=recipe.title,
        quote=skill.description,
    )


def seed_for(first: Recipe, second: Recipe, number: int = 0) -> Seed:
    """The pair as a seed."""
    one, other = skill_for(first, "a"), skill_for(second, "b")
    return Seed(
        number=number,
        skills=(one, other),
        contexts=(context_for(first, one), context_for(second, other)),
        verdict=PairVerdict(keep=True, complementary="yes", executable="yes"),
    )


def scenario_for(caller: Caller, seed: Seed, nonce: str) -> Scenario:
    """All of stage 2."""
    analysis = caller.call(
        asks.SkillAnalysisAsk(skills=seed.skills, contexts=seed.contexts, nonce=nonce)
    )
    explored = caller.call(
        asks.ExplorationAsk(
            skills=seed.skills, contexts=seed.contexts, analysis=analysis, nonce=nonce
        )
    )
    chosen = caller.call(
        asks.AssociationAsk(
            contexts=seed.contexts, analysis=analysis, exploration=explored, nonce=nonce
        )
    )
    evolved = caller.call(asks.EvolutionAsk(association=chosen, nonce=nonce))
    facts = caller.call(asks.ExpansionAsk(association=chosen, evolution=evolved, nonce=nonce))
    axes = caller.call(
        asks.AxesAsk(association=chosen, evolution=evolved, expansion=facts, nonce=nonce)
    )
    text = caller.call(
        asks.ScenarioAsk(
            association=chosen, evolution=evolved, expansion=facts, axes=axes, nonce=nonce
        )
    )
    ground = {"association": chosen, "expansion": facts, "axes": axes, "scenario": text.text}
    solution = caller.call(asks.SolutionReferenceAsk(**ground, nonce=nonce))
    instruction = caller.call(
        asks.InstructionReferenceAsk(**ground, solution_reference=solution, nonce=nonce)
    )
    agreed = caller.call(
        asks.ConsistencyAsk(
            solution_reference=solution, instruction_reference=instruction, nonce=nonce
        )
    )
    return Scenario(
        title=chosen.chosen.title,
        theme=chosen.chosen.theme,
        axes=axes,
        text=text.text,
        skill_ids=(seed.skills[0].id, seed.skills[1].id),
        capabilities=chosen.capabilities,
        facts=facts.facts,
        solution_reference=solution,
        instruction_reference=instruction,
        consistency=agreed,
    )


def realized_as_planned(manifest: Manifest) -> RealizedManifest:
    """What a probe would find if everything went as planned."""
    return RealizedManifest(files=tuple(_real(manifest)))


def _real(manifest: Manifest) -> Iterator[RealFile]:
    for file in manifest.files:
        data = file.data or b""
        yield RealFile(
            path=file.path,
            kind=file.kind,
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest() if file.kind == "file" else "",
            mode=file.mode,
            owner=file.owner,
            head=data.decode("utf-8", "replace")[:HEAD],
        )


def walk(first: Recipe, second: Recipe, number: int = 0, slips: float = 0.0) -> Walked:
    """One pair in forward order; looks are answered from the planned bytes."""
    caller = Caller(slips)
    seed = seed_for(first, second, number)
    nonce = f"{number}/{seed.id}"
    scenario = scenario_for(caller, seed, nonce)
    manifest = caller.call(asks.EnvironmentAsk(scenario=scenario, nonce=nonce)).manifest
    realized = realized_as_planned(manifest)

    def ask(kind: Any, written: Written) -> Any:
        given = {"scenario": scenario, "realized": realized, "written": written, "nonce": nonce}
        reply = caller.call(kind(**given))
        if reply.looks:
            looked = tuple(
                asks.Looked(look=look, ok=True, output=_content(manifest, look.arg))
                for look in reply.looks
            )
            reply = caller.call(kind(**given, looked=looked))
        return reply

    instruction = ask(asks.InstructionAsk, Written())
    solution = ask(asks.SolutionAsk, Written(instruction=instruction.text))
    verifier = ask(asks.VerifierAsk, Written(instruction=instruction.text, solution=solution))
    return Walked(seed, scenario, manifest, realized, instruction, solution, verifier)


def _content(manifest: Manifest, path: str) -> str:
    found = next((f for f in manifest.files if f.path == path and f.data is not None), None)
    return (found.data or b"").decode("utf-8", "replace")[:6000] if found else ""
