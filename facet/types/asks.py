"""Every model call: what it shows (an Ask) and what must come back (its reply type).

An Ask is all that a provider sees. Its fields are the variables of `prompts/<role>.md.j2`; the
embedded author reads the same fields. What a stage does not show cannot be known there.
`nonce` and `attempt` are not rendered: they make two otherwise equal calls distinct and seed the
embedded author.
"""

from typing import ClassVar, Literal

from facet.types.ask import Ask as Ask
from facet.types.manifest import Manifest, RealizedManifest
from facet.types.scenario import Axes, Capability, Consistency, Fact, Reference, Scenario
from facet.types.skill import Context, PairVerdict, Skill
from facet.types.task import Artifact
from facet.types.value import Value
from facet.types.verdict import Blame, Category

# ---- stage 1: sources ---------------------------------------------------------------------


class ContextsReply(Value):
    """Application contexts of one skill; empty when it does not fit a terminal."""

    contexts: tuple[Context, ...]
    not_covered: str = ""  # why there is none


class ContextsAsk(Ask[ContextsReply]):
    """Where would this skill be used?"""

    role: ClassVar[str] = "contexts"
    reply: ClassVar[type[Value]] = ContextsReply
    skill: Skill


class PairAsk(Ask[PairVerdict]):
    """Do these two contexts complement each other, in a terminal, offline?"""

    role: ClassVar[str] = "pair"
    reply: ClassVar[type[Value]] = PairVerdict
    skills: tuple[Skill, Skill]
    contexts: tuple[Context, Context]


# ---- stage 2: scenario, five modules ------------------------------------------------------


class SkillAnalysis(Value):
    """Required capabilities of both skills, each with its quoted span."""

    capabilities: tuple[Capability, ...]


class SkillAnalysisAsk(Ask[SkillAnalysis]):
    """Module 1: what can these skills do, and where do they say so?"""

    role: ClassVar[str] = "skill_analysis"
    reply: ClassVar[type[Value]] = SkillAnalysis
    skills: tuple[Skill, Skill]
    contexts: tuple[Context, Context]


class Candidate(Value):
    """One possible scenario in a few sentences."""

    title: str
    theme: str
    sketch: str


class Exploration(Value):
    """Several candidates."""

    candidates: tuple[Candidate, ...]


class ExplorationAsk(Ask[Exploration]):
    """Module 2: which situations need both?"""

    role: ClassVar[str] = "exploration"
    reply: ClassVar[type[Value]] = Exploration
    skills: tuple[Skill, Skill]
    contexts: tuple[Context, Context]
    analysis: SkillAnalysis


class Association(Value):
    """The chosen candidate and which capabilities it uses or drops, and why."""

    chosen: Candidate
    capabilities: tuple[Capability, ...]


class AssociationAsk(Ask[Association]):
    """Module 3: choose, and say which parts of each skill are used."""

    role: ClassVar[str] = "association"
    reply: ClassVar[type[Value]] = Association
    contexts: tuple[Context, Context]
    analysis: SkillAnalysis
    exploration: Exploration


class Evolution(Value):
    """How the work unfolds."""

    steps: tuple[str, ...]  # in order
    intermediate_states: tuple[str, ...]
    failures: tuple[str, ...]  # what goes wrong, and how one recovers


class EvolutionAsk(Ask[Evolution]):
    """Module 4: order, dependencies, intermediate states, failure and recovery."""

    role: ClassVar[str] = "evolution"
    reply: ClassVar[type[Value]] = Evolution
    association: Association


class Expansion(Value):
    """Concrete data: names, volumes, paths, constraints."""

    facts: tuple[Fact, ...]


class ExpansionAsk(Ask[Expansion]):
    """Module 5: make it concrete."""

    role: ClassVar[str] = "expansion"
    reply: ClassVar[type[Value]] = Expansion
    association: Association
    evolution: Evolution


class AxesAsk(Ask[Axes]):
    """Goal, context, capability, state, I/O and tools."""

    role: ClassVar[str] = "axes"
    reply: ClassVar[type[Value]] = Axes
    association: Association
    evolution: Evolution
    expansion: Expansion


class ScenarioText(Value):
    """The fused, full natural-language scenario."""

    text: str


class ScenarioAsk(Ask[ScenarioText]):
    """Fuse the axes into one scenario."""

    role: ClassVar[str] = "scenario"
    reply: ClassVar[type[Value]] = ScenarioText
    association: Association
    evolution: Evolution
    expansion: Expansion
    axes: Axes


class SolutionReferenceAsk(Ask[Reference]):
    """First reference: how the work is done, from which state to which."""

    role: ClassVar[str] = "solution_reference"
    reply: ClassVar[type[Value]] = Reference
    association: Association
    expansion: Expansion
    axes: Axes
    scenario: str
    off: tuple[str, ...] = ()  # items the consistency check found off last time


class InstructionReferenceAsk(Ask[Reference]):
    """Second reference: what is asked, between the same two states."""

    role: ClassVar[str] = "instruction_reference"
    reply: ClassVar[type[Value]] = Reference
    association: Association
    expansion: Expansion
    axes: Axes
    scenario: str
    solution_reference: Reference
    off: tuple[str, ...] = ()


class ConsistencyAsk(Ask[Consistency]):
    """Same initial state, same observable end state, item by item?"""

    role: ClassVar[str] = "consistency"
    reply: ClassVar[type[Value]] = Consistency
    solution_reference: Reference
    instruction_reference: Reference


