"""The scenario: what both skills meant, fused into one piece of work (paper, stage 2)."""

from typing import Literal

from facet.types.value import Value


class Capability(Value):
    """Something a skill can do, with the span of the skill it comes from."""

    skill_id: str
    name: str
    quote: str  # verbatim from the skill; "" if none was found (never made up)
    used: bool = True
    why: str = ""  # why used or dropped


class Axes(Value):
    """The five axes of the paper; each one or two sentences."""

    goal: str
    context: str
    capability: str
    state: str
    io_tools: str


class Fact(Value):
    """A concrete choice the scenario fixes (a path, a name, a volume)."""

    name: str
    value: str


class Reference(Value):
    """A description of work by its two ends; used for solution and instruction references."""

    text: str
    initial_state: tuple[str, ...]  # one observable item each
    end_state: tuple[str, ...]  # one observable item each


class ConsistencyItem(Value):
    """One compared item of the two references."""

    side: Literal["initial", "end"]
    item: str
    agrees: bool
    why: str = ""


class Consistency(Value):
    """Do solution reference and instruction reference assume the same two states?"""

    items: tuple[ConsistencyItem, ...]
    off: Literal["none", "solution", "instruction", "both"] = "none"

    @property
    def agrees(self) -> bool:
        """True when there is something to compare and all of it agrees."""
        return bool(self.items) and all(i.agrees for i in self.items)


class Scenario(Value):
    """The whole of stage 2: what the task is about, before any file exists."""

    title: str
    theme: str
    axes: Axes
    text: str
    skill_ids: tuple[str, str]
    capabilities: tuple[Capability, ...]
    facts: tuple[Fact, ...] = ()
    solution_reference: Reference
    instruction_reference: Reference
    consistency: Consistency
