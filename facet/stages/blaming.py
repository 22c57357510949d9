"""Blame by a model, only where no rule settles it; its answer is labelled as a model's."""

from facet.errors import ReplyError
from facet.llm.client import Caller
from facet.stages.rewrite import evidence, written_of
from facet.types.asks import BlameAsk
from facet.types.manifest import RealizedManifest
from facet.types.task import Task
from facet.types.verdict import Blame, Judgement


def model_blame(
    caller: Caller,
    task: Task,
    judgement: Judgement,
    realized: RealizedManifest | None,
    nonce: str = "",
) -> Blame:
    """Who stands against the other three; nobody when the reply cannot be used.

    Raises ModelUnavailable, BudgetExceeded.
    """
    gate = judgement.deciding
    name = gate.name if gate else None
    nobody = Blame(artifact=None, rule="model", by="model", gate=name)
    lines = evidence(nobody, judgement)
    try:
        reply = caller.call(
            BlameAsk(
                scenario=task.scenario,
                realized=realized.for_prompt() if realized else None,
                written=written_of(task),
                gate=name or "",
                evidence=lines,
                nonce=nonce,
            )
        )
    except ReplyError as error:
        return nobody.model_copy(update={"evidence": (str(error)[:500], *lines[:5])})
    return nobody.model_copy(
        update={
            "artifact": reply.artifact,
            "category": reply.category,
            "evidence": (reply.reason[:500], *lines[:5]),
        }
    )
