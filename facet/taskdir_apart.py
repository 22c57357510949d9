"""[[steps]], artifacts and the verifier's own container, as a task.toml says them. Pure.

What of it is wrong is a fault with its line; what is right but cannot be given here is said in a
plan's `needs` or as a feature, for `validation_reach`.
"""

import re

from facet.taskdir_table import Table
from facet.types.apart import ARTIFACTS, STEPS, Artifact, StepPlan, packed

MOST_ARTIFACTS = 200


def steps(top: Table) -> tuple[StepPlan, ...]:
    """The steps in order; a name that is no folder name, or used twice, is a fault."""
    found: dict[str, StepPlan] = {}
    for step in top.tables("steps"):
        name = step.text("name")
        if not name.strip() or name in (".", "..") or re.search(r"[/\\\0]", name):
            step.fault("name", f"{name!r} is not a plain folder name")
        elif name in found:
            step.fault("name", f"{name!r} is used twice")
        else:
            found[name] = _step(step, name)
    return tuple(found.values())


def _step(step: Table, name: str) -> StepPlan:
    agent, verifier = step.table("agent"), step.table("verifier")
    limits = {
        key: table.number("timeout_sec", 600.0) if "timeout_sec" in table.data else None
        for key, table in (("agent", agent), ("verifier", verifier))
    }
    needs = [
        text
        for there, text in (
            ("healthcheck" in step.data, "a health check before it"),
            (bool(verifier.table("env").data), "variables for its verifier"),
            ("collect" in verifier.data, "commands that collect its state"),
            (_user(agent) or _user(verifier), "another user"),
        )
        if there
    ]
    return StepPlan(
        name=name,
        agent_timeout_sec=limits["agent"],
        verifier_timeout_sec=limits["verifier"],
        verifier_mode=mode(verifier),
        verifier_image=verifier.table("environment").text("docker_image"),
        artifacts=artifacts(step),
        needs=", ".join(needs),
    )


def _user(table: Table) -> bool:
    return table.data.get("user") not in (None, "root", 0)


def mode(verifier: Table) -> str:
    """shared, separate, or "" where nothing is said."""
    said = verifier.text("environment_mode")
    if said not in ("", "shared", "separate"):
        verifier.fault("environment_mode", f"{said!r} is not one of shared, separate")
        return ""
    return said or ("separate" if "environment" in verifier.data else "")


def artifacts(table: Table) -> tuple[Artifact, ...]:
    """`artifacts = ["/app/out", {source = "/var/log/x", exclude = ["*.tmp"]}]`."""
    value = table.data.get("artifacts", [])
    if not isinstance(value, list) or len(value) > MOST_ARTIFACTS:
        table.fault("artifacts", f"must be a list of at most {MOST_ARTIFACTS} paths")
        return ()
    found = []
    for entry in value:
        fields = {"source": entry} if isinstance(entry, str) else entry
        source = fields.get("source") if isinstance(fields, dict) else None
        exclude = fields.get("exclude", []) if isinstance(fields, dict) else []
        service = fields.get("service") or "" if isinstance(fields, dict) else ""
        good = (
            isinstance(source, str)
            and source.strip("/") != ""
            and not set(source.split("/")) & {"..", "."}
            and "\0" not in source
            and isinstance(exclude, list)
            and all(isinstance(e, str) for e in exclude)
            and isinstance(service, str)
        )
        if not good or not isinstance(source, str):
            table.fault("artifacts", f"has an entry that is no path in a container: {entry!r:.80}")
            continue
        found.append(Artifact(source=source, exclude=tuple(exclude), service=service))
    return tuple(found)


def apart_features(top: Table, verifier: Table, plans: tuple[StepPlan, ...]) -> dict[str, str]:
    """What changes how verifiers run, as flat text by feature."""
    found: dict[str, str] = {}
    own = verifier.table("environment")
    declared = artifacts(top)
    if mode(verifier) == "separate":
        found["verifier_mode"] = "separate"
    if image := own.text("docker_image"):
        found["verifier.docker_image"] = image
    if keys := sorted(own.table("env").data):
        found["verifier.environment.env"] = " ".join(keys)[:400]
    if "collect" in verifier.data:
        found["verifier.collect"] = "1"
    if declared:
        found[ARTIFACTS] = packed(declared)
    if plans:
        found["steps"] = str(len(plans))
        found[STEPS] = packed(plans)
    return found
