"""Stage 3b in one of three orders. What a writer may see of the others is the whole difference.

| order | writes | sees |
|---|---|---|
| forward | instruction, solution, verifier | all that was written before it |
| reverse | verifier, solution, instruction | all that was written before it |
| joint | all three | none of the others |
"""

from collections.abc import Callable

from facet.llm.client import Caller
from facet.pipeline.stage_cache import StageCache
from facet.stages.environment import Built
from facet.stages.instruction import write_instruction
from facet.stages.looking import Looker
from facet.stages.solution import write_solution
from facet.stages.verifier import write_verifier
from facet.types.asks import InstructionReply, SolutionReply, VerifierReply, Written
from facet.types.scenario import Scenario

ORDERS: dict[str, tuple[str, ...]] = {
    "forward": ("instruction", "solution", "verifier"),
    "reverse": ("verifier", "solution", "instruction"),
    "joint": ("instruction", "solution", "verifier"),
}
BLIND = frozenset({"joint"})  # orders whose writers see none of the others


def write_artifacts(
    order: str,
    scenario: Scenario,
    built: Built,
    caller: Caller,
    looker: Looker,
    stages: StageCache,
    nonce: str,
) -> Written:
    """All three written artifacts."""
    written = Written()
    for name in ORDERS[order]:
        shown = Written() if order in BLIND else written
        inputs = [scenario, built.realized.for_prompt(), shown]

        def write[R](work: Callable[..., R], seen: Written = shown) -> Callable[[], R]:
            return lambda: work(caller, scenario, built.realized, seen, looker, nonce)

        match name:
            case "instruction":
                text = stages.do(name, inputs, InstructionReply, write(write_instruction)).text
                written = written.model_copy(update={"instruction": text})
            case "solution":
                solution = stages.do(name, inputs, SolutionReply, write(write_solution))
                written = written.model_copy(update={"solution": solution})
            case "verifier":
                verifier = stages.do(name, inputs, VerifierReply, write(write_verifier))
                written = written.model_copy(update={"verifier": verifier})
    return written
