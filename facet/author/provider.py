"""The embedded author as a model provider: one function per kind of ask."""

from collections.abc import Callable
from typing import Any

from facet import __version__
from facet.author.replies import artifacts, blaming, comparing, environment, scenarios, sources
from facet.llm.base import Completion, Request
from facet.types import asks
from facet.types.asks import Ask
from facet.types.value import Value

type Writer = Callable[[Any, float], Value]


def _plain(function: Callable[[Any], Value]) -> Writer:
    return lambda ask, factor: function(ask)


WRITERS: dict[type[Ask[Any]], Writer] = {
    asks.ContextsAsk: _plain(sources.contexts),
    asks.PairAsk: _plain(sources.pair),
    asks.SkillAnalysisAsk: _plain(scenarios.analysis),
    asks.ExplorationAsk: _plain(scenarios.exploration),
    asks.AssociationAsk: _plain(scenarios.association),
    asks.EvolutionAsk: _plain(scenarios.evolution),
    asks.ExpansionAsk: _plain(scenarios.expansion),
    asks.AxesAsk: _plain(scenarios.axes),
    asks.ScenarioAsk: _plain(scenarios.scenario),
    asks.SolutionReferenceAsk: scenarios.solution_reference,
    asks.InstructionReferenceAsk: scenarios.instruction_reference,
    asks.ConsistencyAsk: _plain(comparing.consistency),
    asks.EnvironmentAsk: environment.environment,
    asks.InstructionAsk: artifacts.write_instruction,
    asks.SolutionAsk: artifacts.write_solution,
    asks.VerifierAsk: artifacts.write_verifier,
    asks.RepairInstructionAsk: artifacts.write_instruction,
    asks.RepairSolutionAsk: artifacts.write_solution,
    asks.RepairVerifierAsk: artifacts.write_verifier,
    asks.RepairEnvironmentAsk: environment.repair_environment,
    asks.BlameAsk: _plain(blaming.blame),
}
"""Who answers which ask."""


class OfflineAuthor:
    """A deterministic author that sees only the ask. `slips` multiplies its slip rates."""

    def __init__(self, slips: float = 1.0) -> None:
        if slips < 0:
            raise ValueError("slips is a factor on rates: 0 or more")
        self._slips = slips

    @property
    def name(self) -> str:
        """The label on everything it makes."""
        return "offline"

    @property
    def slips(self) -> float:
        """Factor on the slip rates; 0 = no slips."""
        return self._slips

    @property
    def fingerprint(self) -> str:
        """What else shapes its answers: kept replies of other settings are not reused."""
        return f"slips={self._slips:g} version={__version__}"

    def complete(self, request: Request) -> Completion:
        """The reply as JSON text; the same ask always gives the same bytes."""
        reply = WRITERS[type(request.ask)](request.ask, self._slips)
        return Completion(text=reply.model_dump_json())
