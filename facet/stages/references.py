"""Stage 2d: the work described by its two ends, as solved and as asked for."""

from facet.llm.client import Caller
from facet.types.asks import (
    Association,
    Expansion,
    InstructionReferenceAsk,
    SolutionReferenceAsk,
)
from facet.types.scenario import Axes, Reference
from facet.types.value import Value


class Ground(Value):
    """What both references are written from."""

    association: Association
    expansion: Expansion
    axes: Axes
    scenario: str


def solution_reference(
    caller: Caller,
    ground: Ground,
    off: tuple[str, ...] = (),
    nonce: str = "",
    attempt: int = 0,
) -> Reference:
    """First reference: from which state to which the work leads."""
    return caller.call(
        SolutionReferenceAsk(
            association=ground.association,
            expansion=ground.expansion,
            axes=ground.axes,
            scenario=ground.scenario,
            off=off,
            nonce=nonce,
            attempt=attempt,
        )
    )


def instruction_reference(
    caller: Caller,
    ground: Ground,
    solution: Reference,
    off: tuple[str, ...] = (),
    nonce: str = "",
    attempt: int = 0,
) -> Reference:
    """Second reference: what is asked, between the same two states."""
    return caller.call(
        InstructionReferenceAsk(
            association=ground.association,
            expansion=ground.expansion,
            axes=ground.axes,
            scenario=ground.scenario,
            solution_reference=solution,
            off=off,
            nonce=nonce,
            attempt=attempt,
        )
    )