# ---- stage 3: artifacts -------------------------------------------------------------------


class Look(Value):
    """A wish to see something in the realized container before writing."""

    kind: Literal["list", "read", "search", "run"]
    arg: str  # folder, file, pattern, or a read-only command


class Looked(Value):
    """What a look showed; third-party text."""

    look: Look
    ok: bool
    output: str  # bounded; says at its end how much was cut


class NamedScript(Value):
    """A further script of the solution."""

    name: str  # file name, e.g. "skips-dedup.sh"
    text: str


class TestFile(Value):
    """A file of the verifier."""

    __test__: ClassVar[bool] = False  # not a pytest class
    path: str
    text: str


class EnvironmentReply(Value):
    """The plan of the environment."""

    manifest: Manifest | None = None
    looks: tuple[Look, ...] = ()


class InstructionReply(Value):
    """The instruction, or looks first."""

    text: str = ""
    looks: tuple[Look, ...] = ()


class SolutionReply(Value):
    """solve.sh with partials and alternatives, or looks first."""

    script: str = ""
    partials: tuple[NamedScript, ...] = ()
    alternatives: tuple[NamedScript, ...] = ()
    looks: tuple[Look, ...] = ()


class VerifierReply(Value):
    """Test files (pytest; test.sh is ours), or looks first."""

    files: tuple[TestFile, ...] = ()
    looks: tuple[Look, ...] = ()


class EnvironmentAsk(Ask[EnvironmentReply]):
    """Plan the environment; after a failed round `previous` and `problems` say why."""

    role: ClassVar[str] = "environment"
    reply: ClassVar[type[Value]] = EnvironmentReply
    scenario: Scenario
    previous: Manifest | None = None
    problems: tuple[str, ...] = ()


class Written(Value):
    """The artifacts already written and shown; None = not shown to this call."""

    instruction: str | None = None
    solution: SolutionReply | None = None
    verifier: VerifierReply | None = None


class InstructionAsk(Ask[InstructionReply]):
    """Write the instruction against the realized state."""

    role: ClassVar[str] = "instruction"
    reply: ClassVar[type[Value]] = InstructionReply
    scenario: Scenario
    realized: RealizedManifest
    written: Written = Written()
    looked: tuple[Looked, ...] = ()


class SolutionAsk(Ask[SolutionReply]):
    """Write solve.sh, partials and alternatives."""

    role: ClassVar[str] = "solution"
    reply: ClassVar[type[Value]] = SolutionReply
    scenario: Scenario
    realized: RealizedManifest
    written: Written = Written()
    looked: tuple[Looked, ...] = ()


class VerifierAsk(Ask[VerifierReply]):
    """Write the tests; behaviour over commands."""

    role: ClassVar[str] = "verifier"
    reply: ClassVar[type[Value]] = VerifierReply
    scenario: Scenario
    realized: RealizedManifest
    written: Written = Written()
    looked: tuple[Looked, ...] = ()


class Complaint(Value):
    """Why one artifact must be rewritten, and what must not change."""

    blame: Blame
    evidence: tuple[str, ...]  # failing checks with expected and actual, tracebacks, state diff
    keep: tuple[str, ...] = ()  # what must not change
    repeated: bool = False  # the same signature came back: another patch is demanded
    note: str = ""  # a person's finding


class RepairInstructionAsk(InstructionAsk):
    """Rewrite only the instruction."""

    role: ClassVar[str] = "repair/instruction"
    complaint: Complaint


class RepairSolutionAsk(SolutionAsk):
    """Rewrite only the solution."""

    role: ClassVar[str] = "repair/solution"
    complaint: Complaint


class RepairVerifierAsk(VerifierAsk):
    """Rewrite only the verifier; it may not become weaker."""

    role: ClassVar[str] = "repair/verifier"
    complaint: Complaint


class RepairEnvironmentAsk(Ask[EnvironmentReply]):
    """Rewrite only the environment's plan."""

    role: ClassVar[str] = "repair/environment"
    reply: ClassVar[type[Value]] = EnvironmentReply
    scenario: Scenario
    realized: RealizedManifest | None
    previous: Manifest
    written: Written
    complaint: Complaint


class BlameReply(Value):
    """A model's answer where no rule settles the matter."""

    artifact: Artifact | Literal["scenario"] | None
    category: Category | None
    reason: str


class BlameAsk(Ask[BlameReply]):
    """Which artifact stands against the other three?"""

    role: ClassVar[str] = "blame"
    reply: ClassVar[type[Value]] = BlameReply
    scenario: Scenario | None
    realized: RealizedManifest | None
    written: Written
    gate: str
    evidence: tuple[str, ...]


ASKS: tuple[type[Ask], ...] = (  # type: ignore[type-arg]
    ContextsAsk,
    PairAsk,
    SkillAnalysisAsk,
    ExplorationAsk,
    AssociationAsk,
    EvolutionAsk,
    ExpansionAsk,
    AxesAsk,
    ScenarioAsk,
    SolutionReferenceAsk,
    InstructionReferenceAsk,
    ConsistencyAsk,
    EnvironmentAsk,
    InstructionAsk,
    SolutionAsk,
    VerifierAsk,
    RepairInstructionAsk,
    RepairSolutionAsk,
    RepairVerifierAsk,
    RepairEnvironmentAsk,
    BlameAsk,
)
