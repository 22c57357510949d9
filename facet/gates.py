"""The gates a task must pass: one table, and pure functions from trials to answers.

Order matters: the first gate that neither passes nor is not applicable decides, gates behind it
are `not_reached`. Engine trouble makes a gate `not_assessed`, which is never passed and never
failed. Not covered here: how trials are made (`judge.py`, `trial.py`) and the strict gates' own
evidence (`strict/`).
"""

from collections.abc import Callable, Iterable, Sequence

from facet.static_faults import static_faults
from facet.types.task import Task
from facet.types.trial import CheckResult, Trial
from facet.types.value import Value
from facet.types.verdict import Gate, GateName, GateStatus

MOST_DETAILS = 40


class GateRow(Value):
    """One line of the table; the app and the documentation show the same text."""

    name: GateName
    title: str  # for people, a few words
    passes: str  # when it passes, one sentence
    blame: str  # who is blamed by default when it fails
    decides: bool = False  # one of the seven of the Harbor contract


GATES: tuple[GateRow, ...] = (
    GateRow(
        name="loads",
        title="Loads",
        passes="Names are `org/name`, the layout is complete, scripts have LF line ends and parse.",
        blame="the artifact named",
        decides=True,
    ),
    GateRow(
        name="builds",
        title="Builds",
        passes="The image builds without network from its own context; no resource is missing.",
        blame="environment",
        decides=True,
    ),
    GateRow(
        name="manifest_realized",
        title="Manifest realized",
        passes="Every planned file, package, service, port, user and variable is found running.",
        blame="environment",
        decides=True,
    ),
    GateRow(
        name="verifier_runs",
        title="Verifier runs",
        passes="On the untouched state it finishes in time, runs a check and writes one reward.",
        blame="verifier",
        decides=True,
    ),
    GateRow(
        name="initial_fails",
        title="Initial state fails",
        passes="The untouched state scores below full by failed checks; no check is vacuous.",
        blame="verifier",
        decides=True,
    ),
    GateRow(
        name="solution_runs",
        title="Solution runs",
        passes="solve.sh exits 0 within its limit.",
        blame="solution",
        decides=True,
    ),
    GateRow(
        name="final_passes",
        title="Final state passes",
        passes="Every check passes after the solution.",
        blame="whoever stands alone",
        decides=True,
    ),
    GateRow(
        name="partials_fail",
        title="Partial solutions fail",
        passes="Each partial solution runs to its end and fails at least one check.",
        blame="verifier",
    ),
    GateRow(
        name="contract_agrees",
        title="Contract agrees",
        passes="No artifact needs or names what the others and the container do not have.",
        blame="the artifact that stands alone",
    ),
    GateRow(
        name="stable",
        title="Stable",
        passes="Fresh containers, other order, clock, locale and zone give the same checks.",
        blame="the flaky check's artifact",
    ),
    GateRow(
        name="sealed",
        title="Sealed",
        passes="No answer or test is readable to the actor, and tamper probes score as nop.",
        blame="environment or verifier",
    ),
    GateRow(
        name="mutants_die",
        title="Mutants die",
        passes="Altered solutions that change the outcome fail, other manners of solving pass.",
        blame="verifier",
    ),
    GateRow(
        name="intent_kept",
        title="Intent kept",
        passes="Each skill's required capabilities appear in every artifact, with spans.",
        blame="scenario or the artifact",
    ),
)
"""All gates in the order they are asked."""

SEVEN: tuple[GateName, ...] = tuple(row.name for row in GATES if row.decides)
"""The Harbor contract: these decide acceptance."""

SYNTHESIS: tuple[GateName, ...] = (*SEVEN, "partials_fail")
"""What a task must pass while it is being made."""


def is_ours(task: Task) -> bool:
    """Did FACET write this task? Then its guards are declared, not inferred."""
    return task.scenario is not None or task.environment.manifest is not None


def in_order(
    names: Sequence[GateName], ask: Callable[[GateName], Gate], *, known: Iterable[Gate] = ()
) -> tuple[Gate, ...]:
    """Ask the gates one after another; behind the first that does not pass none is asked."""
    found = {g.name: g for g in known}
    gates: list[Gate] = []
    for name in names:
        gate = found.get(name) or ask(name)
        gates.append(gate)
        if gate.status not in ("passed", "not_applicable"):
            break
    rest = names[len(gates) :]
    return (*gates, *(Gate(name=name, status="not_reached") for name in rest))


def loads(task: Task) -> Gate:
    """Does the task have what a Harbor task needs, in a form that can run?"""
    faults = static_faults(task)
    if faults:
        return _gate("loads", "failed", faults[0], faults)
    return _gate("loads", "passed", "names, layout, line ends and syntax are good")


