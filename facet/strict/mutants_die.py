"""Gate `mutants_die`: altered solutions that change the outcome fail, other manners pass.

A mutant that does not come to its end proves nothing and is counted apart. One that scores full
reward is run again and its final state compared with the oracle's: the same state is set aside as
equivalent, so is one that differs only where nobody asked for anything, or only in the text of a
program that did the same. What is left is alive, and the verifier is blamed. Mutants set aside are
replaced by further ones, up to a limit.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import islice
from typing import Literal

from facet.contract.words import lines_of, paths_in, relative_paths_in
from facet.gates import describe, partial_fault
from facet.judge import Bench
from facet.mutants import Mutant, mutants_of
from facet.strict.observed import Observed, is_program_text, observed, telling
from facet.trial import ActorSpec
from facet.types.apart import artifacts_of, is_apart
from facet.types.task import Task
from facet.types.trial import Trial
from facet.types.value import Value
from facet.types.verdict import Gate

WANTED = 8
"""Mutants that count: dead or alive."""
TRIES = 4  # times as many are tried, at most
PATIENCE = 10.0  # times the oracle's seconds
SHORTEST_LIMIT_S = 20.0

type Fate = Literal["dead", "alive", "crashed", "equivalent", "unasked", "text", "unknown"]
type Observe = Callable[[Bench, ActorSpec], Observed | None]

TOLD: dict[Fate, str] = {
    "dead": "fail a check",
    "alive": "score full reward",
    "crashed": "do not come to their end",
    "equivalent": "leave the same state",
    "unasked": "differ only where nobody asks for anything",
    "text": "differ only in the text of a program that does the same",
    "unknown": "cannot be compared",
}


class Found(Value):
    """What became of one mutant."""

    mutant: Mutant
    fate: Fate
    why: str

    @property
    def line(self) -> str:
        """For evidence; a fault starts with the artifact to blame."""
        told = f"line {self.mutant.line}, {self.mutant.what}: {self.why}"
        return f"verifier: {told}" if self.fate == "alive" else f"{self.fate}: {told}"


class _Away(Exception):
    """The engine failed; one line."""


def mutants_die(bench: Bench, *, wanted: int = WANTED, observe: Observe = observed) -> Gate:
    """Run mutants until `wanted` count, then the alternatives."""
    solve = bench.task.solution.files.get("solve.sh")
    if solve is None:
        return Gate(name="mutants_die", status="not_applicable", evidence="there is no solve.sh")
    court = _Court(bench, observe)
    found: list[Found] = []
    candidates = iter(mutants_of(solve, wanted * TRIES))
    try:
        faults = _others(bench)
        while batch := _batch(candidates, wanted - _counted(found)):
            found += court.judge(batch)
    except _Away as away:
        return Gate(name="mutants_die", status="not_assessed", evidence=str(away))
    return _gate(found, faults, len(bench.task.solution.alternatives))


def _gate(found: list[Found], faults: list[str], others: int) -> Gate:
    alive = [f.line for f in found if f.fate == "alive"]
    rest = [f.line for f in found if f.fate != "alive"]
    counts = Counter(f.fate for f in found)
    told = ", ".join(f"{counts[fate]} {text}" for fate, text in TOLD.items() if counts[fate])
    summary = f"of {len(found)} mutants {told}" if found else "solve.sh gives no mutant"
    if others:
        summary += f"; {others - len(faults)} of {others} alternatives pass"
    if wrong := [*alive, *faults]:
        details = (*wrong, summary, *rest)[:40]
        return Gate(name="mutants_die", status="failed", evidence=wrong[0][:500], details=details)
    proven = counts["dead"] or others
    return Gate(
        name="mutants_die",
        status="passed" if proven else "not_applicable",
        evidence=summary,
        details=tuple(rest[:40]),
    )


def _batch(candidates: Iterator[Mutant], missing: int) -> tuple[Mutant, ...]:
    return tuple(islice(candidates, missing)) if missing > 0 else ()


def _counted(found: list[Found]) -> int:
    return sum(f.fate in ("dead", "alive") for f in found)


def _others(bench: Bench) -> list[str]:
    """Faults of alternatives; each must come to its end and pass."""
    scripts = bench.task.solution.alternatives
    trials = bench.run(*(ActorSpec(actor="alternative", label=s.path, script=s) for s in scripts))
    faults = []
    for trial in trials:
        if trial.outcome == "infrastructure":
            raise _Away(f"{trial.label}: {trial.detail or 'the engine failed'}")
        if trial.full:
            continue
        if trial.outcome in ("actor_error", "actor_timeout"):
            faults.append(f"solution: {partial_fault(trial)}")
        elif trial.failing:
            told = describe(trial.failing[0])
            faults.append(f"verifier: {trial.label} solves it in another manner, but {told}")
        else:
            faults.append(f"verifier: {trial.label} gets no full reward: {trial.detail}")
    return faults


class _Court:
    """Runs mutants and says what became of them."""

    def __init__(self, bench: Bench, observe: Observe) -> None:
        self.bench, self.observe = bench, observe
        oracle = bench.both_ends()[1]
        self.limit_s = max(SHORTEST_LIMIT_S, PATIENCE * oracle.actor_s)

    def judge(self, mutants: tuple[Mutant, ...]) -> list[Found]:
        """Every mutant's fate. Raises _Away."""
        actors = [ActorSpec(actor="mutant", label=m.label, script=m.script) for m in mutants]
        trials = self.bench.run(*actors, limit_s=self.limit_s)
        return [
            self._fate(mutant, actor, trial)
            for mutant, actor, trial in zip(mutants, actors, trials, strict=True)
        ]

    def _fate(self, mutant: Mutant, actor: ActorSpec, trial: Trial) -> Found:
        say = partial(Found, mutant=mutant)
        if trial.outcome == "infrastructure":
            raise _Away(f"mutant {trial.label}: {trial.detail or 'the engine failed'}")
        if trial.outcome == "verifier_error":
            return say(fate="alive", why=f"breaks the verifier: {trial.detail}"[:300])
        if trial.outcome != "graded" or trial.reward is None:
            return say(fate="crashed", why=f"{trial.outcome}: {trial.detail}"[:200])
        if trial.reward < 1.0:
            failing = ", ".join(c.id for c in trial.failing[:6])
            return say(fate="dead", why=f"fails {failing or 'by its reward'}")
        return self._survivor(say, actor)

    def _survivor(self, say: Callable[..., Found], actor: ActorSpec) -> Found:
        other = self.observe(self.bench, actor)
        oracle, again = self._yardstick
        if oracle is None or again is None or other is None:
            return say(fate="unknown", why="its final state cannot be looked at")
        differing = telling(oracle, again, other)
        if differing is None:
            return say(fate="unknown", why="too many paths differ from the image")
        if not differing:
            return say(fate="equivalent", why="leaves the state of the oracle")
        task = self.bench.task
        seen = [d for d in differing if reaches_verifier(d.path, task)]
        asked = [d for d in seen if is_asked(d.path, self._spoken_of)]
        if not asked:
            return say(fate="unasked", why=f"differs only in {differing[0].line}")
        done = [d for d in asked if not is_program_text(d, oracle, other)]
        if not done:
            return say(fate="text", why=f"differs only in the text of {asked[0].path}")
        return say(fate="alive", why=f"all checks pass although {done[0].line}")

    @cached_property
    def _yardstick(self) -> tuple[Observed | None, Observed | None]:
        solve = self.bench.task.solution.files.get("solve.sh")
        actor = ActorSpec(actor="oracle", script=solve)
        return self.observe(self.bench, actor), self.observe(self.bench, actor)

    @cached_property
    def _spoken_of(self) -> frozenset[str]:
        return spoken_of(self.bench.task)


