"""Blame by a model, only where no rule settles it; its answer is labelled as a model's."""

from facet.llm.client import Caller
from facet.stages.rewrite import written_of
from facet.types.asks import BlameAsk, BlameReply
from facet.types.manifest import RealizedManifest
from facet.types.task import Task
from facet.types.verdict import Gate


def model_blame(
    caller: Caller,
    task: Task,
    gate: Gate,
    evidence: tuple[str, ...],
    realized: RealizedManifest | None,
    nonce: str = "",
) -> BlameReply:
    """Who stands against the other three. Raises ModelError."""
    return caller.call(
        BlameAsk(
            scenario=task.scenario,
            realized=realized.for_prompt() if realized else None,
            written=written_of(task),
            gate=gate.name,
            evidence=evidence,
            nonce=nonce,
        )
    )
