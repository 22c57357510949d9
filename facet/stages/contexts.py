"""Stage 1a: where would this skill be used?"""

from facet.llm.client import Caller
from facet.stages.quotes import checked_contexts
from facet.types.asks import ContextsAsk, ContextsReply
from facet.types.skill import Skill

MAX_CONTEXTS = 3


def propose_contexts(caller: Caller, skill: Skill, nonce: str = "") -> ContextsReply:
    """At most three contexts of a skill; none with the reason in `not_covered`."""
    reply = caller.call(ContextsAsk(skill=skill, nonce=nonce))
    contexts = checked_contexts(reply.contexts[:MAX_CONTEXTS], skill)
    reason = reply.not_covered or ("" if contexts else "no context was proposed")
    return ContextsReply(contexts=contexts, not_covered="" if contexts else reason)
