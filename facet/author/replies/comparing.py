"""Stage 2: do two references assume the same two states?"""

from typing import Literal

from facet.types.asks import ConsistencyAsk
from facet.types.scenario import Consistency, ConsistencyItem


def consistency(ask: ConsistencyAsk) -> Consistency:
    """Item by item; an item that only one side has does not agree."""
    one, other = ask.solution_reference, ask.instruction_reference
    items: list[ConsistencyItem] = []
    extra = {"solution": 0, "instruction": 0}
    sides: tuple[tuple[Literal["initial", "end"], tuple[str, ...], tuple[str, ...]], ...] = (
        ("initial", one.initial_state, other.initial_state),
        ("end", one.end_state, other.end_state),
    )
    for side, ours, theirs in sides:
        for item in dict.fromkeys((*ours, *theirs)):
            both = item in ours and item in theirs
            alone = "solution" if item in ours else "instruction"
            if not both:
                extra[alone] += 1
            items.append(
                ConsistencyItem(
                    side=side,
                    item=item,
                    agrees=both,
                    why="" if both else f"only the {alone} reference says so",
                )
            )
    off: Literal["none", "solution", "instruction", "both"] = "none"
    if any(extra.values()):
        off = _odd_one(one.end_state, other.end_state)
    return Consistency(items=tuple(items), off=off)


def _odd_one(
    ours: tuple[str, ...], theirs: tuple[str, ...]
) -> Literal["none", "solution", "instruction", "both"]:
    """The side that moves the material, which nobody asked for; both where that is not clear."""
    keeps = "the material is unchanged"
    if keeps in ours and keeps not in theirs:
        return "instruction"
    if keeps in theirs and keeps not in ours:
        return "solution"
    return "both"