def builds(problem: str, log: Sequence[str] = ()) -> Gate:
    """`problem` is the builder's one line, "" when the image was built."""
    if problem:
        return _gate("builds", "failed", problem, log)
    return _gate("builds", "passed", "the image builds without network")


def manifest_realized(task: Task, mismatches: Sequence[str]) -> Gate:
    """Does a container hold what was planned? A task without a plan cannot be asked."""
    if task.environment.manifest is None:
        return _gate("manifest_realized", "not_applicable", "the task carries no manifest")
    if mismatches:
        return _gate("manifest_realized", "failed", mismatches[0], mismatches)
    return _gate("manifest_realized", "passed", "everything planned was found")


def verifier_runs(task: Task, nop: Trial) -> Gate:
    """Does the verifier come to a verdict on the untouched state?"""
    name: GateName = "verifier_runs"
    if nop.outcome == "infrastructure":
        return _gate(name, "not_assessed", nop.detail or "the engine failed")
    if nop.outcome != "graded":
        return _gate(name, "failed", f"{nop.outcome}: {nop.detail}", tail(nop.verifier_log.text))
    if nop.reward is None:
        return _gate(name, "failed", "verifier_error: no reward", tail(nop.verifier_log.text))
    if reward_only(nop) and nop.verifier_exit in (126, 127):
        line = f"0 checks ran: verifier could not start (exit {nop.verifier_exit})"
        return _gate(name, "failed", line, tail(nop.verifier_log.text))
    silent = unreported(task, nop)
    if silent:
        line = f"{len(silent)} declared checks gave no result: {', '.join(silent[:3])}"
        return _gate(name, "failed", line, silent)
    count = len(nop.checks) or 1
    return _gate(name, "passed", f"{count} checks ran, reward {nop.reward:g}")


def initial_fails(task: Task, nop: Trial) -> Gate:
    """Does the untouched state fail, by checks that say so?"""
    name: GateName = "initial_fails"
    if nop.outcome != "graded" or nop.reward is None:
        return _gate(name, "not_assessed", f"{nop.outcome}: {nop.detail}")
    passing = tuple(c.id for c in nop.checks if c.status == "passed")
    if nop.reward >= 1.0:
        line = f"full reward ({nop.reward:g}) on the untouched state"
        return _gate(name, "failed", line, passing)
    failed = tuple(c for c in nop.failing if c.status == "failed")
    if not is_ours(task):
        failed = nop.failing
    if nop.checks and not failed:
        errors = tuple(f"{c.id}: {first_line(c.message)}" for c in nop.failing)
        line = (
            "every check that did not pass crashed instead of failing"
            if errors
            else f"reward {nop.reward:g} although no check failed"
        )
        return _gate(name, "failed", line, errors)
    if is_ours(task):
        vacuous = vacuous_checks(nop)
        if vacuous:
            line = f"passes before any work and is no declared guard: {', '.join(vacuous[:3])}"
            return _gate(name, "failed", line, vacuous)
        broken = tuple(c for c in nop.failing if c.guard)
        if broken:
            line = f"guard is false before any work: {', '.join(c.id for c in broken[:3])}"
            return _gate(name, "failed", line, tuple(describe(c) for c in broken))
        return _gate(name, "passed", f"{len(failed)} of {len(nop.checks)} checks fail")
    evidence = f"{len(failed)} of {len(nop.checks) or 1} checks fail"
    return _gate(name, "passed", evidence, tuple(f"passes before: {c}" for c in passing))


def solution_runs(oracle: Trial) -> Gate:
    """Does solve.sh exit 0 in time?"""
    name: GateName = "solution_runs"
    if oracle.outcome == "infrastructure":
        return _gate(name, "not_assessed", oracle.detail or "the engine failed")
    log = tail(oracle.actor_log.text)
    if oracle.outcome in ("actor_timeout", "actor_error", "build_failed"):
        code = "" if oracle.actor_exit is None else f" (exit {oracle.actor_exit})"
        return _gate(name, "failed", f"{oracle.outcome}{code}: {oracle.detail}", log)
    if oracle.actor_exit is None:
        return _gate(name, "not_assessed", "the exit code of solve.sh is not known", log)
    if oracle.actor_exit != 0:
        return _gate(name, "failed", f"solve.sh exits {oracle.actor_exit}", log)
    return _gate(name, "passed", f"solve.sh exits 0 after {oracle.actor_s:.1f} s")


