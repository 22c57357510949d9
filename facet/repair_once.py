"""One repair round on a person's word: one artifact rewritten, weakening refused, judged again.

Unlike the loop of `facet.repair` it starts from a task that may have passed every gate. Everything
else is as there: one artifact by type, no rewrite that makes the verifier easier to satisfy.
"""

from facet.artifact_diff import artifact_diff
from facet.errors import BuildError, EngineError, ReplyError
from facet.repair import Judge, Observer, Rewrite, named_checks, refusal
from facet.types.task import Artifact, Task
from facet.types.value import Value
from facet.types.verdict import Blame, Judgement, Round
from facet.weakening import revived


class Mended(Value):
    """What one round gave; `task` and `judgement` are the old ones when it was refused."""

    task: Task
    judgement: Judgement
    round: Round

    @property
    def taken(self) -> bool:
        """Was the rewrite taken?"""
        return not self.round.refused


def finding(artifact: Artifact, note: str) -> Blame:
    """A person's word: this artifact is wrong, and why."""
    return Blame(artifact=artifact, rule="person", by="person", evidence=(note,))


def mend_once(
    task: Task,
    complaint: Blame,
    before: Judgement,
    judge: Judge,
    rewrite: Rewrite,
    *,
    number: int,
    observe: Observer | None = None,
) -> Mended:
    """Rewrite the blamed artifact once; `before` is what is known of the task, `number` the round.

    Raises ModelUnavailable, BudgetExceeded, and EngineError when the new task cannot be judged:
    then nothing is taken.
    """
    artifact = complaint.artifact
    assert artifact is not None
    assert artifact != "scenario"
    told = observe or Observer()
    told.blamed(task, complaint, number)

    def ended(new: Task, judgement: Judgement, refused: str = "") -> Mended:
        done = Round(
            number=number,
            blame=complaint,
            before=task.digest,
            after=new.digest,
            refused=refused,
            diff=artifact_diff(task, new, artifact),
        )
        told.rewritten(new, done)
        if not refused:
            told.judged(new, judgement, number)
        return Mended(task=new, judgement=judgement, round=done)

    try:
        reply = rewrite(task, complaint, before, False)
    except (ReplyError, BuildError) as error:
        return ended(task, before, str(error))
    new = task.replace(artifact, getattr(reply, artifact))
    if reason := refusal(task, new, named_checks(complaint, before)):
        return ended(task, before, reason)
    after = judge(new)
    gate = after.deciding
    if gate is not None and gate.status != "failed":
        raise EngineError(f"the new task cannot be judged: {gate.name} {gate.evidence}")
    if reason := "; ".join(revived(before, after)):
        return ended(task, before, reason)
    return ended(new, after)
