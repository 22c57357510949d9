"""Small pure changes of one artifact, from which defects are made.

Every function returns a `Plant`. Text to be replaced must be there: ValueError otherwise, so that a
defect cannot silently become a good task when the texts of a base change.
"""

import re
from collections.abc import Callable, Iterable

from facet.assemble import declared_checks, environment_from
from facet.errors import BuildError
from facet.selftest.defect import Plant
from facet.types.manifest import Manifest, PlannedFile
from facet.types.task import (
    Environment,
    FileSet,
    Instruction,
    Solution,
    Task,
    TextFile,
    Verifier,
    text_file,
)

TESTS = "test_state.py"
SECOND_HALF = "python3 - <<'PY'\n"


def swapped(text: str, old: str, new: str) -> str:
    """`text` with every `old` replaced; ValueError if there is none."""
    if old not in text:
        raise ValueError(f"{old!r} is not in the text to be changed")
    return text.replace(old, new)


def const(task: Task, name: str) -> str:
    """The text value of a constant of the verifier, such as TABLE."""
    found = re.search(rf"^{name} = '([^'\n]+)'$", task.verifier.files.text(TESTS), re.M)
    if found is None:
        raise ValueError(f"the verifier has no constant {name}")
    return found[1]


def column(task: Task, index: int) -> str:
    """A column of the clean table."""
    found = re.search(r"^COLUMNS = \[(.+)\]$", task.verifier.files.text(TESTS), re.M)
    if found is None:
        raise ValueError("the verifier has no constant COLUMNS")
    return [m[1] for m in re.finditer(r"'([^']+)'", found[1])][index]


def first_input(task: Task) -> str:
    """Path of the first planned file."""
    manifest = task.environment.manifest
    return next(f.path for f in manifest.files if f.kind == "file") if manifest else ""


def then(*plants: Plant) -> Plant:
    """Several changes one after another (of the same artifact)."""

    def plant(task: Task) -> Task:
        for step in plants:
            task = step(task)
        return task

    return plant


# ---- instruction ------------------------------------------------------------------------------


def told(old: str, new: str) -> Plant:
    """Other words in the instruction."""
    return lambda task: retold(task, swapped(task.instruction.text, old, new))


def retold(task: Task, text: str) -> Task:
    """This text as the instruction."""
    return task.replace("instruction", Instruction(text=text))


def lines_without(name: str) -> Plant:
    """Drop the lines of the instruction that speak of this path."""

    def plant(task: Task) -> Task:
        path = const(task, name)
        lines = task.instruction.text.splitlines(keepends=True)
        kept = [line for line in lines if path not in line]
        if kept == lines:
            raise ValueError(f"no line of the instruction speaks of {path}")
        return retold(task, "".join(kept))

    return plant


# ---- solution ---------------------------------------------------------------------------------


def solve(old: str, new: str) -> Plant:
    """Other text in solve.sh."""
    return lambda task: resolved(task, swapped(task.solution.script, old, new))


def solve_line(old: str, new: str) -> Plant:
    """Other text in solve.sh, in the first line that holds it."""

    def plant(task: Task) -> Task:
        script = task.solution.script
        swapped(script, old, new)
        return resolved(task, script.replace(old, new, 1))

    return plant


def solve_last(text: str) -> Plant:
    """More lines at the end of solve.sh."""
    return lambda task: resolved(task, task.solution.script.rstrip("\n") + f"\n{text}\n")


def resolved(task: Task, script: str) -> Task:
    """This text as solve.sh."""
    file = text_file("solve.sh", script, executable=True)
    return task.replace("solution", Solution(files=task.solution.files.with_file(file)))


def first_half(task: Task) -> Task:
    """solve.sh of a walked task without what it makes of the table."""
    script = task.solution.script
    if script.count(SECOND_HALF) != 2:
        raise ValueError("solve.sh does not have two halves")
    return resolved(task, script[: script.rindex(SECOND_HALF)])


def partial(text: str, name: str = "planted") -> Plant:
    """One more partial solution."""
    file = text_file(f"partials/{name}.sh", text, executable=True)
    return lambda task: task.replace(
        "solution", Solution(files=task.solution.files.with_file(file))
    )


# ---- verifier ---------------------------------------------------------------------------------


def tests(old: str, new: str) -> Plant:
    """Other text in the checks."""
    return lambda task: retested(task, swapped(task.verifier.files.text(TESTS), old, new))


def retested(task: Task, source: str) -> Task:
    """This source as the checks; what it declares is read again."""
    return verifier_file(text_file(TESTS, source))(task)


def verifier_file(file: TextFile) -> Plant:
    """This file in the verifier, new or replaced."""

    def plant(task: Task) -> Task:
        files = task.verifier.files.with_file(file)
        return task.replace("verifier", Verifier(files=files, checks=declared_checks(files)))

    return plant


