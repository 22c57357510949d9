"""Alterations of Python inside a solution: steps, values, paths, modes. Parsed, never run. Pure.

Only statements that act are dropped (calls, loops, branches, assignments into something), since a
missing name merely crashes. Texts for people, encodings and layout of output are left alone.
"""

import ast
import re
import warnings
from collections.abc import Iterator

from facet.mutants_text import (
    WATCHED,
    Edit,
    altered_mode,
    altered_path,
    path_edits,
    value_edits,
)

MAX_SOURCE = 100_000  # bytes
MOST = 300
MANNER = re.compile(
    r"encoding|newline|indent|ensure_ascii|separators|sort_keys|errors|timeout|file|flush|exist_ok"
    r"|parents|lineterminator|maxsize|default|check|capture_output|text"
)
"""Keywords that say how, not what."""
TALK = ("print", "exit", "sleep", "warn", "info", "debug", "error")
NORMAL = ("strip", "lower", "upper", "rstrip", "lstrip", "casefold", "title")
FLIPS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
}
CALLS = {"sum": "max", "max": "min", "min": "max", "any": "all", "all": "any", "sorted": "list"}
"""Functions of one argument, and what stands in for them."""
SIMPLE = re.compile(r"[A-Za-z][\w .-]{2,40}")


def python_edits(source: bytes, at: int = 0) -> list[Edit]:
    """Edits of a Python text that stands at byte `at`; [] for a text that does not parse."""
    if len(source) > MAX_SOURCE or b"\r" in source:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    reader = _Reader(source, at)
    try:
        return list(reader.edits(tree))[:MOST]
    except RecursionError:
        return []


