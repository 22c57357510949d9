"""task.toml of every schema seen in the wild, as one value, with a fault per wrong line.

Covers legacy `version = "1.0"` and `"2.0"` (name at the top), `schema_version` 1.0 to 1.4, sizes
as strings, `[[steps]]`, separate verifiers, `docker_image`. Wrong types are faults with file, line
and reason, and reading goes on, so that every fault is listed. Pure.
"""

import math
import re
import tomllib
from typing import Any

from facet.taskdir_apart import apart_features, steps
from facet.types.value import Value

MAX_CONFIG = 1_000_000  # bytes
SCHEMAS = ("1.0", "1.1", "1.2", "1.3", "1.4")
LEGACY = ("1.0", "2.0")
MODES = ("public", "no-network", "allowlist")


class Fault(Value):
    """Something wrong with a task folder."""

    file: str  # relative to the folder
    line: int | None = None  # from 1
    reason: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.reason}"


class FolderConfig(Value):
    """What task.toml says. `features` is what changes how a task must be run, as flat text."""

    name: str = ""
    schema_version: str = ""
    agent_timeout_sec: float = 600.0
    verifier_timeout_sec: float = 600.0
    build_timeout_sec: float = 600.0
    memory_mb: int = 2048
    cpus: float = 1.0
    steps: tuple[str, ...] = ()
    features: tuple[tuple[str, str], ...] = ()  # docker_image, gpus, os, network_mode, …
    metadata: tuple[tuple[str, str], ...] = ()  # [metadata] of others, values as text


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


def parse_config(data: bytes, file: str, folder: str, faults: list[Fault]) -> FolderConfig | None:
    """Read a task.toml; faults are appended. None when it is no TOML at all.

    `folder` is the name a task has when it names itself nowhere.
    """
    try:
        text = data.decode("utf-8")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        faults.append(Fault(file=file, line=line, reason="is not UTF-8 text"))
        return None
    except (ValueError, RecursionError) as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        reason = re.sub(r"\s*\(at .*\)$", "", str(error).splitlines()[0])[:200]
        faults.append(
            Fault(file=file, line=int(place.group(1)) if place else 1, reason=f"no TOML: {reason}")
        )
        return None
    return _config(Table(document, "", file, Lines(text), faults), folder)


def _config(top: Table, folder: str) -> FolderConfig:
    legacy = "version" in top.data and "schema_version" not in top.data
    version = top.text("version" if legacy else "schema_version", "1.0")
    if version not in (LEGACY if legacy else SCHEMAS):
        known = ", ".join(LEGACY if legacy else SCHEMAS)
        top.fault("version" if legacy else "schema_version", f"{version!r} is not one of {known}")
    task = top.table("task")
    name = task.text("name") or top.text("name") or folder
    agent, verifier = top.table("agent"), top.table("verifier")
    environment = top.table("environment")
    plans = steps(top)
    return FolderConfig(
        name=name,
        schema_version=version if not legacy else f"legacy {version}",
        agent_timeout_sec=agent.number("timeout_sec", 600.0),
        verifier_timeout_sec=verifier.number("timeout_sec", 600.0),
        build_timeout_sec=environment.number("build_timeout_sec", 600.0),
        memory_mb=environment.megabytes("memory_mb", "memory", 2048),
        cpus=environment.number("cpus", 1.0),
        steps=tuple(plan.name for plan in plans),
        features=_features(
            environment,
            agent,
            verifier,
            top.table("solution"),
            apart_features(top, verifier, plans),
        ),
        metadata=tuple(
            (f"metadata.{key}"[:200], value if isinstance(value, str) else str(value)[:2000])
            for key, value in sorted(top.table("metadata").data.items())
        ),
    )


def _features(
    environment: Table, agent: Table, verifier: Table, solution: Table, apart: dict[str, str]
) -> tuple[tuple[str, str], ...]:
    found = dict(apart)
    if image := environment.text("docker_image"):
        found["docker_image"] = image
    if environment.data.get("gpus") is not None:
        gpus = int(environment.number("gpus", 0.0, least=-1.0))
        found |= {"gpus": str(gpus)} if gpus else {}
    if environment.data.get("tpu") is not None:
        found["tpu"] = "1"
    if (system := environment.text("os", "linux").lower()) != "linux":
        found["os"] = system
    for table in (environment, agent, verifier):
        if mode := table.text("network_mode"):
            if mode not in MODES:
                table.fault("network_mode", f"{mode!r} is not one of {', '.join(MODES)}")
            elif mode == "allowlist":
                found["network_mode"] = mode
    for name, table in (
        ("environment", environment),
        ("verifier", verifier),
        ("solution", solution),
    ):
        if keys := sorted(table.table("env").data):
            found[f"{name}.env"] = " ".join(keys)[:400]
    for name, table in (("agent", agent), ("verifier", verifier)):
        if (user := table.data.get("user")) not in (None, "root", 0):
            found[f"{name}.user"] = str(user)[:80]
    if workdir := environment.text("workdir"):
        found["workdir"] = workdir
    if environment.data.get("mcp_servers"):
        found["mcp_servers"] = "1"
    return tuple(sorted(found.items()))
