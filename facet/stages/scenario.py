"""Stage 2c: the axes fused into one natural-language scenario."""

from facet.llm.client import Caller
from facet.stages.dropped import SeedDropped
from facet.types.asks import Association, Evolution, Expansion, ScenarioAsk, ScenarioText
from facet.types.scenario import Axes


def fuse(
    caller: Caller,
    association: Association,
    evolution: Evolution,
    expansion: Expansion,
    axes: Axes,
    nonce: str = "",
) -> ScenarioText:
    """The full scenario text. SeedDropped when it is empty."""
    found = caller.call(
        ScenarioAsk(
            association=association,
            evolution=evolution,
            expansion=expansion,
            axes=axes,
            nonce=nonce,
        )
    )
    if not found.text.strip():
        raise SeedDropped("the scenario is empty")
    return found
