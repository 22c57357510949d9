"""What each blame rule looks for in a judgement: evidence, and who it speaks against. Pure."""

import difflib
import re
import sys
from pathlib import PurePosixPath

from facet.blame.checks import elect, vote_line, votes
from facet.blame.clues import (
    DENIED,
    IN_THE_WAY,
    MISSING_COMMAND,
    MISSING_FILE,
    MISSING_KEY,
    MISSING_MODULE,
    MISSING_USER,
    NETWORK,
    NOT_EXECUTABLE,
    READ_ONLY,
    REFUSED,
    UNSET,
    Clues,
    Finding,
    first_match,
)
from facet.contract.words import URL, paths_in, ports_in
from facet.gates import partial_fault
from facet.types.task import ARTIFACTS, Artifact
from facet.types.verdict import Category

BUILD: Category = "infrastructure, build or dependency"
GROUND: Category = "fixture, schema or path grounding"
CONTRACT: Category = "contract mismatch"
RUNTIME: Category = "solution runtime"
WEAK: Category = "weak verifier"
SERVICES = ("redis", "nginx", "postgres", "postgresql", "mysql", "mariadb", "sqlite", "cron", "ssh")


# ---- before anything runs -----------------------------------------------------------------


def named_file(clues: Clues) -> Finding | None:
    folders: dict[str, Artifact] = {
        "instruction.md": "instruction",
        "environment": "environment",
        "solution": "solution",
        "tests": "verifier",
    }
    fault = clues.gate.details[0] if clues.gate.details else clues.gate.evidence
    artifact = folders.get(re.split(r"[/:]", fault, maxsplit=1)[0])
    return Finding(clues.gate.details[:5] or (fault,), artifact) if artifact else None


def evidence(clues: Clues) -> Finding:
    return Finding((clues.gate.evidence, *clues.gate.details[-8:]))


def planned_thing(clues: Clues) -> Finding:
    grounded = clues.gate.evidence.startswith(("file", "workdir", "env", "user"))
    lines = clues.gate.details[:10] or (clues.gate.evidence,)
    return Finding(lines, category=GROUND if grounded else BUILD)


# ---- the verifier on the untouched state ------------------------------------------------------


def container_broken(clues: Clues) -> Finding | None:
    nop = clues.nop
    if nop is None or nop.outcome not in ("build_failed", "actor_error"):
        return None
    return evidence(clues)


def declared_module(clues: Clues) -> Finding | None:
    text = clues.verifier_text
    module = MISSING_MODULE.search(text)
    name = module[1] if module else first_match(MISSING_COMMAND, text)
    if not name or not clues.tools_told(name):
        return None
    return Finding((f"the task promises {name}, the container lacks it",))


def network(clues: Clues) -> Finding | None:
    found = NETWORK.search(clues.verifier_text)
    return Finding((f"needs the network while grading: {found[0]}",)) if found else None


def input_file(clues: Clues) -> Finding | None:
    """The verifier's own code (not a check) stops at a file that should be there from the start."""
    path = first_match(MISSING_FILE, clues.verifier_text)
    if not path.startswith("/") or clues.world.held(path) is True:
        return None
    if clues.world.told(path) and not clues.is_output(path):
        return Finding(
            (f"{path} is to be there from the start, and is not",), "environment", GROUND
        )
    return Finding((f"the verifier stops at {path} instead of failing a check",), "verifier", WEAK)


def false_guard(clues: Clues) -> Finding | None:
    """A guard is false before any work: the container, or the guard?"""
    nop = clues.nop
    if nop is None or not clues.gate.evidence.startswith("guard is false"):
        return None
    world = clues.world
    for check in nop.failing:
        need = clues.need(check) if check.guard else None
        for path, _ in need.paths if need else ():
            told = world.told(path) or world.scripted(path) == "exact"
            if world.held(path) is False and told:
                line = f"guard {check.id} needs {path}, which the container lacks"
                return Finding((line,), "environment", GROUND)
        for port, _ in need.ports if need else ():
            if port not in world.ports() and world.word_told(port):
                line = f"guard {check.id} needs a service on port {port}; none is declared"
                return Finding((line,), "environment", BUILD)
    for look in (missing_file, missing_name, refused, missing_user):
        found = look(clues)  # the solution stumbles over the same thing
        if found is not None and found.artifact == "environment":
            return Finding((*clues.gate.details[:3], *found.evidence), "environment", GROUND)
    stumbles = clues.oracle is not None and clues.oracle.outcome in ("actor_error", "actor_timeout")
    if stumbles and any(
        world.held(p) is True
        for check in nop.failing
        if check.guard and (need := clues.need(check))
        for p, _ in need.paths
    ):
        line = "the guarded input is there, and the solution stumbles over it as well"
        return Finding((*clues.gate.details[:3], line), "environment", GROUND)
    return Finding(clues.gate.details[:5], "verifier", CONTRACT)


