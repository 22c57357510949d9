"""TOML text of plain values, in the order given; the same value always gives the same text.

Covers what a task.toml of ours holds: tables of strings, numbers, booleans and lists of them, and
arrays of flat tables. Pure.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence

type Scalar = str | int | float | bool
type Item = Scalar | Sequence[Scalar] | Sequence[Mapping[str, "Item"]] | Mapping[str, "Item"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Mapping[str, Item]) -> str:
    """A whole document; raises ValueError for a number TOML cannot hold."""
    return "\n".join(_table("", document)).strip("\n") + "\n"


def _table(path: str, table: Mapping[str, Item]) -> list[str]:
    lines: list[str] = []
    inner: list[str] = []
    for key, item in table.items():
        name = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(item, Mapping):
            inner += ["", f"[{name}]", *_table(name, item)]
        elif _is_tables(item):
            for row in item:  # type: ignore[union-attr]
                inner += ["", f"[[{name}]]", *_table(name, row)]  # type: ignore[arg-type]
        else:
            lines.append(f"{_key(key)} = {_value(item)}")  # type: ignore[arg-type]
    return lines + inner


def _is_tables(item: Item) -> bool:
    listed = isinstance(item, Sequence) and not isinstance(item, str)
    return listed and bool(item) and isinstance(item[0], Mapping)  # type: ignore[index]


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _value(item: Scalar | Sequence[Scalar]) -> str:
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return _string(item)
    if isinstance(item, int):
        return str(item)
    if isinstance(item, float):
        if not math.isfinite(item):
            raise ValueError(f"{item} is not a finite number")
        return repr(item)
    return "[" + ", ".join(_value(x) for x in item) + "]"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
