"""Stage 3b: the verifier; behaviour over commands."""

from facet.llm.client import Caller
from facet.stages.looking import Looker, write_after_looking
from facet.types.asks import Looked, VerifierAsk, VerifierReply, Written
from facet.types.manifest import RealizedManifest
from facet.types.scenario import Scenario


def write_verifier(
    caller: Caller,
    scenario: Scenario,
    realized: RealizedManifest,
    written: Written,
    looker: Looker,
    nonce: str = "",
) -> VerifierReply:
    """The tests; `written` is what of the other artifacts may be seen."""

    def ask(looked: tuple[Looked, ...]) -> VerifierAsk:
        return VerifierAsk(
            scenario=scenario,
            realized=realized.for_prompt(),
            written=written,
            looked=looked,
            nonce=nonce,
        )

    return write_after_looking(caller, ask, lambda r: bool(r.files), lambda r: r.looks, looker)
