"""Turns the texts of a golden task into a Task, through the same functions as synthesis does."""

from facet.assemble import environment_from, instruction_from, solution_from, verifier_from
from facet.types.asks import InstructionReply, NamedScript, SolutionReply, TestFile, VerifierReply
from facet.types.manifest import Manifest
from facet.types.task import Provenance, Settings, Task


def golden(
    name: str,
    *,
    manifest: Manifest,
    instruction: str,
    solve: str,
    partials: dict[str, str],
    tests: str,
    alternatives: dict[str, str] | None = None,
) -> Task:
    """A task named `golden/<name>` of these texts."""
    scripts = [NamedScript(name=n, text=t) for n, t in partials.items()]
    others = [NamedScript(name=n, text=t) for n, t in (alternatives or {}).items()]
    reply = SolutionReply(script=solve, partials=tuple(scripts), alternatives=tuple(others))
    return Task(
        name=f"golden/{name}",
        instruction=instruction_from(InstructionReply(text=instruction)),
        environment=environment_from(manifest),
        solution=solution_from(reply),
        verifier=verifier_from(VerifierReply(files=(TestFile(path="test_state.py", text=tests),))),
        settings=Settings(agent_timeout_sec=120, verifier_timeout_sec=60),
        provenance=Provenance(order="forward", model="by hand"),
    )
