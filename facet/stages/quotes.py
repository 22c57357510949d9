"""Quotes are checked, not believed: what does not stand in the skill is emptied."""

import re

from facet.types.scenario import Capability
from facet.types.skill import Context, Skill

_SPACE = re.compile(r"\s+")


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip().lower()


def quoted(quote: str, skill: Skill) -> str:
    """The quote if it stands in the skill (spaces and case aside), else ""."""
    wanted = _flat(quote)
    if not wanted:
        return ""
    parts = (skill.description, skill.body, *(f.text or "" for f in skill.files))
    return quote if any(wanted in _flat(part) for part in parts) else ""


def checked_contexts(contexts: tuple[Context, ...], skill: Skill) -> tuple[Context, ...]:
    """Contexts under this skill's id, with quotes that stand in it."""
    return tuple(
        c.model_copy(update={"skill_id": skill.id, "quote": quoted(c.quote, skill)})
        for c in contexts
    )


def checked_capabilities(
    capabilities: tuple[Capability, ...], skills: tuple[Skill, Skill]
) -> tuple[Capability, ...]:
    """Capabilities of these two skills only, with quotes that stand in their skill."""
    by_id = {s.id: s for s in skills}
    return tuple(
        c.model_copy(update={"quote": quoted(c.quote, by_id[c.skill_id])})
        for c in capabilities
        if c.skill_id in by_id
    )
