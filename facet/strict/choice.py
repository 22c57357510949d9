"""Which gates are asked beyond the Harbor contract, and how often: a judge for that choice."""

from collections.abc import Sequence
from functools import partial

from facet.errors import InputError
from facet.gates import GATES, SEVEN
from facet.images import Images
from facet.judge import ASKED, Asked, Progress, RunTrial, judge
from facet.sandbox.base import Engine
from facet.strict import STRICT, STRICT_GATES
from facet.strict.mutants_die import WANTED, mutants_die
from facet.strict.stable import FRESH, stable
from facet.trial import run_trial
from facet.types.task import Task
from facet.types.value import Value
from facet.types.verdict import GateName, Judgement

MOST_MUTANTS = 100
MOST_REPEATS = 20


class Choice(Value):
    """The gates in order, how many mutants must count, how many fresh containers must agree."""

    gates: tuple[GateName, ...] = STRICT_GATES
    mutants: int = WANTED
    repeats: int = FRESH

    @property
    def told(self) -> tuple[str, ...]:
        """Gates with their numbers: what a recorded verdict rests on."""
        numbers = {"mutants_die": self.mutants, "stable": self.repeats}
        return tuple(f"{g} {numbers[g]}" if g in numbers else g for g in self.gates)

    def judge(
        self,
        task: Task,
        *,
        engine: Engine,
        progress: Progress | None = None,
        images: Images | None = None,
        trial: RunTrial = run_trial,
        more: dict[GateName, Asked] | None = None,
    ) -> Judgement:
        """`facet.judge.judge` with these gates."""
        table: dict[GateName, Asked] = {
            **STRICT,
            "mutants_die": partial(mutants_die, wanted=self.mutants),
            "stable": partial(stable, fresh=self.repeats),
            **(more or {}),
        }
        return judge(
            task,
            engine=engine,
            gates=self.gates,
            progress=progress,
            images=images,
            trial=trial,
            more=table,
        )


def choose(names: Sequence[str] = (), *, mutants: int = WANTED, repeats: int = FRESH) -> Choice:
    """The seven gates and those named (none = all strict ones). InputError for another name."""
    known = {*ASKED, *STRICT}
    if unknown := [name for name in names if name not in known]:
        told = ", ".join(g for g in STRICT_GATES if g not in SEVEN)
        raise InputError(f"--gates {','.join(unknown)[:100]}: known are {told}")
    if not 1 <= mutants <= MOST_MUTANTS:
        raise InputError(f"--mutants {mutants}: from 1 to {MOST_MUTANTS}")
    if not 1 <= repeats <= MOST_REPEATS:
        raise InputError(f"--repeats {repeats}: from 1 to {MOST_REPEATS}")
    wanted = {*SEVEN, *(names or STRICT_GATES)}
    gates = tuple(row.name for row in GATES if row.name in wanted)
    return Choice(gates=gates, mutants=mutants, repeats=repeats)
