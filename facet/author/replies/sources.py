"""Stage 1: contexts of a skill, and the judgement of a pair."""

from facet.author.dice import Dice
from facet.author.matching import Call, calls, why_not
from facet.author.recipe import Recipe
from facet.author.recipes import fits, recipe
from facet.types.asks import ContextsAsk, ContextsReply, PairAsk
from facet.types.skill import Context, PairVerdict, Skill

MAX_CONTEXTS = 3


def contexts(ask: ContextsAsk) -> ContextsReply:
    """One context per recipe the skill calls for, at most three."""
    found = calls(ask.skill)[:MAX_CONTEXTS]
    if not found:
        return ContextsReply(contexts=(), not_covered=why_not(ask.skill))
    return ContextsReply(contexts=tuple(_context(ask.skill, call) for call in found))


def _context(skill: Skill, call: Call) -> Context:
    known = call.recipe
    inputs = [known.source_title] if known.source else []
    outputs = [known.sink_title] if known.sink else []
    name = skill.name.strip() or skill.id.rpartition("/")[2]
    wording = Dice("context", skill.digest, known.name).pick(
        (
            "Someone who keeps records uses '{}' to {} and hand the result on.",
            "A small office relies on '{}' when it has to {}.",
            "With '{}' at hand, an operator has to {} on a Linux machine.",
        )
    )
    return Context(
        skill_id=skill.id,
        situation=wording.format(name[:60], known.title),
        inputs=tuple(inputs) or ("a clean table of records",),
        outputs=tuple(outputs) or ("a clean table of records",),
        tools=known.tools,
        state="files of an untidy export" if known.source else "a clean table",
        capability=known.title,
        quote=call.quote,
    )


def pair(ask: PairAsk) -> PairVerdict:
    """Keep a pair whose first product the second can use."""
    one, other = (recipe(c.capability) for c in ask.contexts)
    if one is None or other is None:
        unknown = ask.contexts[0 if one is None else 1].capability
        return _dropped(f"no recipe does '{unknown}'", "cannot be told")
    if ask.skills[0].id == ask.skills[1].id:
        return _dropped("both contexts come from one skill", "yes")
    reason = fits(one, other)
    if not reason and one.family == other.family:
        reason = f"both are about {one.family}: nothing new is asked of the second"
    if reason:
        return _dropped(reason, "yes")
    return PairVerdict(
        keep=True,
        complementary=f"the first can {one.source_title}; the second can {other.sink_title}, "
        "and needs what the first makes",
        executable="yes: files and services on one machine; needs " + ", ".join(_tools(one, other)),
    )


def _tools(one: Recipe, other: Recipe) -> list[str]:
    return sorted({*one.tools, *other.tools})


def _dropped(complementary: str, executable: str) -> PairVerdict:
    return PairVerdict(keep=False, complementary=complementary, executable=executable)