def result_there(clues: Clues) -> Finding | None:
    """Every check that passes too early reads a result that the container already holds."""
    if not clues.gate.evidence.startswith("passes before any work"):
        return None
    manifest = clues.task.environment.manifest
    planned = [f.path for f in manifest.files if f.kind == "file"] if manifest else []
    results = [p for p in planned if clues.is_output(p)]
    shipped: list[str] = []
    for id in clues.gate.details:
        need = clues.needs.get(id.partition("[")[0])
        read = [p for p, _ in need.paths] if need else []
        held = [p for p in results if p in read or str(PurePosixPath(p).parent) in read]
        if not held:
            return None
        shipped += held
    lines = tuple(f"the container already holds the result {p}" for p in dict.fromkeys(shipped))
    return Finding(lines[:5], "environment", GROUND)


def solved_from_the_start(clues: Clues) -> Finding | None:
    """All checks pass before any work, and what they read is shipped."""
    if not clues.gate.evidence.startswith("full reward") or clues.nop is None:
        return None
    reads = [
        path
        for check in clues.nop.checks
        if not check.guard and (need := clues.need(check))
        for path, _ in need.paths
    ]
    shipped = [p for p in reads if clues.world.held(p) is True and clues.is_output(p)]
    if not shipped:
        return None
    return Finding((f"the container already holds the result {shipped[0]}",))


def verifier_module(clues: Clues) -> Finding | None:
    """The verifier loads a module that the runner does not have (a misspelt one is a bug)."""
    found = MISSING_MODULE.search(clues.verifier_text)
    if found is None:
        return None
    name = found[1].partition(".")[0]
    alike = difflib.get_close_matches(name, sys.stdlib_module_names, n=1, cutoff=0.85)
    misspelt = bool(alike) and name not in sys.stdlib_module_names
    return Finding((f"no module {name} while grading",), category=WEAK if misspelt else BUILD)


# ---- the solution runs ------------------------------------------------------------------------


def timeout(clues: Clues) -> Finding | None:
    oracle = clues.oracle
    return evidence(clues) if oracle and oracle.outcome == "actor_timeout" else None


def solution_network(clues: Clues) -> Finding | None:
    found = NETWORK.search(clues.actor_text)
    if not found:
        return None
    line = f"the solution needs the network: {found[0]}"
    told = any(
        "localhost" not in u and "127.0.0.1" not in u for u in URL.findall(clues.world.instruction)
    )
    return Finding((line,), "environment" if told else "solution", BUILD)


def missing_tool(clues: Clues) -> Finding | None:
    module = MISSING_MODULE.search(clues.actor_text)
    name = module[1] if module else first_match(MISSING_COMMAND, clues.actor_text)
    if not name or "/" in name:
        return None
    line = f"{name} is not in the container"
    if clues.tools_told(name):
        return Finding((line, "plan, scenario or instruction promise it"), "environment", BUILD)
    return Finding((line, "nobody promised it"), "solution", BUILD)


def missing_file(clues: Clues) -> Finding | None:
    named = first_match(MISSING_FILE, clues.actor_text)
    if not named or ("/" not in named and "." not in named):
        return None
    path = clues.whole(named)
    world = clues.world
    line = f"solve.sh does not find {path}"
    if world.held(path) is True:
        return Finding((line, "the container holds it"), "solution", RUNTIME)
    if clues.is_output(path):
        return Finding((line, "it is the solution's own to make"), "solution", RUNTIME)
    if world.told(path) or path in world.story:
        return Finding((line, "instruction or scenario say it is there"), "environment", GROUND)
    return Finding((line, "nobody else speaks of it"), "solution", GROUND)


def missing_name(clues: Clues) -> Finding | None:
    key = first_match(MISSING_KEY, clues.actor_text).rpartition(".")[2]  # `main.entry` of SQLite
    if not key:
        return None
    line = f"solve.sh does not find `{key}` in the data"
    world = clues.world
    if world.word_held(key):
        return Finding((line, "the data has it"), "solution", RUNTIME)
    if world.header_told():
        return Finding((line, "the data has the columns that the instruction names"), "solution")
    if world.name_told(key) or key in world.story.split():
        return Finding((line, "instruction or scenario say it is there"), "environment", GROUND)
    return Finding((line, "nobody else speaks of it"), "solution", GROUND)


def in_the_way(clues: Clues) -> Finding | None:
    """Something that is no folder stands where a folder must be."""
    found = IN_THE_WAY.search(clues.actor_text)
    path = next((g for g in found.groups() if g), "") if found else ""
    if not path:
        return None
    line = f"{path} stands in the way"
    planned = clues.world.planned_file(path)
    return Finding(
        (line,), "environment" if planned else "solution", GROUND if planned else RUNTIME
    )


def denied(clues: Clues) -> Finding | None:
    found = DENIED.search(clues.actor_text)
    stopped = clues.oracle is not None and clues.oracle.actor_exit == NOT_EXECUTABLE
    if not found and not stopped:
        return None
    path = clues.whole(next((g for g in found.groups() if g), "")) if found else ""
    line = f"permission denied on {path or 'a command'}"
    if path and clues.world.held(path) is True and clues.world.told(path):
        return Finding((line, "the container holds it so"), "environment", GROUND)
    return Finding((line,), "solution", RUNTIME)


