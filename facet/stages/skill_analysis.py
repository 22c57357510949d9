"""Scenario module 1: what both skills can do, with the span that says so."""

from facet.llm.client import Caller
from facet.stages.dropped import SeedDropped
from facet.stages.quotes import checked_capabilities
from facet.types.asks import SkillAnalysis, SkillAnalysisAsk
from facet.types.skill import Seed


def analyse_skills(caller: Caller, seed: Seed, nonce: str = "") -> SkillAnalysis:
    """Capabilities of both skills. SeedDropped when one skill has none."""
    ask = SkillAnalysisAsk(skills=seed.skills, contexts=seed.contexts, nonce=nonce)
    found = checked_capabilities(caller.call(ask).capabilities, seed.skills)
    for skill in seed.skills:
        if not any(c.skill_id == skill.id for c in found):
            raise SeedDropped(f"skill analysis found no capability of {skill.id}")
    return SkillAnalysis(capabilities=found)
