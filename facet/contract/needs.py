"""What one check needs to be there: paths, keys, ports, users, variables, commands. Pure."""

import ast
import re
from collections.abc import Iterator

from facet.check_source import CheckSource, strings
from facet.contract.fold import Fold
from facet.contract.words import ports_in
from facet.types.value import Value

KEY = re.compile(r"[A-Za-z_][\w .-]{0,40}\Z")
RUNNERS = ("run", "check_output", "Popen", "call", "check_call", "getoutput")
NAMING = re.compile(r"fieldnames|keys|columns|header|description|\bset\(", re.I)
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+")
QUOTED = re.compile(r"= ?'([A-Za-z][\w-]*)'")
SQLITE = re.compile(r"sqlite_|tbl_name$|\w+_info$|\w+_list$|integrity_check$|foreign_key")
ABSENCE = ("exists", "is_file", "is_dir", "lexists", "isfile", "isdir", "is_symlink")


class Needs(Value):
    """Entities of one check, each with the line that needs it."""

    id: str
    file: str
    line: int
    guard: bool = False
    paths: tuple[tuple[str, int], ...] = ()
    absent: tuple[str, ...] = ()  # paths it wants not to exist
    keys: tuple[tuple[str, int], ...] = ()  # columns and keys it reads from data
    ports: tuple[tuple[str, int], ...] = ()
    users: tuple[tuple[str, int], ...] = ()
    variables: tuple[tuple[str, int], ...] = ()
    commands: tuple[tuple[str, int], ...] = ()
    literals: tuple[str, ...] = ()  # constants it compares with
    names: tuple[str, ...] = ()  # identifiers in the strings of its own function


def needs_of(source: CheckSource) -> Needs:
    """Read the needs of a check from its source."""
    fold = Fold(source)
    absent = tuple(dict.fromkeys(_absent(source, fold)))
    paths = {p: line for p, _, line in fold.paths() if p not in absent}
    own = set(_own_keys(source))
    keys = {k: line for k, line in _keys(source) if k not in own}
    return Needs(
        id=source.id,
        file=source.file,
        line=source.line,
        guard=source.guard,
        paths=tuple(paths.items()),
        absent=absent,
        keys=tuple(keys.items()),
        ports=tuple(dict(_ports(source)).items()),
        users=tuple(dict(_called(source, ("getpwnam", "getgrnam"))).items()),
        variables=tuple(dict(_variables(source)).items()),
        commands=tuple(dict(_commands(source)).items()),
        literals=tuple(dict.fromkeys(_literals(source))),
        names=tuple(dict.fromkeys(_names(source))),
    )


def _absent(source: CheckSource, fold: Fold) -> Iterator[str]:
    for _, node in source.walk():
        inner: ast.expr | None = None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = node.operand
        elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
            right = node.comparators[0]
            if isinstance(right, ast.Constant) and right.value is False:
                inner = node.left
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            if inner.func.attr not in ABSENCE:
                continue
            target = inner.args[0] if inner.args else inner.func.value
            if (text := fold.text(target)) is not None:
                yield text


def _keys(source: CheckSource) -> Iterator[tuple[str, int]]:
    for _, node in source.walk():
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if not _environ(node.value):
                yield from _key(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "get" and node.args and not _environ(node.func.value):
                yield from _key(node.args[0])
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(op, ast.Eq | ast.LtE | ast.GtE) for op in node.ops):
                for side, other in zip(sides, reversed(sides), strict=True):
                    if NAMING.search(ast.unparse(other)):
                        yield from _listed(side)


def _key(node: ast.expr) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.match(node.value):
        yield node.value, node.lineno


def _listed(node: ast.expr) -> Iterator[tuple[str, int]]:
    """Names in `== ["id", "amount"]` or `== {"count", "total"}`."""
    if isinstance(node, ast.List | ast.Set | ast.Tuple) and len(node.elts) > 1:
        found = [k for element in node.elts for k in _key(element)]
        if len(found) == len(node.elts):
            yield from found


def _own_keys(source: CheckSource) -> Iterator[str]:
    """Keys the check puts into its own tables."""
    for _, node in source.walk():
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                yield node.slice.value
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def _ports(source: CheckSource) -> Iterator[tuple[str, int]]:
    for _, node in source.walk():
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            host, port = node.elts
            if (
                isinstance(host, ast.Constant)
                and host.value in ("127.0.0.1", "localhost", "::1")
                and isinstance(port, ast.Constant)
                and isinstance(port.value, int)
            ):
                yield str(port.value), node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for port_text in ports_in(node.value[:2000]):
                yield port_text, node.lineno


def _called(source: CheckSource, names: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for _, node in source.walk():
        if isinstance(node, ast.Call) and node.args and _name(node.func) in names:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value, node.lineno


def _variables(source: CheckSource) -> Iterator[tuple[str, int]]:
    yield from _called(source, ("getenv",))
    for _, node in source.walk():
        if isinstance(node, ast.Subscript) and _environ(node.value):
            yield from _key(node.slice)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and _environ(node.func.value)
            and node.args
        ):
            yield from _key(node.args[0])


def _commands(source: CheckSource) -> Iterator[tuple[str, int]]:
    for _, node in source.walk():
        if not (isinstance(node, ast.Call) and node.args and _name(node.func) in RUNNERS):
            continue
        first = node.args[0]
        if isinstance(first, ast.List | ast.Tuple) and first.elts:
            first = first.elts[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value:
            yield first.value.split()[0], node.lineno


def _literals(source: CheckSource) -> Iterator[str]:
    """Constants on either side of a comparison of the check's own function."""
    for node in ast.walk(source.node):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                for inner in ast.walk(side):
                    if isinstance(inner, ast.Constant) and inner.value not in (None, True, False):
                        yield repr(inner.value)[:400]


def _names(source: CheckSource) -> Iterator[str]:
    """`entry_by_day` in a query, `out_of_stock` as a key: words somebody must have agreed on."""
    last = source.node.end_lineno or source.node.lineno
    for file, line, text in strings(source):
        if file == source.file and source.node.lineno <= line <= last and len(text) < 2000:
            found = [*IDENTIFIER.findall(text), *QUOTED.findall(text)]
            yield from (name for name in found if not SQLITE.match(name))


def _environ(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "environ"


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