def read_only(clues: Clues) -> Finding | None:
    found = READ_ONLY.search(clues.actor_text)
    return Finding((found[0],)) if found else None


def refused(clues: Clues) -> Finding | None:
    found = REFUSED.search(clues.actor_text)
    if not found:
        return None
    around = clues.actor_text[max(0, found.start() - 300) : found.end() + 300]
    ports = ports_in(around) or re.findall(r"\bport (\d{2,5})", around)
    script = [p for p in ports_in(clues.task.solution.script)]
    world = clues.world
    for port in (*ports, *script):
        line = f"nothing answers on port {port}"
        if port in world.ports() or world.word_told(port):
            return Finding((line, "the task says a service does"), "environment", BUILD)
    service = next((s for s in SERVICES if world.word_told(s)), "")
    if service:
        return Finding((found[0], f"the instruction speaks of {service}"), "environment", BUILD)
    return Finding((found[0],), "solution", RUNTIME)


def missing_user(clues: Clues) -> Finding | None:
    found = MISSING_USER.search(clues.actor_text)
    if not found or found[1] in clues.world.users():
        return None
    line = f"user {found[1]} does not exist"
    told = clues.world.word_told(found[1])
    return Finding((line,), "environment" if told else "solution", GROUND if told else RUNTIME)


def unset(clues: Clues) -> Finding | None:
    found = UNSET.search(clues.actor_text)
    if not found:
        return None
    told = clues.world.word_told(found[1])
    line = f"variable {found[1]} is not set"
    return Finding((line,), "environment" if told else "solution", GROUND if told else RUNTIME)


def made_up_path(clues: Clues) -> Finding | None:
    """The error that ended the script names a path that only the solution speaks of."""
    world = clues.world
    manifest = clues.task.environment.manifest
    setup = manifest.setup if manifest else ()
    for path in paths_in(" ".join(clues.actor_text.strip().splitlines()[-3:]).replace("'", " ")):
        known = (
            world.told(path) in ("exact", "parts")
            or world.held(path) is True
            or path in world.story
        )
        known = known or any(path in command for command in setup)
        if not known and world.scripted(path) and not clues.is_output(path):
            return Finding((f"solve.sh stops at {path}", "nobody else speaks of it"))
    return None


# ---- the final state --------------------------------------------------------------------------


def verifier_stopped(clues: Clues) -> Finding | None:
    oracle = clues.oracle
    if oracle is None or oracle.outcome not in ("verifier_error", "verifier_timeout"):
        return None
    return evidence(clues)


def checks_vote(clues: Clues) -> Finding | None:
    found = votes(clues)
    winner = elect(found)
    if winner is None:
        return None
    mine = [v for v in found if v.artifact == winner.artifact]
    lines = [vote_line(v) for v in sorted(mine, key=lambda v: -v.weight)]
    return Finding(tuple(lines[:8]), winner.artifact, winner.category)


def never_ran(clues: Clues) -> Finding | None:
    return evidence(clues) if "did not run" in clues.gate.evidence else None


def reward_alone(clues: Clues) -> Finding | None:
    return evidence(clues) if "no check fails" in clues.gate.evidence else None


# ---- partial solutions and the strict gates ---------------------------------------------------


def partial_crashed(clues: Clues) -> Finding | None:
    faults = [partial_fault(t) for t in clues.judgement.trials if t.actor == "partial"]
    crashed = tuple(f for f in faults if "crashed" in f)
    return Finding(crashed[:5]) if crashed else None


def partial_is_whole(clues: Clues) -> Finding | None:
    """A "partial" with the text of solve.sh leaves nothing out."""
    whole = clues.task.solution.script.split()
    same = [p.path for p in clues.task.solution.partials if p.text.split() == whole]
    return Finding(tuple(f"{path} is the whole solution" for path in same)) if same else None


def matrix(clues: Clues) -> Finding | None:
    wrong = clues.matrix.disagreements
    if not wrong:
        return None
    artifact = wrong[0].artifact
    lines = [f"{d.kind} {d.value}: {d.why} | {d.row}" for d in wrong if d.artifact == artifact]
    mine = {d.kind for d in wrong if d.artifact == artifact}
    elsewhere = artifact == "instruction" and mine == {"path"} and _input_untold(clues)
    return Finding(tuple(lines[:8]), artifact, GROUND if elsewhere else None)


def _input_untold(clues: Clues) -> bool:
    """The solution reads a planned file that the instruction does not lead to."""
    manifest = clues.task.environment.manifest
    planned = [f.path for f in manifest.files if f.kind == "file"] if manifest else []
    return any(clues.world.scripted(p) and not clues.world.told(p) for p in planned)


def first_word(clues: Clues) -> Finding | None:
    """Strict gates write `artifact: what` into their details."""
    for line in clues.gate.details:
        for artifact in ARTIFACTS:
            if line.startswith(f"{artifact}:"):
                return Finding(clues.gate.details[:8], artifact)
    return None
