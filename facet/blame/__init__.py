"""Who is to blame for the gate that decides: rules first, a model for what no rule settles."""

from collections.abc import Callable

from facet.blame.clues import Clues
from facet.blame.rules import RULES
from facet.types.task import Task
from facet.types.verdict import Blame, Judgement

type AskModel = Callable[[Task, Judgement], Blame]


def blame(task: Task, judgement: Judgement, *, ask_model: AskModel | None = None) -> Blame:
    """Blame for the first gate that failed.

    `ask_model` is asked where no rule settles the matter; without it the artifact is None and a
    person decides. Trouble of ours is never blamed: a gate that was not assessed gives no artifact.
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
    if ask_model is not None:
        return ask_model(task, judgement)
    return Blame(artifact=None, rule="no_rule_settles_it", evidence=evidence, gate=gate.name)
