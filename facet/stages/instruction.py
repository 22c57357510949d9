"""Stage 3b: the instruction, written against the realized state."""

from facet.llm.client import Caller
from facet.stages.looking import Looker, write_after_looking
from facet.types.asks import InstructionAsk, InstructionReply, Looked, Written
from facet.types.manifest import RealizedManifest
from facet.types.scenario import Scenario


def write_instruction(
    caller: Caller,
    scenario: Scenario,
    realized: RealizedManifest,
    written: Written,
    looker: Looker,
    nonce: str = "",
) -> InstructionReply:
    """The instruction; `written` is what of the other artifacts may be seen."""

    def ask(looked: tuple[Looked, ...]) -> InstructionAsk:
        return InstructionAsk(
            scenario=scenario,
            realized=realized.for_prompt(),
            written=written,
            looked=looked,
            nonce=nonce,
        )

    return write_after_looking(
        caller, ask, lambda r: bool(r.text.strip()), lambda r: r.looks, looker
    )
