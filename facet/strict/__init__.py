"""Gates beyond the Harbor contract: contract, stability, seal and strength of the verifier."""

from facet.gates import SYNTHESIS
from facet.judge import Asked
from facet.strict.contract_agrees import contract_agrees
from facet.strict.mutants_die import mutants_die
from facet.strict.sealed import sealed
from facet.strict.stable import stable
from facet.types.verdict import GateName

STRICT: dict[GateName, Asked] = {
    "contract_agrees": contract_agrees,
    "stable": stable,
    "sealed": sealed,
    "mutants_die": mutants_die,
}
"""Who answers which strict gate: `judge(task, gates=STRICT_GATES, more=STRICT, ...)`."""

STRICT_GATES: tuple[GateName, ...] = (*SYNTHESIS, *STRICT)
"""Gates of `facet validate --strict`."""
