"""task.toml of every schema seen in the wild, as one value, with a fault per wrong line.

Covers legacy `version = "1.0"` and `"2.0"` (name at the top), `schema_version` 1.0 to 1.4, sizes
as strings, `[[steps]]`, separate verifiers, `docker_image`. Wrong types are faults with file, line
and reason, and reading goes on, so that every fault is listed. Pure.
"""

import re
import tomllib

from facet.taskdir_apart import apart_features, steps
from facet.taskdir_table import Fault, Lines, Table
from facet.types.value import Value

MAX_CONFIG = 1_000_000  # bytes
SCHEMAS = ("1.0", "1.1", "1.2", "1.3", "1.4")
LEGACY = ("1.0", "2.0")
MODES = ("public", "no-network", "allowlist")


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
