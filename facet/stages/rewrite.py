"""Stage 3d: rewrite the one artifact that was blamed.

Fulfils the repair loop's `Rewrite`: the answer is the task with exactly that artifact replaced.
"""

from collections.abc import Callable

from facet.assemble import (
    environment_from,
    instruction_from,
    solution_from,
    verifier_from,
)
from facet.errors import ReplyError
from facet.llm.client import Caller
from facet.stages.looking import Looker, write_after_looking
from facet.types.asks import (
    Complaint,
    NamedScript,
    RepairEnvironmentAsk,
    RepairInstructionAsk,
    RepairSolutionAsk,
    RepairVerifierAsk,
    SolutionReply,
    TestFile,
    VerifierReply,
    Written,
)
from facet.types.manifest import RealizedManifest
from facet.types.scenario import Scenario
from facet.types.task import (
    ARTIFACTS,
    Environment,
    Instruction,
    Solution,
    Task,
    TextFile,
    Verifier,
)
from facet.types.trial import CheckResult, Trial
from facet.types.verdict import Blame, Judgement

MAX_EVIDENCE = 40  # lines
LINE = 600  # characters of a line
LOG_TAIL = 1500


class Rewriter:
    """Rewrites of one task. `realized_of` and `looker_of` answer for an environment's container."""

    def __init__(
        self,
        caller: Caller,
        *,
        realized_of: Callable[[Environment], RealizedManifest | None],
        looker_of: Callable[[Environment], Looker],
        nonce: str = "",
        note: str = "",
    ) -> None:
        self._caller = caller
        self._realized_of = realized_of
        self._looker_of = looker_of
        self._nonce = nonce
        self._note = note

    def rewrite(
        self, task: Task, blame: Blame, judgement: Judgement, repeated: bool, number: int
    ) -> Task:
        """The task with the blamed artifact rewritten; `number` counts rewrites of a task from 1.

        Raises ReplyError, ModelUnavailable, BudgetExceeded, BuildError (a plan nobody can build).
        """
        if task.scenario is None:
            raise ReplyError("a task without its scenario cannot be rewritten")
        complaint = Complaint(
            blame=blame,
            evidence=evidence(blame, judgement),
            keep=keep(task, blame),
            repeated=repeated,
            note=self._note,
        )
        match blame.artifact:
            case "instruction":
                return task.replace("instruction", self._instruction(task, complaint, number))
            case "solution":
                return task.replace("solution", self._solution(task, complaint, number))
            case "verifier":
                return task.replace("verifier", self._verifier(task, complaint, number))
            case "environment":
                return task.replace("environment", self._environment(task, complaint, number))
        raise ReplyError(f"{blame.artifact or 'nothing'} cannot be rewritten")

    def _seen(self, task: Task) -> RealizedManifest:
        realized = self._realized_of(task.environment)
        return (realized or RealizedManifest(files=())).for_prompt()

    def _instruction(self, task: Task, complaint: Complaint, number: int) -> Instruction:
        reply = write_after_looking(
            self._caller,
            lambda looked: RepairInstructionAsk(
                scenario=_scenario(task),
                realized=self._seen(task),
                written=written_of(task),
                looked=looked,
                complaint=complaint,
                nonce=self._nonce,
                attempt=number,
            ),
            lambda r: bool(r.text.strip()),
            lambda r: r.looks,
            self._looker_of(task.environment),
        )
        return instruction_from(reply)

    def _solution(self, task: Task, complaint: Complaint, number: int) -> Solution:
        reply = write_after_looking(
            self._caller,
            lambda looked: RepairSolutionAsk(
                scenario=_scenario(task),
                realized=self._seen(task),
                written=written_of(task),
                looked=looked,
                complaint=complaint,
                nonce=self._nonce,
                attempt=number,
            ),
            lambda r: bool(r.script.strip()),
            lambda r: r.looks,
            self._looker_of(task.environment),
        )
        return solution_from(reply)

    def _verifier(self, task: Task, complaint: Complaint, number: int) -> Verifier:
        reply = write_after_looking(
            self._caller,
            lambda looked: RepairVerifierAsk(
                scenario=_scenario(task),
                realized=self._seen(task),
                written=written_of(task),
                looked=looked,
                complaint=complaint,
                nonce=self._nonce,
                attempt=number,
            ),
            lambda r: bool(r.files),
            lambda r: r.looks,
            self._looker_of(task.environment),
        )
        return verifier_from(reply)

    def _environment(self, task: Task, complaint: Complaint, number: int) -> Environment:
        manifest = task.environment.manifest
        if manifest is None:
            raise ReplyError("an environment without its plan cannot be rewritten")
        realized = self._realized_of(task.environment)
        reply = self._caller.call(
            RepairEnvironmentAsk(
                scenario=_scenario(task),
                realized=realized.for_prompt() if realized else None,
                previous=manifest,
                written=written_of(task),
                complaint=complaint,
                nonce=self._nonce,
                attempt=number,
            )
        )
        if reply.manifest is None:
            raise ReplyError("the reply holds no manifest")
        return environment_from(reply.manifest)


