"""Scenario module 2: which situations need both skills?"""

from facet.llm.client import Caller
from facet.stages.dropped import SeedDropped
from facet.types.asks import Exploration, ExplorationAsk, SkillAnalysis
from facet.types.skill import Seed


def explore(caller: Caller, seed: Seed, analysis: SkillAnalysis, nonce: str = "") -> Exploration:
    """Candidate scenarios. SeedDropped when there is none."""
    found = caller.call(
        ExplorationAsk(skills=seed.skills, contexts=seed.contexts, analysis=analysis, nonce=nonce)
    )
    if not found.candidates:
        raise SeedDropped("exploration found no scenario that needs both skills")
    return found
