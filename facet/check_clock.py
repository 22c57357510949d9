"""Exact comparisons of clock readings in a verifier: they break about as often as a clock ticks.

Two readings of a clock a moment apart are equal only by luck, so `elapsed == 0.5` or
`time.time() == start` turns a check flaky. Pure: sources are parsed, never run. Seen is a `==`,
`!=` or `in` whose either side holds a reading, a name that was assigned from one in the same
function, or arithmetic on those; what goes through another function or an attribute is not.
"""

import ast
from collections.abc import Iterator

from facet.check_source import parse_python
from facet.types.task import FileSet

CLOCKS = frozenset(
    f"time.{name}{suffix}"
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    for suffix in ("", "_ns")
) | {f"{owner}.{name}" for owner in ("datetime", "date") for name in ("now", "utcnow")}


def exact_times(files: FileSet) -> tuple[str, ...]:
    """`tests/<path>:<line>: <what>` per exact comparison of a clock reading, in order."""
    found = []
    for file in files.files:
        tree = parse_python(file.data) if file.path.endswith(".py") else None
        if tree is None:
            continue
        lines = {line for scope in _scopes(tree) for line in _compared(scope, _clocks_of(tree))}
        found += [
            f"tests/{file.path}:{line}: compares a clock reading exactly; allow a tolerance"
            for line in sorted(lines)
        ]
    return tuple(found)


def _scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """Nodes of each function, and of the module outside functions."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(n) for function in functions for n in ast.walk(function)}
    yield [n for n in ast.walk(tree) if id(n) not in inside]
    for function in functions:
        yield list(ast.walk(function))


def _clocks_of(tree: ast.Module) -> dict[str, str]:
    """Local name -> full name, for `from time import monotonic as now`, `import time as t`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("time", "datetime"):
            for alias in node.names:
                full = f"time.{alias.name}" if node.module == "time" else alias.name
                names[alias.asname or alias.name] = full
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in ("time", "datetime"):
                    names[alias.asname or alias.name] = alias.name
    return names


def _compared(scope: list[ast.AST], names: dict[str, str]) -> Iterator[int]:
    """Lines of exact comparisons in one scope."""
    readings: set[str] = set()
    for _ in range(3):  # a name from a name from a reading
        for node in scope:
            if isinstance(node, ast.Assign) and _reads(node.value, names, readings):
                readings |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    for node in scope:
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for i, operator in enumerate(node.ops):
            exact = isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn)
            pair = sides[i : i + 2]
            if any(isinstance(s, ast.Call) and _last(s) == "approx" for s in pair):
                continue
            if exact and any(_reads(side, names, readings) for side in pair):
                yield node.lineno


def _reads(node: ast.expr, names: dict[str, str], readings: set[str]) -> bool:
    """Is this expression a clock reading, or arithmetic on one?"""
    if isinstance(node, ast.Name):
        return node.id in readings
    if isinstance(node, ast.BinOp):
        return any(_reads(side, names, readings) for side in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return _reads(node.operand, names, readings)
    if not isinstance(node, ast.Call):
        return False
    called = _dotted(node.func, names)
    if called in CLOCKS:
        return True
    return called in ("abs", "float") and any(_reads(a, names, readings) for a in node.args)


def _last(call: ast.Call) -> str:
    return _dotted(call.func, {}).rpartition(".")[2]


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """`datetime.datetime.now` -> "datetime.now"; "" for what is no plain name."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, names)
        last = owner.rpartition(".")[2]
        return f"{last}.{node.attr}" if last else ""
    return ""
