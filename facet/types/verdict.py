"""Gates, blame, rounds: what was found about a task, and what was done about it."""

from typing import Literal

from facet.types.task import Artifact
from facet.types.trial import Trial
from facet.types.value import Value

GateName = Literal[
    "loads",
    "builds",
    "manifest_realized",
    "verifier_runs",
    "initial_fails",
    "solution_runs",
    "final_passes",
    "partials_fail",
    "contract_agrees",
    "stable",
    "sealed",
    "mutants_die",
    "intent_kept",
]
GateStatus = Literal["passed", "failed", "not_reached", "not_applicable", "not_assessed"]
Category = Literal[
    "contract mismatch",
    "solution runtime",
    "over-constrained verifier",
    "fixture, schema or path grounding",
    "infrastructure, build or dependency",
    "weak verifier",
]
Ending = Literal["valid", "exhausted", "unexplained", "discarded", "owed"]


class Gate(Value):
    """One gate's answer with its evidence."""

    name: GateName
    status: GateStatus
    evidence: str = ""  # one line
    details: tuple[str, ...] = ()  # checks, paths, lines behind it


class Judgement(Value):
    """All gates of one task digest, with the trials they rest on."""

    task_digest: str
    gates: tuple[Gate, ...]
    trials: tuple[Trial, ...] = ()

    @property
    def valid(self) -> bool:
        """Every gate passed or does not apply, and at least one passed."""
        return any(g.status == "passed" for g in self.gates) and all(
            g.status in ("passed", "not_applicable") for g in self.gates
        )

    @property
    def deciding(self) -> Gate | None:
        """The first gate that neither passed nor is not applicable; None when valid."""
        return next((g for g in self.gates if g.status not in ("passed", "not_applicable")), None)

    def gate(self, name: GateName) -> Gate | None:
        """The gate of this name, if it was in the list."""
        return next((g for g in self.gates if g.name == name), None)

    def trial(self, actor: str, label: str = "") -> Trial | None:
        """The first trial of this actor (and label, if given)."""
        return next(
            (t for t in self.trials if t.actor == actor and (not label or t.label == label)), None
        )


class Blame(Value):
    """Which artifact is wrong, by which rule, on what evidence."""

    artifact: Artifact | Literal["scenario"] | None  # None: nobody knows, a person decides
    category: Category | None = None
    rule: str  # name of the rule, or "model", or "person"
    by: Literal["rule", "model", "person"] = "rule"
    evidence: tuple[str, ...] = ()
    gate: GateName | None = None

    @property
    def signature(self) -> str:
        """Equal for the same complaint: the second time demands another patch."""
        return "|".join([str(self.artifact), self.rule, str(self.gate), *self.evidence[:3]])


class Round(Value):
    """One repair: what was blamed, what was rewritten, and whether it was taken."""

    number: int  # from 1
    blame: Blame
    before: str  # task digest
    after: str  # task digest; equal to before when the rewrite was refused
    refused: str = ""  # why the rewrite was refused, e.g. it weakened the verifier
    diff: str = ""  # unified diff of the artifact, bounded
