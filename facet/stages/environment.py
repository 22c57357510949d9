"""Stage 3a: plan the environment, build it, probe it; at most N repair rounds.

`assemble` turns a plan into a build context and `realize` builds and probes it: both come in as
arguments, so this loop is tested without Docker.
"""

from collections.abc import Callable

from facet.errors import BuildError
from facet.llm.client import Caller
from facet.stages.dropped import SeedDropped
from facet.types.asks import EnvironmentAsk
from facet.types.manifest import Manifest, Mismatch, RealizedManifest
from facet.types.scenario import Scenario
from facet.types.task import Environment
from facet.types.value import Value

MAX_PROBLEMS = 20
LOG_TAIL = 1500  # characters of a build log that the next round sees


class Built(Value):
    """An environment that was built and holds what was planned."""

    manifest: Manifest
    environment: Environment
    realized: RealizedManifest
    rounds: int = 0  # repair rounds it took


def build_environment(
    caller: Caller,
    scenario: Scenario,
    *,
    assemble: Callable[[Manifest], Environment],
    realize: Callable[[Environment], RealizedManifest],
    max_rounds: int,
    nonce: str = "",
    failed: Callable[[int, tuple[str, ...]], None] = lambda number, problems: None,
) -> Built:
    """Plan until the container holds what was planned. SeedDropped after `max_rounds` repairs.

    `failed(number, problems)` is told of every round that did not.
    """
    previous: Manifest | None = None
    problems: tuple[str, ...] = ()
    for attempt in range(max_rounds + 1):
        reply = caller.call(
            EnvironmentAsk(
                scenario=scenario,
                previous=previous,
                problems=problems,
                nonce=nonce,
                attempt=attempt,
            )
        )
        if reply.manifest is None:
            problems = ("the reply holds no manifest",)
        else:
            previous = reply.manifest
            try:
                environment = assemble(previous)
                realized = realize(environment)
            except BuildError as error:
                problems = build_problems(error)
            else:
                if not realized.mismatches:
                    return Built(
                        manifest=previous,
                        environment=environment,
                        realized=realized,
                        rounds=attempt,
                    )
                problems = tuple(mismatch(m) for m in realized.mismatches[:MAX_PROBLEMS])
        failed(attempt + 1, problems)
    raise SeedDropped(
        f"the environment could not be built in {max_rounds} repair rounds: {problems[0][:300]}"
    )


def build_problems(error: BuildError) -> tuple[str, ...]:
    """A failed build as lines for the next round."""
    lines = [str(error)[:500]]
    if error.line:
        lines.append(f"failing instruction: {error.line[:300]}")
    if error.log:
        lines.append(f"end of the build log: {error.log[-LOG_TAIL:]}")
    return tuple(lines)


def mismatch(item: Mismatch) -> str:
    """One planned item that the container does not hold."""
    return f"{item.what} {item.name}: planned {item.planned}, found {item.found}"[:500]
