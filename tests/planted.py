"""The planted defects of the tasks written by hand, with their one gate."""

from dataclasses import dataclass

from facet.selftest.tuned_by_hand import tuned_by_hand
from facet.types.task import Artifact, Task
from facet.types.verdict import Category, GateName


@dataclass(frozen=True)
class Defect:
    """One planted defect: the changed task and what must be said of it."""

    name: str
    task: Task
    artifact: Artifact
    category: Category
    gate: GateName


def defects() -> tuple[Defect, ...]:
    """All of them."""
    return tuple(Defect(d.id, d.task, d.artifact, d.category, d.gates[0]) for d in tuned_by_hand())