def final_passes(task: Task, oracle: Trial) -> Gate:
    """Does everything pass after the solution?"""
    name: GateName = "final_passes"
    if oracle.outcome == "infrastructure":
        return _gate(name, "not_assessed", oracle.detail or "the engine failed")
    if oracle.outcome != "graded" or oracle.reward is None:
        line = f"{oracle.outcome}: {oracle.detail or 'no reward'}"
        return _gate(name, "failed", line, tail(oracle.verifier_log.text))
    if oracle.failing:
        count = f"{len(oracle.failing)} of {len(oracle.checks)} checks fail after the solution"
        names = ", ".join(c.id for c in oracle.failing[:3])
        return _gate(
            name, "failed", f"{count}: {names}", tuple(describe(c) for c in oracle.failing)
        )
    if oracle.reward < 1.0:
        return _gate(name, "failed", f"no check fails, but the reward is {oracle.reward:g}")
    silent = unreported(task, oracle)
    skipped = tuple(c.id for c in oracle.checks if c.status == "skipped") if is_ours(task) else ()
    if silent or skipped:
        line = f"checks that did not run after the solution: {', '.join((*silent, *skipped)[:3])}"
        return _gate(name, "failed", line, (*silent, *skipped))
    return _gate(name, "passed", f"all {len(oracle.checks) or 1} checks pass")


def partials_fail(task: Task, trials: Sequence[Trial]) -> Gate:
    """Does every partial solution run to its end and fail? One that crashes proves nothing."""
    name: GateName = "partials_fail"
    wanted = tuple(f.path for f in task.solution.partials)
    if not wanted:
        return _gate(name, "not_applicable", "the task has no partial solutions")
    by_label = {t.label: t for t in trials if t.actor == "partial"}
    if missing := [w for w in wanted if w not in by_label]:
        return _gate(name, "not_assessed", f"not run: {', '.join(missing[:3])}", missing)
    if away := [w for w in wanted if by_label[w].outcome == "infrastructure"]:
        return _gate(name, "not_assessed", by_label[away[0]].detail or "the engine failed", away)
    faults = [fault for w in wanted if (fault := partial_fault(by_label[w]))]
    if faults:
        return _gate(name, "failed", faults[0], faults)
    return _gate(name, "passed", f"all {len(wanted)} partial solutions fail a check")


def partial_fault(trial: Trial) -> str:
    """Why this partial's trial proves nothing or too much; "" when it failed as it should."""
    if trial.outcome in ("actor_error", "actor_timeout") or trial.actor_exit not in (0, None):
        code = "" if trial.actor_exit is None else f" (exit {trial.actor_exit})"
        return f"{trial.label} crashed{code}, which proves nothing: {trial.detail}".rstrip(": ")
    if trial.outcome != "graded" or trial.reward is None:
        return f"{trial.label} broke the verifier ({trial.outcome}): {trial.detail}"
    if trial.reward >= 1.0 or (trial.checks and not trial.failing):
        return f"{trial.label} passes every check"
    return ""


def vacuous_checks(nop: Trial) -> tuple[str, ...]:
    """Checks that pass before any work although nobody declared them guards."""
    return tuple(c.id for c in nop.checks if c.status == "passed" and not c.guard)


def inferred_guards(nop: Trial, oracle: Trial) -> tuple[str, ...]:
    """Foreign tasks: checks that pass before and after."""
    before = {c.id for c in nop.checks if c.status == "passed"}
    return tuple(c.id for c in oracle.checks if c.status == "passed" and c.id in before)


def unreported(task: Task, trial: Trial) -> tuple[str, ...]:
    """Declared checks without a result in this trial (parametrised ones report `id[...]`)."""
    if not is_ours(task):
        return ()
    seen = {c.id for c in trial.checks} | {c.id.partition("[")[0] for c in trial.checks}
    return tuple(c.id for c in task.verifier.checks if c.id not in seen)


def reward_only(trial: Trial) -> bool:
    """A verdict without a report: its one check is called `reward`."""
    return not trial.checks or [c.id for c in trial.checks] == ["reward"]


def describe(check: CheckResult) -> str:
    """One line of a check's failure: where, what was wanted, what was found."""
    parts = [f"{check.id}: {first_line(check.message) or check.status}"]
    if check.expected or check.actual:
        parts.append(f"expected {check.expected[:200]}, actual {check.actual[:200]}")
    if check.paths:
        parts.append("reads " + " ".join(check.paths[:5]))
    return " | ".join(parts)


def first_line(text: str, length: int = 300) -> str:
    """The first line that is not blank, bounded."""
    return next((line.strip()[:length] for line in text.splitlines() if line.strip()), "")


def tail(text: str, lines: int = 20) -> tuple[str, ...]:
    """The last lines that are not blank, each bounded."""
    return tuple(line[:400] for line in text.splitlines() if line.strip())[-lines:]


def _gate(name: GateName, status: GateStatus, evidence: str, details: Sequence[str] = ()) -> Gate:
    line = first_line(evidence, 500)
    return Gate(name=name, status=status, evidence=line, details=tuple(details)[:MOST_DETAILS])
