"""Scenario module 4: order, intermediate states, failure and recovery."""

from facet.llm.client import Caller
from facet.types.asks import Association, Evolution, EvolutionAsk


def evolve(caller: Caller, association: Association, nonce: str = "") -> Evolution:
    """How the work unfolds."""
    return caller.call(EvolutionAsk(association=association, nonce=nonce))
