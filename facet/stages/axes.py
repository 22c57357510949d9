"""Stage 2b: goal, context, capability, state, I/O and tools."""

from facet.llm.client import Caller
from facet.types.asks import Association, AxesAsk, Evolution, Expansion
from facet.types.scenario import Axes


def condense(
    caller: Caller,
    association: Association,
    evolution: Evolution,
    expansion: Expansion,
    nonce: str = "",
) -> Axes:
    """The five axes."""
    return caller.call(
        AxesAsk(association=association, evolution=evolution, expansion=expansion, nonce=nonce)
    )
