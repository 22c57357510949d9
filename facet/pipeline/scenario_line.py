"""Stage 2 in order: five modules, five axes, one text, two references that agree."""

from facet.llm.client import Caller
from facet.pipeline.stage_cache import StageCache
from facet.stages.association import associate
from facet.stages.axes import condense
from facet.stages.consistency import References, agree
from facet.stages.evolution import evolve
from facet.stages.expansion import expand
from facet.stages.exploration import explore
from facet.stages.references import Ground, instruction_reference, solution_reference
from facet.stages.scenario import fuse
from facet.stages.skill_analysis import analyse_skills
from facet.types.asks import (
    Association,
    Evolution,
    Expansion,
    Exploration,
    ScenarioText,
    SkillAnalysis,
)
from facet.types.scenario import Axes, Reference, Scenario
from facet.types.skill import Seed


def make_scenario(seed: Seed, caller: Caller, stages: StageCache, nonce: str) -> Scenario:
    """The scenario of a seed, stage by stage. SeedDropped with the reason, or a ModelError."""
    analysis = stages.do(
        "skill_analysis", [seed], SkillAnalysis, lambda: analyse_skills(caller, seed, nonce)
    )
    found = stages.do(
        "exploration",
        [seed, analysis],
        Exploration,
        lambda: explore(caller, seed, analysis, nonce),
    )
    chosen = stages.do(
        "association",
        [seed, analysis, found],
        Association,
        lambda: associate(caller, seed, analysis, found, nonce),
    )
    evolution = stages.do("evolution", [chosen], Evolution, lambda: evolve(caller, chosen, nonce))
    expansion = stages.do(
        "expansion",
        [chosen, evolution],
        Expansion,
        lambda: expand(caller, chosen, evolution, nonce),
    )
    axes = stages.do(
        "axes",
        [chosen, evolution, expansion],
        Axes,
        lambda: condense(caller, chosen, evolution, expansion, nonce),
    )
    text = stages.do(
        "scenario",
        [chosen, evolution, expansion, axes],
        ScenarioText,
        lambda: fuse(caller, chosen, evolution, expansion, axes, nonce),
    ).text
    ground = Ground(association=chosen, expansion=expansion, axes=axes, scenario=text)
    solution = stages.do(
        "solution_reference",
        [ground],
        Reference,
        lambda: solution_reference(caller, ground, nonce=nonce),
    )
    instruction = stages.do(
        "instruction_reference",
        [ground, solution],
        Reference,
        lambda: instruction_reference(caller, ground, solution, nonce=nonce),
    )
    agreed = stages.do(
        "consistency",
        [ground, solution, instruction],
        References,
        lambda: agree(caller, ground, solution, instruction, nonce),
    )
    return Scenario(
        title=chosen.chosen.title,
        theme=chosen.chosen.theme,
        axes=axes,
        text=text,
        skill_ids=(seed.skills[0].id, seed.skills[1].id),
        capabilities=chosen.capabilities,
        facts=expansion.facts,
        solution_reference=agreed.solution,
        instruction_reference=agreed.instruction,
        consistency=agreed.consistency,
    )
