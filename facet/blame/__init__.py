"""Who is to blame for the gate that decides: rules first, a model for what no rule settles."""

from collections.abc import Callable

from facet.blame.clues import Clues
from facet.blame.rules import RULES
from facet.types.asks import BlameReply
from facet.types.task import Task
from facet.types.verdict import Blame, Gate, Judgement

type AskModel = Callable[[Task, Gate, tuple[str, ...]], BlameReply | None]


def blame(task: Task, judgement: Judgement, *, ask: AskModel | None = None) -> Blame:
    """Blame for the first gate that failed.

    `ask` gets task, gate and evidence where no rule settles the matter; without it, or when it
    answers None, the artifact is None and a person decides. Infrastructure is never blamed: a gate
    that was not assessed gives no artifact.
    """
    gate = judgement.deciding
    if gate is None or gate.status != "failed":
        return Blame(artifact=None, rule="nothing_failed", gate=gate.name if gate else None)
    clues = Clues(task, judgement, gate)
    for rule in RULES:
        if gate.name not in rule.gates:
            continue
        found = rule.find(clues)
        artifact = (found.artifact or rule.artifact) if found else None
        if found and artifact:
            return Blame(
                artifact=artifact,
                category=found.category or rule.category,
                rule=rule.name,
                evidence=tuple(line[:1000] for line in found.evidence),
                gate=gate.name,
            )
    evidence = (gate.evidence, *gate.details[:10])
    reply = ask(task, gate, evidence) if ask else None
    if reply is None:
        return Blame(artifact=None, rule="no_rule_settles_it", evidence=evidence, gate=gate.name)
    return Blame(
        artifact=reply.artifact,
        category=reply.category,
        rule="model",
        by="model",
        evidence=(*evidence, reply.reason[:1000]),
        gate=gate.name,
    )
