"""Stage 3b: the reference solution with its partials and alternatives."""

from facet.llm.client import Caller
from facet.stages.looking import Looker, write_after_looking
from facet.types.asks import Looked, SolutionAsk, SolutionReply, Written
from facet.types.manifest import RealizedManifest
from facet.types.scenario import Scenario


def write_solution(
    caller: Caller,
    scenario: Scenario,
    realized: RealizedManifest,
    written: Written,
    looker: Looker,
    nonce: str = "",
) -> SolutionReply:
    """The solution; `written` is what of the other artifacts may be seen."""

    def ask(looked: tuple[Looked, ...]) -> SolutionAsk:
        return SolutionAsk(
            scenario=scenario,
            realized=realized.for_prompt(),
            written=written,
            looked=looked,
            nonce=nonce,
        )

    return write_after_looking(
        caller, ask, lambda r: bool(r.script.strip()), lambda r: r.looks, looker
    )
