"""Paths a check reads, folded from its expressions: constants, `/`, `+`, joins, f-strings. Pure.

Values are followed through module constants, single local assignments and argument defaults; what
depends on the data is left out, never guessed.
"""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from facet.check_source import CheckSource

DEEPEST = 12


class Fold:
    """Evaluates string and path expressions of one check without running them."""

    def __init__(self, source: CheckSource) -> None:
        self.source = source
        self.values: dict[str, ast.expr | None] = {}
        for _, node in source.walk():
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._assign(node.targets[0], node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._assign(node.target, node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            known = target.id in self.values
            self.values[target.id] = None if known else value  # two values: not followed

    def text(self, node: ast.expr, depth: int = 0) -> str | None:
        """The string or path this expression is, or None."""
        if depth > DEEPEST:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            value = self.values.get(node.id)
            return self.text(value, depth + 1) if value is not None else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Add):
            left, right = self.text(node.left, depth + 1), self.text(node.right, depth + 1)
            if left is None or right is None:
                return None
            return join(left, right) if isinstance(node.op, ast.Div) else left + right
        if isinstance(node, ast.JoinedStr):
            return self._joined(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        return None

    def _joined(self, node: ast.JoinedStr, depth: int) -> str | None:
        parts = []
        for value in node.values:
            inner = value.value if isinstance(value, ast.FormattedValue) else value
            part = self.text(inner, depth + 1)
            if part is None:
                return None
            parts.append(part)
        return "".join(parts)

    def _call(self, node: ast.Call, depth: int) -> str | None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name in ("Path", "PurePath", "PurePosixPath", "PosixPath", "join", "str", "joinpath"):
            parts = [self.text(a, depth + 1) for a in node.args]
            if name == "joinpath" and isinstance(node.func, ast.Attribute):
                parts.insert(0, self.text(node.func.value, depth + 1))
            if not parts or any(p is None for p in parts):
                return None
            whole = parts[0] or ""
            for part in parts[1:]:
                whole = join(whole, part or "")
            return whole
        return None

    def paths(self) -> Iterator[tuple[str, str, int]]:
        """`(path, file, line)` of every absolute path an expression comes to.

        A path that is only a part of a longer one (`OUT` in `OUT / "x.json"`) is left out.
        """
        inner: set[int] = set()
        for file, node in self.source.walk():
            if not isinstance(node, ast.expr) or id(node) in inner:
                continue
            if isinstance(node, ast.BinOp | ast.JoinedStr | ast.Call):
                text = self.text(node)
                if text is not None:
                    inner.update(id(n) for n in ast.walk(node))
                    if whole := absolute(text):
                        yield whole, file, node.lineno
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole = absolute(node.value)
                if whole and not self._only_a_part(node):
                    yield whole, file, node.lineno

    def _only_a_part(self, node: ast.Constant) -> bool:
        """Is this constant assigned to a name that is only used to build longer paths?"""
        for name, value in self.values.items():
            if value is None or all(n is not node for n in ast.walk(value)):
                continue
            return self._used_as_parent(name)
        return False

    def _used_as_parent(self, name: str) -> bool:
        alone = parent = False
        for _, node in self.source.walk():
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                parent |= isinstance(node.left, ast.Name) and node.left.id == name
            elif isinstance(node, ast.Call | ast.Attribute):
                parts = node.args if isinstance(node, ast.Call) else [node.value]
                alone |= any(isinstance(p, ast.Name) and p.id == name for p in parts)
        return parent and not alone


def join(left: str, right: str) -> str:
    """`left / right` as pathlib does it."""
    return str(PurePosixPath(left) / right)


def absolute(text: str) -> str:
    """The path if this whole text is a plain absolute path or a `file:` address, else ""."""
    if text.startswith("file:/"):
        text = text.removeprefix("file:").partition("?")[0]
    if not text.startswith("/") or len(text) > 300 or len(text) < 2:
        return ""
    if any(c in text for c in " \t\n\"'`$*?|;<>{}()[]\\,"):
        return ""
    path = str(PurePosixPath(text))
    return "" if path.startswith("//") else path
