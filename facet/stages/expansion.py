"""Scenario module 5: every name, path, volume and limit the artifacts must agree on."""

from facet.llm.client import Caller
from facet.types.asks import Association, Evolution, Expansion, ExpansionAsk


def expand(
    caller: Caller, association: Association, evolution: Evolution, nonce: str = ""
) -> Expansion:
    """The concrete facts."""
    return caller.call(ExpansionAsk(association=association, evolution=evolution, nonce=nonce))