class _Reader:
    def __init__(self, source: bytes, at: int) -> None:
        self.source, self.at = source, at
        self.starts = [0]
        for line in source.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def edits(self, tree: ast.Module) -> Iterator[Edit]:
        todo: list[ast.AST] = [tree]
        while todo:
            node = todo.pop(0)
            for _, body in ast.iter_fields(node):
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    yield from self._steps([s for s in body if isinstance(s, ast.stmt)])
            yield from self._values(node)
            todo += [c for c in ast.iter_child_nodes(node) if not _left_alone(c)]

    def _span(self, node: ast.AST) -> tuple[int, int]:
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0
        return self.starts[line - 1] + column, self.starts[last - 1] + end

    def _edit(
        self, kind: str, span: tuple[int, int], new: str | bytes, what: str, tier: int
    ) -> Edit:
        data = new.encode() if isinstance(new, str) else new
        return Edit.model_validate(
            {
                "kind": kind,
                "start": self.at + span[0],
                "end": self.at + span[1],
                "new": data,
                "what": what,
                "tier": tier,
            }
        )

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end].decode("utf-8", "replace")

    def _shown(self, node: ast.AST) -> str:
        return " ".join(self._text(node).split())[:60]

    def _steps(self, body: list[ast.stmt]) -> Iterator[Edit]:
        acting = [s for s in body if _acts(s)]
        for step in acting:
            told = f"without {self._shown(step)!r}"
            yield self._edit("drop", self._span(step), "pass", told, 0)
        for first, second in zip(acting, acting[1:], strict=False):
            if body.index(second) != body.index(first) + 1:
                continue
            (a, b), (c, d) = self._span(first), self._span(second)
            swapped = self.source[c:d] + self.source[b:c] + self.source[a:b]
            told = f"{self._shown(second)!r} before {self._shown(first)!r}"
            yield self._edit("reorder", (a, d), swapped, told, 1)

    def _values(self, node: ast.AST) -> Iterator[Edit]:
        match node:
            case ast.If() | ast.IfExp():
                test = self._span(node.test)
                yield self._edit(
                    "value",
                    test,
                    f"not ({self._text(node.test)})",
                    f"not ({self._shown(node.test)})",
                    1,
                )
            case ast.Compare(ops=[op], left=left, comparators=[right]) if type(op) in FLIPS:
                new = f"{self._text(left)} {FLIPS[type(op)]} {self._text(right)}"
                yield self._edit(
                    "value", self._span(node), f"({new})", f"{self._shown(node)} -> {new[:60]}", 0
                )
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]) if (
                name in NORMAL
            ):
                yield self._edit(
                    "value",
                    self._span(node),
                    self._text(value),
                    f"{self._shown(node)} without {name}()",
                    0,
                )
            case ast.Call(func=ast.Name(id=name) as func, args=[_], keywords=[]) if name in CALLS:
                told = f"{self._shown(node)} with {CALLS[name]}"
                yield self._edit("value", self._span(func), CALLS[name], told, 0)
            case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]):
                told = f"{self._shown(node)} and one more"
                yield self._edit("value", self._span(node), f"({self._text(node)} + 1)", told, 1)
            case ast.keyword(arg="reverse", value=value):
                yield self._edit(
                    "value",
                    self._span(value),
                    f"not ({self._text(value)})",
                    "sorted the other way",
                    0,
                )
            case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(
                operand, ast.Constant
            ):
                yield self._edit(
                    "value",
                    self._span(node),
                    f"({self._text(operand)})",
                    f"{self._shown(node)} without minus",
                    0,
                )
            case ast.BinOp(op=ast.Add() | ast.Sub()) if not isinstance(node.right, ast.Constant):
                sign = "-" if isinstance(node.op, ast.Add) else "+"
                if "(" not in self._text(node)[:1]:
                    new = f"({self._text(node.left)}) {sign} ({self._text(node.right)})"
                    yield self._edit(
                        "value", self._span(node), f"({new})", f"{self._shown(node)} with {sign}", 2
                    )
            case ast.Constant():
                yield from self._constant(node)

    def _constant(self, node: ast.Constant) -> Iterator[Edit]:
        span = self._span(node)
        raw = self.source[span[0] : span[1]]
        value = node.value
        if isinstance(value, bool):
            yield self._edit("value", span, str(not value), f"{value} -> {not value}", 1)
        elif isinstance(value, int):
            if raw.lower().startswith(b"0o"):
                new = b"0o" + altered_mode(raw[2:])
                told = f"mode {raw.decode()} -> {new.decode()}"
                yield self._edit("permission", span, new, told, 0)
            elif raw.isdigit() and len(raw) < 10:
                yield self._edit("value", span, str(value + 1), f"{value} -> {value + 1}", 1)
        elif isinstance(value, str) and value:
            yield from self._string(value, raw, span)

    def _string(self, value: str, raw: bytes, span: tuple[int, int]) -> Iterator[Edit]:
        quoted = raw[:1] in b"'\"" and len(raw) >= 2
        plain = quoted and raw[1:-1].decode("utf-8", "replace") == value
        if plain and WATCHED.match(value.encode()) and " " not in value and value.count("/") > 1:
            new = altered_path(value.encode())
            told = f"{value[:60]} -> {new.decode('utf-8', 'replace')[:60]}"
            yield self._edit("path", span, raw[:1] + new + raw[-1:], told, 0)
        elif len(value) > 60 and quoted:
            yield from value_edits(raw, self.at + span[0], 1)
            yield from path_edits(raw, self.at + span[0], 1)
        elif plain and SIMPLE.fullmatch(value):
            told = f"{value!r} -> {value + 'x'!r}"
            yield self._edit("value", span, raw[:-1] + b"x" + raw[-1:], told, 1)


def _acts(step: ast.stmt) -> bool:
    """Does dropping it leave a program that still runs, but does less?"""
    match step:
        case ast.Expr(value=ast.Call(func=func)):
            return _called(func) not in (*TALK, "mkdir", "makedirs")
        case ast.Assign(targets=[target]):
            return isinstance(target, ast.Subscript | ast.Attribute)
        case ast.AugAssign() | ast.For() | ast.If() | ast.With() | ast.Delete():
            return True
    return False


def _called(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def _left_alone(node: ast.AST) -> bool:
    """Parts that say how, not what: texts for people, imports, layout."""
    match node:
        case ast.keyword(arg=name):
            return bool(MANNER.fullmatch(name or ""))
        case ast.Import() | ast.ImportFrom() | ast.Raise() | ast.Assert() | ast.arguments():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Call(func=func):
            return _called(func) in (*TALK, "compile", "range")
        case ast.JoinedStr():
            return False
    return False
