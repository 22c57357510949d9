"""Stage 2e: both references must assume the same two states, or the seed is dropped.

The reference that is off is written again, at most twice. The verdict rests on the compared items:
a check that compares nothing agrees with nothing.
"""

from facet.llm.client import Caller
from facet.stages.dropped import SeedDropped
from facet.stages.references import Ground, instruction_reference, solution_reference
from facet.types.asks import ConsistencyAsk
from facet.types.scenario import Consistency, Reference
from facet.types.value import Value

MAX_REWRITES = 2


class References(Value):
    """Two references that agree, and the check that says so."""

    solution: Reference
    instruction: Reference
    consistency: Consistency
    rewrites: int = 0


def agree(
    caller: Caller,
    ground: Ground,
    solution: Reference,
    instruction: Reference,
    nonce: str = "",
    max_rewrites: int = MAX_REWRITES,
) -> References:
    """References that agree. SeedDropped names the items that still do not."""
    for attempt in range(max_rewrites + 1):
        found = caller.call(
            ConsistencyAsk(
                solution_reference=solution,
                instruction_reference=instruction,
                nonce=nonce,
                attempt=attempt,
            )
        )
        if found.agrees:
            return References(
                solution=solution, instruction=instruction, consistency=found, rewrites=attempt
            )
        off = tuple(f"{i.side}: {i.item} ({i.why})" for i in found.items if not i.agrees)
        if attempt == max_rewrites:
            break
        if found.off in ("solution", "both"):
            solution = solution_reference(caller, ground, off, nonce, attempt + 1)
        if found.off != "solution":
            instruction = instruction_reference(caller, ground, solution, off, nonce, attempt + 1)
    shown = "; ".join(off[:3]) or "nothing was compared"
    raise SeedDropped(f"the references still disagree after {max_rewrites} rewrites: {shown}")
