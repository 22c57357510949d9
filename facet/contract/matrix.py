"""Rows of the contract and the artifact that stands alone in each row that does not agree. Pure.

What decides is a table (`RULES`): per kind of entity, who has it and who lacks it. Columns and keys
are only blamed where a check that needs them failed: a script that copies all columns names none.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from facet.check_source import check_sources
from facet.contract.mention import Disagreement, Kind, Matrix, Mention, Row
from facet.contract.needs import Needs, needs_of
from facet.contract.words import (
    LIMIT,
    URL,
    VARIABLE,
    lines_of,
    names_in,
    outside,
    paths_in,
    ports_in,
    relative_paths_in,
    users_in,
)
from facet.contract.world import World
from facet.types.manifest import RealizedManifest
from facet.types.task import Task
from facet.types.trial import Trial

MOST_ROWS = 600
COMPOUND = re.compile(r"[a-z0-9][_-][a-z0-9]|[a-z][A-Z]")  # no word of prose, no attribute of HTML
NEGATED = (
    " not ",
    "n't ",
    " never ",
    " no ",
    " without ",
    " remove",
    " delete",
    " e.g. ",
    " such as ",
)


def contract_matrix(
    task: Task,
    *,
    realized: RealizedManifest | None = None,
    oracle: Trial | None = None,
    nop: Trial | None = None,
) -> Matrix:
    """All rows with their mentions, and the rows that do not agree."""
    world = World(task, realized=realized, oracle=oracle, nop=nop)
    needs = tuple(needs_of(s) for s in check_sources(task.verifier.files))
    mentions = [
        *_of_instruction(task),
        *_of_environment(task, realized),
        *_of_solution(task),
        *_of_oracle(oracle),
        *_of_verifier(needs),
    ]
    found: dict[tuple[Kind, str], list[Mention]] = {}
    for mention in mentions:
        found.setdefault((mention.kind, mention.value), []).append(mention)
    rows = tuple(
        Row(kind=kind, value=value, mentions=tuple(those))
        for (kind, value), those in sorted(found.items())[:MOST_ROWS]
    )
    failing = {c.id.partition("[")[0] for c in oracle.failing} if oracle else set()
    passing = {c.id.partition("[")[0] for c in oracle.checks} - failing if oracle else set()
    wrong = [d for row in rows if (d := _disagreement(row, world, failing, passing))]
    return Matrix(rows=rows, disagreements=tuple(wrong))


def all_needs(task: Task) -> dict[str, Needs]:
    """Needs of every check by its id."""
    return {s.id: needs_of(s) for s in check_sources(task.verifier.files)}


# ---- who mentions what ----------------------------------------------------------------------


def _of_instruction(task: Task) -> Iterator[Mention]:
    manifest = task.environment.manifest
    workdir = manifest.workdir if manifest else "/app"

    def at(kind: Kind, value: str, line: int, how: str = "") -> Mention:
        return Mention(
            kind=kind, value=value, column="instruction", file="instruction.md", line=line, how=how
        )

    for number, line in lines_of(task.instruction.text):
        for path in paths_in(line):
            yield at("path", path, number, "negated" if _negated(line, path) else "")
        for name in names_in(line):
            yield at("name", name, number)
        for path in relative_paths_in(line, workdir):
            yield at("path", path, number, "relative")
        for port in ports_in(line):
            yield at("port", port, number)
        for url in URL.findall(line):
            yield at("url", url.rstrip("./"), number)
        for user in users_in(line):
            yield at("user", user, number)
        for variable in VARIABLE.findall(line):
            yield at("variable", variable, number)
        for limit in LIMIT.findall(line):
            yield at("limit", limit, number)


def _negated(line: str, path: str) -> bool:
    """Does the sentence say, next to the path, that it is not there or only an example?"""
    for at in re.finditer(re.escape(path) + r"(?![\w/-]|\.\w)", line):
        before = re.split(r"[.!?;:]\s", line[: at.start()])[-1][-70:]
        after = re.split(r"[.!?;:(]\s?", line[at.end() :])[0][:40]
        around = f" {before} {after} ".lower()
        if not any(word in around for word in NEGATED):
            return False
    return True


def _of_environment(task: Task, realized: RealizedManifest | None) -> Iterator[Mention]:
    manifest = task.environment.manifest
    if manifest is not None:
        for file in manifest.files:
            yield Mention(kind="path", value=file.path, column="planned", how=file.kind)
        for service in manifest.services:
            yield Mention(kind="service", value=service.name, column="planned")
            if service.port:
                yield Mention(
                    kind="port", value=str(service.port), column="planned", how=service.name
                )
        for user in manifest.users:
            yield Mention(kind="user", value=user.name, column="planned")
        for name, _ in manifest.env:
            yield Mention(kind="variable", value=name, column="planned")
        for package in manifest.packages:
            yield Mention(kind="command", value=package.name, column="planned", how=package.kind)
    if realized is not None:
        for found in realized.files:
            yield Mention(kind="path", value=found.path, column="realized", how=found.kind)
        for seen in realized.services:
            how = "running" if seen.running else "not running"
            yield Mention(kind="service", value=seen.name, column="realized", how=how)
        for name in realized.users:
            yield Mention(kind="user", value=name, column="realized")
        for name, _ in realized.env:
            yield Mention(kind="variable", value=name, column="realized")


def _of_solution(task: Task) -> Iterator[Mention]:
    for number, line in lines_of(task.solution.script):
        at = {"column": "solution", "file": "solve.sh", "line": number}
        if line.lstrip().startswith("#"):
            continue
        for path in paths_in(line):
            yield Mention.model_validate({"kind": "path", "value": path, **at})
        for port in ports_in(line):
            yield Mention.model_validate({"kind": "port", "value": port, **at})
        for user in users_in(line):
            yield Mention.model_validate({"kind": "user", "value": user, **at})


def _of_oracle(oracle: Trial | None) -> Iterator[Mention]:
    for change in (oracle.changes if oracle else ())[:MOST_ROWS]:
        if not outside(change.path):
            yield Mention(kind="path", value=change.path, column="oracle", how=change.change)


def _of_verifier(needs: Iterable[Needs]) -> Iterator[Mention]:
    for need in needs:
        groups: tuple[tuple[Kind, tuple[tuple[str, int], ...]], ...] = (
            ("path", need.paths),
            ("key", need.keys),
            ("port", need.ports),
            ("user", need.users),
            ("variable", need.variables),
            ("command", need.commands),
        )
        for kind, values in groups:
            for value, line in values:
                if kind != "path" or not outside(value):
                    yield Mention(
                        kind=kind,
                        value=value,
                        column="verifier",
                        file=need.file,
                        line=line,
                        check=need.id,
                    )


# ---- who stands alone -----------------------------------------------------------------------


class _Look:
    """One row with what the world says of it."""

    def __init__(self, row: Row, world: World, failing: set[str], passing: set[str]) -> None:
        self.row = row
        self.world = world
        checks = {m.check for m in row.cell("verifier")}
        self.needed = bool(checks)
        self.broken = bool(checks & failing)
        self.passes = bool(checks & passing) and not self.broken

    @property
    def asserted(self) -> bool:
        """The instruction says it is there, not that it must not be."""
        return any(m.how != "negated" for m in self.row.cell("instruction"))


def _disagreement(
    row: Row, world: World, failing: set[str], passing: set[str]
) -> Disagreement | None:
    rule = RULES.get(row.kind)
    found = rule(_Look(row, world, failing, passing)) if rule else None
    if found is None:
        return None
    artifact, why, column = found
    cells = [m for m in row.mentions if m.column == column] or list(row.mentions)
    return Disagreement(
        kind=row.kind,
        value=row.value,
        artifact=artifact,  # type: ignore[arg-type]
        why=why,
        where=cells[0].where if cells else "",
        row=row.line(),
    )


type _Found = tuple[str, str, str] | None


def _path(look: _Look) -> _Found:
    path, world = look.row.value, look.world
    held, made = world.held(path), world.made(path)
    told, scripted = world.told(path), world.scripted(path)
    if look.needed and held is False and made is False and not look.passes:
        if told:
            return "solution", "the instruction asks for it, the solution does not make it", ""
        if scripted == "exact":
            return "solution", "the solution names it but does not make it", "solution"
        return "verifier", "only the verifier speaks of it", "verifier"
    if look.needed and held is False and made is True and not told:
        return "instruction", "the verifier needs it, the instruction does not say so", "verifier"
    loose = held is False and made is False and world.knows_place(path)
    if look.asserted and not look.needed and loose:
        if look.row.cell("solution"):
            return "environment", "instruction and solution use it, nothing holds it", "solution"
        return "instruction", "only the instruction speaks of it", "instruction"
    return None


def _port(look: _Look) -> _Found:
    port, world = look.row.value, look.world
    told = bool(look.row.cell("instruction")) or world.word_told(port)
    has = port in world.ports() or port in world.tokens or world.word_held(port)
    scripted = world.word_scripted(port)
    if look.needed and not has:
        if not told and not scripted and not look.passes:
            return "verifier", "only the verifier speaks of this port", "verifier"
        if told and not scripted and look.broken:
            return "solution", "instruction and verifier speak of this port", "instruction"
        if scripted and not told:
            return "instruction", "the verifier needs this port, the instruction omits it", ""
    if look.asserted and not look.needed and not has and not scripted:
        if world.ports() and world.manifest is not None:
            return "instruction", "no service has this port", "instruction"
        if look.row.cell("solution"):
            return "environment", "nothing listens on this port", "instruction"
    return None


def _user(look: _Look) -> _Found:
    user, world = look.row.value, look.world
    if not look.needed or user in world.users() or world.manifest is None:
        return None
    told, scripted = world.word_told(user), world.word_scripted(user)
    if told and not scripted:
        return "solution", "instruction and verifier want this user", "instruction"
    if scripted and not told:
        return "instruction", "the verifier needs this user, the instruction omits it", "verifier"
    if not scripted and not told:
        return "verifier", "only the verifier speaks of this user", "verifier"
    return None


def _key(look: _Look) -> _Found:
    key, world = look.row.value, look.world
    told, scripted, has = world.name_told(key), world.word_scripted(key), world.word_held(key)
    if not look.needed or has or len(key) < 3 or key in world.story.split():
        return None
    if look.passes and scripted and not told and not world.word_told(key) and COMPOUND.search(key):
        return "instruction", "the verifier needs this name, the instruction omits it", "verifier"
    if look.broken:
        if not told and not scripted:
            return "verifier", "only the verifier speaks of this name", "verifier"
        if told and not scripted:
            return "solution", "the instruction asks for this name, the solution omits it", ""
    return None


def _name(look: _Look) -> _Found:
    name, world = look.row.value, look.world
    if world.known(name) or name in world.story:
        return None
    return "instruction", "only the instruction speaks of this name", "instruction"


RULES: dict[Kind, Callable[[_Look], _Found]] = {
    "path": _path,
    "port": _port,
    "user": _user,
    "key": _key,
    "name": _name,
}
"""Who stands alone, by kind; kinds without a rule are shown and never blamed."""