def reaches_verifier(path: str, task: Task) -> bool:
    """Is it carried to a verifier in a container of its own? One in the same sees everything."""
    return not is_apart(task) or any(a.covers(path) for a in artifacts_of(task))


def spoken_of(task: Task) -> frozenset[str]:
    """Paths that instruction or tests name; relative ones by their last part."""
    manifest = task.environment.manifest
    workdir = manifest.workdir if manifest else "/app"
    texts = [task.instruction.text]
    texts += [f.text for f in task.verifier.files.files if f.path.endswith((".py", ".sh"))]
    found: set[str] = set()
    for number, text in enumerate(texts):
        for _, line in lines_of(text):
            found.update(paths_in(line))
            if number == 0:
                found.update(relative_paths_in(line, workdir))
                found.update(w for w in _names(line))
    return frozenset(found)


def _names(line: str) -> list[str]:
    """File names in `code marks`, such as `report.json`."""
    words = [w.strip("`.,;:()'\"") for w in line.split() if "`" in w]
    return [w for w in words if "." in w.strip(".") and "/" not in w]


def is_asked(path: str, spoken: frozenset[str]) -> bool:
    """Is the path named, does its name stand there, or does it lie in a named folder?

    A folder at the root (`/app`) is too wide to ask for anything.
    """
    parts = path.strip("/").split("/")
    above = ("/" + "/".join(parts[:n]) for n in range(2, len(parts)))
    return path in spoken or parts[-1] in spoken or any(folder in spoken for folder in above)