def written_of(task: Task) -> Written:
    """The three written artifacts as replies, to show them."""
    return Written(
        instruction=task.instruction.text,
        solution=SolutionReply(
            script=task.solution.script,
            partials=_scripts(task.solution.partials),
            alternatives=_scripts(task.solution.alternatives),
        ),
        verifier=VerifierReply(
            files=tuple(
                TestFile(path=f.path, text=f.text)
                for f in task.verifier.files.files
                if f.path.endswith(".py")
            )
        ),
    )


def keep(task: Task, blame: Blame) -> tuple[str, ...]:
    """What a rewrite must leave as it is."""
    others = [a for a in ARTIFACTS if a != blame.artifact]
    lines = [f"the {a} stays as shown" for a in others]
    if blame.artifact == "verifier":
        ids = [c.id for c in task.verifier.checks if not any(c.id in e for e in blame.evidence)]
        lines.append("these checks stay as strict as they are: " + ", ".join(ids))
    return tuple(lines)


def evidence(blame: Blame, judgement: Judgement) -> tuple[str, ...]:
    """The blame's lines, the deciding gate, failing checks and log tails of its trials; bounded."""
    lines = list(blame.evidence)
    gate = judgement.deciding
    if gate is not None:
        lines += [f"gate {gate.name} failed: {gate.evidence}", *gate.details]
    lines = [line[:LINE] for line in lines]
    for trial in judgement.trials:
        lines += _of_trial(trial)
    return tuple(list(dict.fromkeys(lines))[:MAX_EVIDENCE])


def _of_trial(trial: Trial) -> list[str]:
    who = f"{trial.actor} {trial.label}".strip()
    if trial.actor == "nop" and trial.outcome == "graded":
        return []
    lines = [] if trial.outcome == "graded" else [f"{who}: {trial.outcome}: {trial.detail}"]
    if trial.actor == "oracle":
        lines += [f"{who}: {_of_check(c)}" for c in trial.failing]
        if trial.actor_exit:
            lines.append(f"{who}: solve.sh exit {trial.actor_exit}: {_tail(trial.actor_log.text)}")
    if trial.outcome in ("verifier_error", "verifier_timeout"):
        lines.append(f"{who}: end of the verifier's output: {_tail(trial.verifier_log.text)}")
    return lines


def _of_check(check: CheckResult) -> str:
    parts = [f"{check.id} {check.status}: {check.message[:300]}"]
    if check.expected or check.actual:
        parts.append(f"expected {check.expected[:120]!r}, actual {check.actual[:120]!r}")
    return " ".join(parts)


def _tail(text: str) -> str:
    return text.strip()[-LOG_TAIL:]


def _scripts(files: tuple[TextFile, ...]) -> tuple[NamedScript, ...]:
    return tuple(NamedScript(name=f.path.rpartition("/")[2], text=f.text) for f in files)


def _scenario(task: Task) -> Scenario:
    assert task.scenario is not None
    return task.scenario
