"""What was found about one defect or good task, and the figures over many. Pure."""

from collections.abc import Iterable, Sequence
from typing import Literal

from facet.selftest.defect import Defect
from facet.types.value import Value
from facet.types.verdict import Blame, Judgement

LEAST_VERDICTS = 0.98
"""Share of right verdicts below which the self-test fails."""
LEAST_ARTIFACTS = 0.95
"""Share of right artifacts below which the self-test fails."""

type Right = Literal["verdict", "artifact", "category"]


class Mark(Value):
    """One planted defect: what was expected, what was found."""

    id: str
    kind: str
    base: str
    held_out: bool
    expected_gates: tuple[str, ...]
    expected_artifact: str
    expected_category: str
    gate: str = ""  # the gate that failed first; "" when none did
    status: str = ""  # of that gate; "valid" when every gate passed
    artifact: str = ""  # blamed
    category: str = ""
    rule: str = ""
    evidence: str = ""  # of the gate, one line
    seconds: float = 0.0

    @property
    def verdict(self) -> bool:
        """Found invalid, by a gate that looks for this kind of thing."""
        return self.status == "failed" and self.gate in self.expected_gates

    @property
    def right(self) -> dict[Right, bool]:
        """Which of the three answers are right."""
        return {
            "verdict": self.verdict,
            "artifact": self.status == "failed" and self.artifact == self.expected_artifact,
            "category": self.status == "failed" and self.category == self.expected_category,
        }


class GoodMark(Value):
    """One good task: any objection is a false alarm."""

    name: str
    status: str  # "valid", "failed" or "not_assessed"
    gate: str = ""
    evidence: str = ""
    seconds: float = 0.0


class Tally(Value):
    """Counts over some marks."""

    name: str
    count: int
    verdict: int
    artifact: int
    category: int
    seconds: float

    def share(self, of: Right) -> float | None:
        """Share of right answers; None without any defect."""
        return getattr(self, of) / self.count if self.count else None


class Report(Value):
    """All marks of one run."""

    marks: tuple[Mark, ...]
    good: tuple[GoodMark, ...]

    @property
    def whole(self) -> Tally:
        """Over all defects."""
        return tally("all", self.marks)

    @property
    def tuned(self) -> Tally:
        """Over the defects that rules may be tuned on."""
        return tally("tuned", (m for m in self.marks if not m.held_out))

    @property
    def held_out(self) -> Tally:
        """Over the defects that no rule was tuned on."""
        return tally("held out", (m for m in self.marks if m.held_out))

    @property
    def kinds(self) -> tuple[Tally, ...]:
        """One per kind, by name."""
        names = sorted({m.kind for m in self.marks})
        return tuple(tally(n, (m for m in self.marks if m.kind == n)) for n in names)

    @property
    def alarms(self) -> tuple[GoodMark, ...]:
        """Good tasks that were not found valid."""
        return tuple(g for g in self.good if g.status != "valid")

    @property
    def passed(self) -> bool:
        """Enough verdicts and artifacts right, and no good task objected to."""
        verdicts, artifacts = self.whole.share("verdict"), self.whole.share("artifact")
        enough = verdicts is None or (
            artifacts is not None and verdicts >= LEAST_VERDICTS and artifacts >= LEAST_ARTIFACTS
        )
        return enough and not self.alarms and bool(self.marks or self.good)


def tally(name: str, marks: Iterable[Mark]) -> Tally:
    """Count the right answers."""
    some: Sequence[Mark] = tuple(marks)
    return Tally(
        name=name,
        count=len(some),
        verdict=sum(m.right["verdict"] for m in some),
        artifact=sum(m.right["artifact"] for m in some),
        category=sum(m.right["category"] for m in some),
        seconds=sum(m.seconds for m in some),
    )


def mark(defect: Defect, judgement: Judgement, said: Blame, seconds: float) -> Mark:
    """Hold a judgement and its blame against what was planted."""
    gate = judgement.deciding
    return Mark(
        id=defect.id,
        kind=defect.kind,
        base=defect.base,
        held_out=defect.held_out,
        expected_gates=defect.gates,
        expected_artifact=defect.artifact,
        expected_category=defect.category,
        gate=gate.name if gate else "",
        status=gate.status if gate else "valid",
        artifact=said.artifact or "",
        category=said.category or "",
        rule=said.rule,
        evidence=gate.evidence if gate else "",
        seconds=seconds,
    )


def good_mark(name: str, judgement: Judgement, seconds: float) -> GoodMark:
    """A good task's answer."""
    gate = judgement.deciding
    if gate is None:
        return GoodMark(name=name, status="valid", seconds=seconds)
    return GoodMark(
        name=name, status=gate.status, gate=gate.name, evidence=gate.evidence, seconds=seconds
    )
