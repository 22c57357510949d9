"""Scenario module 3: choose a candidate, and which capabilities it uses."""

from facet.llm.client import Caller
from facet.stages.dropped import SeedDropped
from facet.stages.quotes import checked_capabilities
from facet.types.asks import Association, AssociationAsk, Exploration, SkillAnalysis
from facet.types.skill import Seed


def associate(
    caller: Caller,
    seed: Seed,
    analysis: SkillAnalysis,
    exploration: Exploration,
    nonce: str = "",
) -> Association:
    """The chosen scenario. SeedDropped unless it uses a capability of each skill."""
    found = caller.call(
        AssociationAsk(
            contexts=seed.contexts, analysis=analysis, exploration=exploration, nonce=nonce
        )
    )
    capabilities = checked_capabilities(found.capabilities, seed.skills)
    for skill in seed.skills:
        if not any(c.used and c.skill_id == skill.id for c in capabilities):
            raise SeedDropped(f"the chosen scenario uses nothing of {skill.id}")
    return Association(chosen=found.chosen, capabilities=capabilities)
