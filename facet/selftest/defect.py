"""A planted defect: one artifact of one good task is changed, and what must be said of it."""

from collections.abc import Callable
from dataclasses import dataclass

from facet.gates import SYNTHESIS
from facet.selftest.good import good_task
from facet.types.task import Artifact, Task
from facet.types.verdict import Category, GateName

type Plant = Callable[[Task], Task]

BUILD: Category = "infrastructure, build or dependency"
GROUND: Category = "fixture, schema or path grounding"
CONTRACT: Category = "contract mismatch"
RUNTIME: Category = "solution runtime"
STRICT: Category = "over-constrained verifier"
WEAK: Category = "weak verifier"


@dataclass(frozen=True)
class Defect:
    """One planted defect. `plant` is pure and changes `artifact` and nothing else."""

    base: str  # name of the good task
    slug: str  # what is wrong, in a few words
    kind: str
    artifact: Artifact  # what was changed: must be blamed
    category: Category
    gates: tuple[GateName, ...]  # one of these must be the first that fails
    plant: Plant
    held_out: bool = False  # written without any rule being tuned on it

    @property
    def id(self) -> str:
        """Unique, for people: `base: what is wrong`."""
        return f"{self.base}: {self.slug}"

    @property
    def task(self) -> Task:
        """The good task with the defect planted."""
        return self.plant(good_task(self.base))

    @property
    def beyond(self) -> tuple[GateName, ...]:
        """Gates it needs beyond those of synthesis."""
        return tuple(g for g in self.gates if g not in SYNTHESIS)