def test_sh(script: str) -> Plant:
    """Another test.sh."""
    return verifier_file(text_file("test.sh", script, executable=True))


def check(id: str, body: str, guard: bool = False) -> Plant:
    """One more check; `body` is its statements."""
    mark = f'@pytest.mark.check(id="{id}", title="{id}"{", guard=True" if guard else ""})'
    name = re.sub(r"\W", "_", id)
    lines = "\n".join(f"    {line}".rstrip() for line in body.strip("\n").splitlines())
    return lambda task: retested(
        task,
        task.verifier.files.text(TESTS).rstrip("\n")
        + f"\n\n\n{mark}\ndef test_{name}():\n{lines}\n",
    )


def body_of(id: str, body: str) -> Plant:
    """Another body for the check of this id."""

    def plant(task: Task) -> Task:
        source = task.verifier.files.text(TESTS)
        found = _function(source, id)
        lines = "\n".join(f"    {line}".rstrip() for line in body.strip("\n").splitlines())
        return retested(task, source[: found.end(1)] + lines + "\n" + source[found.end() :])

    return plant


def without_check(id: str) -> Plant:
    """The verifier without the check of this id."""

    def plant(task: Task) -> Task:
        source = task.verifier.files.text(TESTS)
        found = _function(source, id)
        return retested(task, source[: found.start()] + source[found.end() :])

    return plant


def _function(source: str, id: str) -> "re.Match[str]":
    mark = rf"@pytest\.mark\.check\(id=['\"]{re.escape(id)}['\"][^\n]*\)\n"
    found = re.search(rf"({mark}def \w+\([^)]*\):\n)(?:[ \t]+[^\n]*\n|\n(?=[ \t]))+", source)
    if found is None:
        raise ValueError(f"the verifier has no check {id!r}")
    return found


# ---- environment ------------------------------------------------------------------------------


def plan(change: Callable[[Manifest], Manifest]) -> Plant:
    """Another plan, and the build context that follows from it."""

    def plant(task: Task) -> Task:
        manifest = task.environment.manifest
        if manifest is None:
            raise ValueError("the task carries no plan")
        try:
            environment = environment_from(change(manifest))
        except BuildError as error:
            raise ValueError(str(error)) from error
        return task.replace("environment", environment)

    return plant


def files(change: Callable[[PlannedFile], PlannedFile | None]) -> Plant:
    """Every planned file changed or (None) left out; something must change."""

    def changed(manifest: Manifest) -> Manifest:
        kept: Iterable[PlannedFile | None] = (change(f) for f in manifest.files)
        new = tuple(f for f in kept if f is not None)
        if new == manifest.files:
            raise ValueError("no planned file was changed")
        return manifest.model_copy(update={"files": new})

    return plan(changed)


def without(path: str) -> Plant:
    """The plan without this file."""
    return files(lambda f: None if f.path == path else f)


def moved(path: str, to: str) -> Plant:
    """The planned file at another place."""
    return files(lambda f: f.model_copy(update={"path": to}) if f.path == path else f)


def fixture(path: str, old: bytes, new: bytes) -> Plant:
    """Other bytes in a planned file."""

    def change(file: PlannedFile) -> PlannedFile:
        if file.path != path or file.data is None or old not in file.data:
            return file
        return file.model_copy(update={"data": file.data.replace(old, new)})

    return files(change)


def planned(*new: PlannedFile) -> Plant:
    """More planned files."""
    return plan(lambda m: m.model_copy(update={"files": (*m.files, *new)}))


def plan_with(**update: object) -> Plant:
    """Other fields of the plan."""
    return plan(lambda m: m.model_copy(update=update))


def service(**update: object) -> Plant:
    """The plan's first service changed."""
    return plan(
        lambda m: m.model_copy(
            update={"services": (m.services[0].model_copy(update=update), *m.services[1:])}
        )
    )


def dockerfile(old: str, new: str) -> Plant:
    """Another Dockerfile under the same plan."""

    def plant(task: Task) -> Task:
        text = swapped(task.environment.files.text("Dockerfile"), old, new)
        return with_context(task, text_file("Dockerfile", text))

    return plant


def context_file(file: TextFile) -> Plant:
    """A file of the build context, new or replaced, under the same plan."""
    return lambda task: with_context(task, file)


def context_without(path: str) -> Plant:
    """The build context without this file, under the same plan."""

    def plant(task: Task) -> Task:
        kept = tuple(f for f in task.environment.files.files if f.path != path)
        if len(kept) == len(task.environment.files.files):
            raise ValueError(f"the build context has no {path}")
        return task.replace(
            "environment",
            Environment(files=FileSet(files=kept), manifest=task.environment.manifest),
        )

    return plant


def with_context(task: Task, file: TextFile) -> Task:
    """The task with this file in its build context."""
    environment = task.environment
    return task.replace(
        "environment",
        Environment(files=environment.files.with_file(file), manifest=environment.manifest),
    )
