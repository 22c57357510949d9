"""From replies to artifacts: manifest -> Environment, scripts -> Solution, tests -> Verifier.

Pure and deterministic: the same reply gives the same bytes on every machine. What cannot be
written safely is refused: `BuildError` for a plan (the environment's fault, with every reason),
`ReplyError` for scripts and tests that are empty or use a reserved name.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from facet.dockerfile import (
    COMPOSE_OFFLINE,
    ENTRYPOINT,
    FILES,
    dockerfile,
    entrypoint,
    manifest_problems,
)
from facet.errors import BuildError, ReplyError
from facet.grading.testsh import TEST_SH
from facet.types.asks import InstructionReply, NamedScript, SolutionReply, VerifierReply
from facet.types.manifest import Manifest
from facet.types.scenario import Scenario
from facet.types.skill import Seed
from facet.types.task import (
    DeclaredCheck,
    Environment,
    FileSet,
    Instruction,
    Provenance,
    Settings,
    Solution,
    Task,
    TextFile,
    Verifier,
    text_file,
)

ORGANISATION = "facet"
GENERATOR = "provenance/generator.txt"  # in the context for readers, never copied into the image
RESERVED_TESTS = ("test.sh", "conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
MAX_TEXT = 1_000_000  # bytes of one script or test file
MAX_SCRIPTS = 20


def environment_from(manifest: Manifest) -> Environment:
    """Build context of a plan: Dockerfile, files/, entrypoint, compose file, provenance.

    Resources are named in the Dockerfile and added to the context by whoever fetched them. Raises
    BuildError naming everything in the plan that cannot be written.
    """
    if problems := manifest_problems(manifest):
        raise BuildError("the environment's plan cannot be built: " + "; ".join(problems))
    files = [
        text_file("Dockerfile", dockerfile(manifest)),
        text_file("docker-compose.yaml", COMPOSE_OFFLINE),
    ]
    for planned in manifest.files:
        if planned.data is not None:
            path = FILES + str(PurePosixPath(planned.path))
            executable = int(planned.mode, 8) & 0o111 != 0
            files.append(TextFile(path=path, data=planned.data, executable=executable))
    if manifest.services:
        files.append(text_file(ENTRYPOINT, entrypoint(manifest), executable=True))
    if manifest.generator:
        files.append(text_file(GENERATOR, manifest.generator))
    return Environment(files=FileSet(files=tuple(files)), manifest=manifest)


def instruction_from(reply: InstructionReply) -> Instruction:
    """The instruction, with exactly one line break at its end."""
    if not reply.text.strip():
        raise ReplyError("the instruction is empty")
    return Instruction(text=reply.text.strip() + "\n")


def solution_from(reply: SolutionReply) -> Solution:
    """solve.sh, partials/*.sh and alternatives/*.sh, all executable."""
    if not reply.script.strip():
        raise ReplyError("the solution has no solve.sh")
    files = [_script("solve.sh", reply.script)]
    for folder, scripts in (("partials", reply.partials), ("alternatives", reply.alternatives)):
        if len(scripts) > MAX_SCRIPTS:
            raise ReplyError(f"{len(scripts)} {folder}, at most {MAX_SCRIPTS} are taken")
        files += _named(folder, scripts)
    return Solution(files=FileSet(files=tuple(files)))


def _named(folder: str, scripts: Iterable[NamedScript]) -> Iterator[TextFile]:
    taken: set[str] = set()
    for script in scripts:
        stem = slug(script.name.removesuffix(".sh")) or "script"
        name, number = stem, 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        yield _script(f"{folder}/{name}.sh", script.text)


def _script(path: str, text: str) -> TextFile:
    if len(text.encode("utf-8", "replace")) > MAX_TEXT:
        raise ReplyError(f"{path} is longer than {MAX_TEXT:,} bytes")
    return TextFile(path=path, data=text.encode("utf-8", "replace"), executable=True)


def verifier_from(reply: VerifierReply) -> Verifier:
    """The tests with our test.sh; `checks` is what their source declares."""
    files = {"test.sh": text_file("test.sh", TEST_SH, executable=True)}
    for test in reply.files:
        path = test.path.removeprefix("/").removeprefix("tests/")
        pure = PurePosixPath(path)
        if not re.fullmatch(r"[\w./-]+", path) or ".." in pure.parts or pure.is_absolute():
            raise ReplyError(f"test file {test.path!r}: not a plain path below tests/")
        if pure.name in RESERVED_TESTS or str(pure) in files:
            raise ReplyError(f"test file {test.path!r}: this name is taken or kept for the grading")
        data = test.text.encode("utf-8", "replace")
        if len(data) > MAX_TEXT:
            raise ReplyError(f"{test.path} is longer than {MAX_TEXT:,} bytes")
        files[str(pure)] = TextFile(path=str(pure), data=data)
    if not any(PurePosixPath(p).match("test_*.py") for p in files):
        raise ReplyError("the verifier has no test_*.py")
    ordered = FileSet(files=tuple(files.values()))
    return Verifier(files=ordered, checks=declared_checks(ordered))


def declared_checks(files: FileSet) -> tuple[DeclaredCheck, ...]:
    """Checks that `@pytest.mark.check(id=, title=, weight=, guard=)` declares in test_*.py files.

    Read from the source without running it, in source order; files that do not parse declare
    nothing here (the `loads` gate names them). Arguments that are not constants are ignored.
    """
    found: list[DeclaredCheck] = []
    for file in files.files:
        if PurePosixPath(file.path).match("test_*.py"):
            found += _checks_in(file)
    return tuple(found)


def _checks_in(file: TextFile) -> Iterator[DeclaredCheck]:
    try:
        tree = ast.parse(file.data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in sorted(functions, key=lambda n: n.lineno):
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and _is_check_mark(decorator.func):
                yield _declared(function, decorator)


def _is_check_mark(node: ast.expr) -> bool:
    """`pytest.mark.check` or `mark.check`."""
    if not isinstance(node, ast.Attribute) or node.attr != "check":
        return False
    mark = node.value
    return (isinstance(mark, ast.Attribute) and mark.attr == "mark") or (
        isinstance(mark, ast.Name) and mark.id == "mark"
    )


def _declared(function: ast.FunctionDef | ast.AsyncFunctionDef, mark: ast.Call) -> DeclaredCheck:
    given = {k.arg: k.value.value for k in mark.keywords if isinstance(k.value, ast.Constant)}
    weight = given.get("weight", 1.0)
    real = isinstance(weight, int | float) and not isinstance(weight, bool)
    doc = ast.get_docstring(function) or ""
    title = given.get("title") or (doc.splitlines()[0] if doc else "")
    return DeclaredCheck(
        id=str(given.get("id") or function.name),
        title=str(title),
        weight=float(weight) if real else 1.0,  # type: ignore[arg-type]
        guard=given.get("guard") is True,
    )


def slug(text: str, length: int = 40) -> str:
    """Lower-case letters, digits and single dashes, cut at a word."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if len(words) > length:
        words = words[:length].rpartition("-")[0] or words[:length]
    return words


def task_from(
    seed: Seed,
    scenario: Scenario,
    instruction: Instruction,
    environment: Environment,
    solution: Solution,
    verifier: Verifier,
    provenance: Provenance,
    settings: Settings | None = None,
) -> Task:
    """The task of one seed: named `facet/<slug>` after its title and seed, unique per seed."""
    return Task(
        name=f"{ORGANISATION}/{slug(scenario.title) or 'task'}-{seed.id}",
        instruction=instruction,
        environment=environment,
        solution=solution,
        verifier=verifier,
        settings=settings or Settings(),
        scenario=scenario,
        provenance=provenance,
    )
