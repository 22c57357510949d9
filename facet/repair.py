"""The core loop: judge, blame, rewrite one artifact, judge again.

`judge`, `blame` and `rewrite` come in as arguments, so the loop is tested with neither Docker nor
a model. Only the blamed artifact of a rewrite is ever taken. An environment rewrite rebuilds the
container inside `rewrite`, costs one round here, and every gate is asked again.
"""

from collections.abc import Callable, Collection
from typing import Protocol

from facet.artifact_diff import artifact_diff
from facet.errors import BudgetExceeded, BuildError, EngineError, ModelUnavailable, ReplyError
from facet.types.task import Task
from facet.types.value import Value
from facet.types.verdict import Blame, Ending, Judgement, Round
from facet.weakening import revived, weakened

STOOD_BY = "writer_stands_by_it"
OTHER_SIDE = "other_side_stands_by_it"
STANDS_BY = {
    "solution": (("instruction", STOOD_BY), ("verifier", OTHER_SIDE)),
    "verifier": (("instruction", STOOD_BY), ("solution", OTHER_SIDE)),
}
"""Whom to turn to, in this order, when a writer returns its artifact unchanged twice."""

type Judge = Callable[[Task], Judgement]
type Blamer = Callable[[Task, Judgement], Blame]


class Rewrite(Protocol):
    """Returns the task with the blamed artifact rewritten; `repeated` demands another patch.

    The blame's evidence ends with the reason of a refusal, if the last rewrite was refused.
    """

    def __call__(self, task: Task, blame: Blame, judgement: Judgement, repeated: bool) -> Task: ...


class Observer:
    """Told what happens while it happens; override what you need."""

    def judged(self, task: Task, judgement: Judgement, round: int) -> None:
        """A task was judged; `round` 0 is as first written."""

    def blamed(self, task: Task, blame: Blame, round: int) -> None:
        """An artifact was blamed; `round` is the one about to start, from 1."""

    def rewritten(self, task: Task, round: Round) -> None:
        """A round ended; `task` is what the loop goes on with."""


class RepairResult(Value):
    """How it ended, with everything it rests on."""

    task: Task
    ending: Ending
    reason: str
    rounds: tuple[Round, ...] = ()
    judgements: tuple[Judgement, ...] = ()

    @property
    def refused(self) -> int:
        """Rounds whose rewrite was not taken."""
        return sum(bool(r.refused) for r in self.rounds)


def repair(
    task: Task,
    judge: Judge,
    rewrite: Rewrite,
    max_rounds: int,
    *,
    blame: Blamer,
    observe: Observer | None = None,
) -> RepairResult:
    """Judge and rewrite until the task is valid, or until there is a reason to stop."""
    past = _Past(observe or Observer())
    judgement = past.judged(task, judge(task))
    while (gate := judgement.deciding) is not None:
        if gate.status != "failed":
            return past.end(task, "owed", f"{gate.name} was {gate.status}: {gate.evidence}")
        if len(past.rounds) >= max_rounds:
            return past.end(task, "exhausted", f"{max_rounds} rounds used; {gate.evidence}")
        complaint = past.settle(blame(task, judgement))
        if complaint.artifact is None:
            return past.end(task, "unexplained", f"{complaint.rule}: {gate.evidence}")
        if complaint.artifact == "scenario":
            return past.end(task, "discarded", f"{complaint.rule}: {gate.evidence}")
        if past.times(complaint) >= 2:
            return past.end(task, "unexplained", f"{complaint.rule} came back: {gate.evidence}")
        past.blamed(task, complaint)
        try:
            reply = rewrite(task, past.told(complaint), judgement, past.times(complaint) > 1)
        except (ModelUnavailable, BudgetExceeded, EngineError) as error:
            return past.end(task, "owed", str(error))
        except (ReplyError, BuildError) as error:
            past.refuse(task, complaint, str(error))
            continue
        new = task.replace(complaint.artifact, getattr(reply, complaint.artifact))
        if reason := refusal(task, new, named_checks(complaint, judgement)):
            past.refuse(task, complaint, reason, unchanged=new.digest == task.digest)
            continue
        after = judge(new)
        if reason := "; ".join(revived(judgement, after)):
            past.refuse(task, complaint, reason)
            continue
        past.take(task, new, complaint)
        task, judgement = new, past.judged(new, after)
    return past.end(task, "valid", "every gate passed")


