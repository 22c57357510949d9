"""The code behind each check of a verifier, read from its source and never run.

A check's `reach` is its own function and whatever module-level functions, fixtures and constants
it uses, also from sibling test files. Pure. Python only: a verifier in another language has no
check source, and callers must treat that as unknown.
"""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from facet.types.task import FileSet

LONGEST_SOURCE = 400_000  # bytes of one test file that are read
MOST_CHECKS = 500

type Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A parsed test file: its top-level definitions by name and what it imports from siblings."""

    path: str
    tree: ast.Module
    names: dict[str, ast.stmt]
    imports: dict[str, tuple[str, str]]  # local name -> (module stem, name there)


@dataclass(frozen=True)
class CheckSource:
    """One check: where it stands and everything it uses."""

    id: str
    file: str  # relative to tests/
    line: int
    node: Function
    reach: tuple[tuple[str, ast.stmt], ...]  # (file, definition), the check itself first
    guard: bool = False
    weight: float = 1.0

    @cached_property
    def nodes(self) -> tuple[tuple[str, ast.AST], ...]:
        """Every node of everything reached, with its file."""
        return tuple((file, node) for file, there in self.reach for node in ast.walk(there))

    def walk(self) -> Iterator[tuple[str, ast.AST]]:
        """The same, one after another."""
        return iter(self.nodes)


def parse_python(data: bytes) -> ast.Module | None:
    """The syntax tree, or None when this is too long or no Python."""
    if len(data) > LONGEST_SOURCE:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def check_sources(files: FileSet) -> tuple[CheckSource, ...]:
    """All checks of a verifier: marked tests by their id, others by `file::function`."""
    modules = {m.path: m for m in _modules(files)}
    by_stem = {path.rpartition("/")[2].removesuffix(".py"): m for path, m in modules.items()}
    found: list[CheckSource] = []
    for module in modules.values():
        if not module.path.rpartition("/")[2].startswith("test") and "_test" not in module.path:
            continue
        for prefix, function in _tests(module.tree):
            marked = _mark(function)
            found.append(
                CheckSource(
                    id=str(marked.get("id") or f"{module.path}::{prefix}{function.name}"),
                    file=module.path,
                    line=function.lineno,
                    node=function,
                    reach=_reach(function, module, by_stem),
                    guard=marked.get("guard") is True,
                    weight=_number(marked.get("weight")),
                )
            )
    return tuple(found[:MOST_CHECKS])


def find_check(sources: tuple[CheckSource, ...], id: str) -> CheckSource | None:
    """The source of the check with this reported id, however its reporter spells it."""
    plain = id.partition("[")[0]
    for source in sources:
        if plain == source.id:
            return source
    name = plain.rpartition("::")[2].rpartition(".")[2].rpartition("/")[2]
    same = [s for s in sources if s.node.name == name]
    return same[0] if len(same) == 1 else None


def strings(source: CheckSource) -> Iterator[tuple[str, int, str]]:
    """`(file, line, text)` of every string constant it uses, docstrings and messages left out."""
    quiet = {id(node) for _, node in _quiet(source)}
    for file, node in source.walk():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            yield file, node.lineno, node.value


def _quiet(source: CheckSource) -> Iterator[tuple[str, ast.AST]]:
    """Constants that are words for people: docstrings, assert messages, the check's own mark."""
    for file, node in source.walk():
        if isinstance(node, ast.Assert) and node.msg is not None:
            yield from ((file, inner) for inner in ast.walk(node.msg))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield file, node.value
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                if _is_mark(decorator):
                    yield from ((file, inner) for inner in ast.walk(decorator))


def _modules(files: FileSet) -> Iterator[Module]:
    for file in files.files:
        if not file.path.endswith(".py"):
            continue
        tree = parse_python(file.data)
        if tree is None:
            continue
        names: dict[str, ast.stmt] = {}
        imports: dict[str, tuple[str, str]] = {}
        for statement in tree.body:
            for name in _defines(statement):
                names[name] = statement
            if isinstance(statement, ast.ImportFrom) and statement.module:
                stem = statement.module.rpartition(".")[2]
                for alias in statement.names:
                    imports[alias.asname or alias.name] = (stem, alias.name)
        yield Module(path=file.path, tree=tree, names=names, imports=imports)


def _defines(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]


def _tests(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name.startswith("test"):
                yield "", statement
        elif isinstance(statement, ast.ClassDef) and statement.name.startswith("Test"):
            for inner in statement.body:
                if isinstance(
                    inner, ast.FunctionDef | ast.AsyncFunctionDef
                ) and inner.name.startswith("test"):
                    yield f"{statement.name}::", inner


def _reach(
    function: Function, module: Module, by_stem: dict[str, Module]
) -> tuple[tuple[str, ast.stmt], ...]:
    reached: list[tuple[str, ast.stmt]] = [(module.path, function)]
    queue: list[tuple[Module, ast.stmt]] = [(module, function)]
    seen = {id(function)}
    conftest = by_stem.get("conftest")
    while queue:
        home, definition = queue.pop(0)
        for name in _uses(definition):
            where, found = home, home.names.get(name)
            if found is None and name in home.imports:
                stem, there = home.imports[name]
                if stem in by_stem:
                    where, found = by_stem[stem], by_stem[stem].names.get(there)
            if found is None and conftest is not None:
                where, found = conftest, conftest.names.get(name)
            if found is not None and id(found) not in seen:
                seen.add(id(found))
                reached.append((where.path, found))
                queue.append((where, found))
    return tuple(reached)


def _uses(definition: ast.stmt) -> Iterator[str]:
    for node in ast.walk(definition):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg  # a fixture is used by naming it


def _is_mark(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and target.attr == "check"


def _mark(function: Function) -> dict[str, object]:
    for decorator in function.decorator_list:
        if _is_mark(decorator) and isinstance(decorator, ast.Call):
            return {
                keyword.arg: keyword.value.value
                for keyword in decorator.keywords
                if keyword.arg and isinstance(keyword.value, ast.Constant)
            }
    return {}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 1.0
