"""A table of a task.toml read with types: what does not fit is a fault with its line. Pure."""

import math
import re
from typing import Any

from facet.types.value import Value


class Fault(Value):
    """Something wrong with a task folder."""

    file: str  # relative to the folder
    line: int | None = None  # from 1
    reason: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.reason}"


class Lines:
    """Finds the line of a key, as tomllib keeps none."""

    def __init__(self, text: str) -> None:
        self.rows: list[tuple[str, str, int]] = []  # table, key, line
        table = ""
        for number, line in enumerate(text.splitlines(), 1):
            if header := re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?", line):
                table = header.group(1).replace('"', "").replace(" ", "")
                self.rows.append((table, "", number))
            elif pair := re.match(r"\s*([\w.\"'-]+)\s*=", line):
                self.rows.append((table, pair.group(1).strip("\"'"), number))

    def find(self, table: str, key: str) -> int | None:
        """Line of `key` in `table`, else of the table it opens, else of the table."""
        full = f"{table}.{key}" if table and key else table or key
        for found_table, found_key, line in self.rows:
            joined = f"{found_table}.{found_key}" if found_table else found_key
            if (found_table, found_key) == (table, key) or joined == full:
                return line
        return next((line for t, _, line in self.rows if t in (full, table) and t), None)


class Table:
    """One table, read with types; what does not fit is noted as a fault and left at its default."""

    def __init__(
        self, data: dict[str, Any], path: str, file: str, lines: Lines, faults: list[Fault]
    ) -> None:
        self.data, self.path, self.file = data, path, file
        self.lines, self.faults = lines, faults

    def fault(self, key: str, reason: str) -> None:
        """Note a fault at this key."""
        name = f"{self.path}.{key}" if self.path and key else self.path or key
        line = self.lines.find(self.path, key)
        self.faults.append(Fault(file=self.file, line=line, reason=f"{name} {reason}"))

    def table(self, key: str) -> "Table":
        """The table at this key; empty if absent or something else."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            self.fault(key, f"must be a table, not {shown(value)}")
            value = {}
        path = f"{self.path}.{key}" if self.path else key
        return Table(value, path, self.file, self.lines, self.faults)

    def tables(self, key: str) -> list["Table"]:
        """The array of tables at this key."""
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            self.fault(key, f"must be an array of tables, not {shown(value)}")
            return []
        path = f"{self.path}.{key}" if self.path else key
        return [Table(v, path, self.file, self.lines, self.faults) for v in value]

    def text(self, key: str, default: str = "") -> str:
        """Text at this key."""
        value = self.data.get(key, default)
        if isinstance(value, str) and "\0" not in value:
            return value
        self.fault(key, f"must be text, not {shown(value)}")
        return default

    def number(self, key: str, default: float, *, least: float = 0.0) -> float:
        """A finite number above `least`."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fault(key, f"must be a number, not {shown(value)}")
        elif not math.isfinite(value) or value <= least or value > 1e9:
            self.fault(key, f"must be a finite number above {least:g}, not {shown(value)}")
        else:
            return float(value)
        return default

    def megabytes(self, key: str, legacy: str, default: int) -> int:
        """Size as `<key> = 2048` or `<legacy> = "2G"`."""
        if key not in self.data and isinstance(self.data.get(legacy), str):
            size = re.fullmatch(
                r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([GMK])B?\s*", self.data[legacy], re.I
            )
            if size:
                factor = {"G": 1024.0, "M": 1.0, "K": 1 / 1024}[size.group(2).upper()]
                return max(1, int(float(size.group(1)) * factor))
            self.fault(legacy, f'must be a size such as "2G", not {shown(self.data[legacy])}')
            return default
        return int(self.number(key if key in self.data else legacy, float(default)))


def shown(value: Any) -> str:
    """A value as a fault shows it: its kind and a bounded picture."""
    kinds = {str: "text", bool: "a boolean", int: "a number", float: "a number", list: "a list"}
    kind = next((k for t, k in kinds.items() if type(value) is t), "a table")
    return f"{kind} {str(value)[:60]!r}" if not isinstance(value, list | dict) else kind