def named_checks(blame: Blame, judgement: Judgement) -> frozenset[str]:
    """Checks the blame's evidence speaks of: they may change in manner."""
    ids = {c.id for t in judgement.trials for c in t.checks}
    return frozenset(id for id in ids if any(_mentions(line, id) for line in blame.evidence))


def _mentions(line: str, id: str) -> bool:
    words = line.replace(",", " ").replace("|", " ").split()
    return id in words or f"{id}:" in words


def refusal(task: Task, new: Task, named: Collection[str]) -> str:
    """Why a rewrite is not taken before anything runs; "" when it is."""
    if new.digest == task.digest:
        return "the rewrite changes nothing"
    return "; ".join(weakened(task, new, named))


class _Past:
    """What has happened so far: rounds, complaints and refusals."""

    def __init__(self, observe: Observer) -> None:
        self.observe = observe
        self.rounds: list[Round] = []
        self.judgements: list[Judgement] = []
        self.complaints: dict[str, int] = {}
        self.unchanged: dict[str, int] = {}
        self.refusal = ""
        self.turned: set[str] = set()

    def judged(self, task: Task, judgement: Judgement) -> Judgement:
        self.judgements.append(judgement)
        self.observe.judged(task, judgement, len(self.rounds))
        return judgement

    def settle(self, blame: Blame) -> Blame:
        """The blame, unless its writer returned the artifact unchanged twice.

        A solution or verifier that is stood by so firmly may be right. The instruction is then
        blamed, once; if the dispute goes on, the other of the two, once. What still does not move
        is for a person.
        """
        if self.unchanged.get(str(blame.artifact), 0) < 2:
            return blame
        for artifact, rule in STANDS_BY.get(str(blame.artifact), ()):
            if rule == OTHER_SIDE and blame.gate != "final_passes":
                continue
            if rule not in self.turned and self.unchanged.get(artifact, 0) < 2:
                self.turned.add(rule)
                update = {"artifact": artifact, "rule": rule, "category": "contract mismatch"}
                return blame.model_copy(update=update)
        return blame.model_copy(update={"artifact": None, "rule": "nothing_moves"})

    def times(self, blame: Blame) -> int:
        return self.complaints.get(blame.signature, 0)

    def blamed(self, task: Task, blame: Blame) -> None:
        self.complaints[blame.signature] = self.times(blame) + 1
        self.observe.blamed(task, blame, len(self.rounds) + 1)

    def told(self, blame: Blame) -> Blame:
        """The complaint as its writer sees it: with why the last rewrite was refused."""
        if not self.refusal:
            return blame
        line = f"the last rewrite was refused: {self.refusal}"
        return blame.model_copy(update={"evidence": (*blame.evidence, line)})

    def refuse(self, task: Task, blame: Blame, reason: str, *, unchanged: bool = False) -> None:
        self.refusal = reason
        if unchanged:
            self.unchanged[str(blame.artifact)] = self.unchanged.get(str(blame.artifact), 0) + 1
        self._round(task, task, blame, refused=reason)

    def take(self, before: Task, after: Task, blame: Blame) -> None:
        self.refusal = ""
        self.unchanged.clear()
        if blame.rule == STOOD_BY:  # the others read a new instruction: old complaints count anew
            self.complaints.clear()
        self._round(before, after, blame)

    def _round(self, before: Task, after: Task, blame: Blame, refused: str = "") -> None:
        artifact = blame.artifact
        assert artifact is not None
        assert artifact != "scenario"
        done = Round(
            number=len(self.rounds) + 1,
            blame=blame,
            before=before.digest,
            after=after.digest,
            refused=refused,
            diff=artifact_diff(before, after, artifact),
        )
        self.rounds.append(done)
        self.observe.rewritten(after, done)

    def end(self, task: Task, ending: Ending, reason: str) -> RepairResult:
        return RepairResult(
            task=task,
            ending=ending,
            reason=reason,
            rounds=tuple(self.rounds),
            judgements=tuple(self.judgements),
        )
