"""A line without Docker and without a model: answers by role, a bench that only pretends."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Self

from facet.errors import BuildError
from facet.llm.base import Request
from facet.llm.scripted import ScriptedProvider
from facet.types.asks import (
    BlameReply,
    ContextsReply,
    EnvironmentReply,
    Exploration,
    InstructionReply,
    Look,
    Looked,
    ScenarioText,
    SkillAnalysis,
)
from facet.types.manifest import Manifest, PlannedFile, RealFile, RealizedManifest
from facet.types.scenario import Capability
from facet.types.skill import PairVerdict, Skill
from facet.types.task import Environment, Task
from facet.types.trial import CheckResult, Trial
from facet.types.verdict import Gate, Judgement
from tests.asks import (
    ASSOCIATION,
    AXES,
    CANDIDATE,
    CONSISTENCY,
    EVOLUTION,
    EXPANSION,
    SOLUTION,
    VERIFIER,
    context,
    reference,
    skill,
)


def corpus(count: int) -> list[Skill]:
    """Skills with ids demo/skill-1 …, and something to say each."""
    return [skill(n) for n in range(1, count + 1)]


def answer(request: Request) -> Any:
    """A sensible reply to every ask, made of the ask."""
    ask: Any = request.ask
    match request.role:
        case "contexts":
            number = int(ask.skill.id.rpartition("-")[2])
            return ContextsReply(contexts=(context(number),))
        case "pair":
            return PairVerdict(keep=True, complementary="one feeds the other", executable="yes")
        case "skill_analysis":
            return SkillAnalysis(capabilities=_capabilities(ask.contexts))
        case "exploration":
            return Exploration(candidates=(CANDIDATE,))
        case "association":
            return ASSOCIATION.model_copy(update={"capabilities": _capabilities(ask.contexts)})
        case "evolution":
            return EVOLUTION
        case "expansion":
            return EXPANSION
        case "axes":
            return AXES
        case "scenario":
            return ScenarioText(text="Sum the export.")
        case "solution_reference" | "instruction_reference":
            return reference()
        case "consistency":
            return CONSISTENCY
        case "environment" | "repair/environment":
            text = f"a,b\n1,{ask.nonce}\n".encode()
            file = PlannedFile(path="/app/in/1.csv", data=text)
            return EnvironmentReply(manifest=Manifest(files=(file,)))
        case "instruction":
            return InstructionReply(text="Sum it.")
        case "repair/instruction":
            return InstructionReply(text=f"Sum it well ({ask.attempt}).")
        case "solution":
            return SOLUTION
        case "repair/solution":
            return SOLUTION.model_copy(update={"script": SOLUTION.script + f"echo {ask.attempt}\n"})
        case "verifier" | "repair/verifier":
            return VERIFIER
        case "blame":
            return BlameReply(artifact="solution", category="solution runtime", reason="it is")
    raise AssertionError(request.role)


def _capabilities(contexts: Any) -> tuple[Capability, ...]:
    return tuple(
        Capability(skill_id=c.skill_id, name=c.capability, quote=c.quote) for c in contexts
    )


def provider(**by_role: Callable[[Request], Any]) -> ScriptedProvider:
    """The answers above, with some roles answered otherwise ("repair_solution" for a slash)."""
    other = {k.replace("repair_", "repair/"): v for k, v in by_role.items()}
    return ScriptedProvider(lambda request: other.get(request.role, answer)(request))


def roles(asked: ScriptedProvider) -> Counter[str]:
    """How often each role was asked."""
    return Counter(r.role for r in asked.requests)


def judgement(task: Task, *, failed: str = "", status: str = "failed") -> Judgement:
    """All gates passed, or one with this status and the rest not reached."""
    names = ("loads", "builds", "manifest_realized", "verifier_runs", "initial_fails")
    names = (*names, "solution_runs", "final_passes")
    gates = []
    for place, name in enumerate(names):
        state = "passed"
        if failed:
            here = names.index(failed)
            state = "passed" if place < here else status if place == here else "not_reached"
        gates.append(Gate.model_validate({"name": name, "status": state, "evidence": name}))
    check = CheckResult(id="out", status="passed")
    nop = CheckResult(id="out", status="failed", message="no report")
    trials = (
        Trial(task_digest=task.digest, actor="nop", outcome="graded", reward=0, checks=(nop,)),
        Trial(task_digest=task.digest, actor="oracle", outcome="graded", reward=1, checks=(check,)),
    )
    return Judgement(task_digest=task.digest, gates=tuple(gates), trials=trials)


class FakeWorkshop:
    """Benches that hold what was planned and judge by a function."""

    def __init__(
        self,
        judge: Callable[[Task], Judgement] = judgement,
        build: Callable[[Environment], None] = lambda environment: None,
    ) -> None:
        self.judge = judge
        self.build = build
        self.judged: list[str] = []
        self.realized: list[str] = []
        self.looks: list[Look] = []
        self.open_benches = 0
        self.lock = threading.Lock()

    def check(self) -> None:
        """Always there."""

    def open(self, run: str) -> "FakeBench":
        with self.lock:
            self.open_benches += 1
        return FakeBench(self)


class FakeBench:
    def __init__(self, shop: FakeWorkshop) -> None:
        self.shop = shop

    def realize(self, environment: Environment) -> RealizedManifest:
        self.shop.build(environment)
        self.shop.realized.append(environment.value_digest())
        manifest = environment.manifest
        assert manifest is not None
        return RealizedManifest(
            files=tuple(RealFile(path=f.path, kind=f.kind, size=1) for f in manifest.files)
        )

    def look(self, environment: Environment, look: Look) -> Looked:
        self.shop.looks.append(look)
        return Looked(look=look, ok=True, output="seen")

    def judge(self, task: Task) -> Judgement:
        self.shop.judged.append(task.digest)
        return self.shop.judge(task)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self.shop.lock:
            self.shop.open_benches -= 1


def no_build(environment: Environment) -> None:
    """A build that always fails by the plan's fault."""
    raise BuildError("COPY failed", log="no such file", line="COPY a b")
