"""The task.toml that we write: schema 1.4, limits, health of services, provenance as [metadata].

Pure. Harbor ignores keys it does not know and [metadata] altogether; readers and buyers do not.
"""

from collections.abc import Mapping

from facet.dockerfile import health_command
from facet.toml_text import Item, toml_text
from facet.types.apart import declared_artifacts
from facet.types.manifest import Manifest
from facet.types.task import Task
from facet.types.value import digest_json


def task_toml(task: Task, metadata: Mapping[str, str]) -> str:
    """task.toml of schema 1.4: name, limits, health of services, and provenance as [metadata]."""
    settings = task.settings
    known = dict(settings.metadata)
    verifier: dict[str, Item] = {"timeout_sec": settings.verifier_timeout_sec}
    if "verifier_mode" in known:
        verifier["environment_mode"] = known["verifier_mode"]
    environment: dict[str, Item] = {
        "build_timeout_sec": settings.build_timeout_sec,
        "cpus": int(settings.cpus) if settings.cpus.is_integer() else settings.cpus,
        "memory_mb": settings.memory_mb,
    }
    environment |= {k: known[k] for k in ("docker_image", "os", "workdir") if k in known}
    environment |= {k: int(known[k]) for k in ("gpus",) if k in known}
    if health := _healthcheck(task.environment.manifest):
        environment["healthcheck"] = health
    if "verifier.docker_image" in known:
        verifier["environment"] = {"docker_image": known["verifier.docker_image"]}
    carried = declared_artifacts(task)
    declared: dict[str, Item] = {}
    if carried and not any(a.exclude for a in carried):
        declared["artifacts"] = [a.source for a in carried]
    elif carried:
        declared["artifacts"] = [{"source": a.source, "exclude": a.exclude} for a in carried]
    return toml_text(
        {
            "schema_version": "1.4",
            **declared,
            "task": {"name": task.name},
            "metadata": {**metadata, **_metadata(task)},
            "agent": {"timeout_sec": settings.agent_timeout_sec},
            "verifier": verifier,
            "environment": environment,
        }
    )


def _healthcheck(manifest: Manifest | None) -> dict[str, Item]:
    commands = [health_command(s) for s in manifest.services] if manifest else []
    if not any(commands):
        return {}
    together = " && ".join(f"( {c} )" for c in commands if c)
    return {"command": together, "interval_sec": 1.0, "timeout_sec": 10.0, "retries": 60}


def _metadata(task: Task) -> dict[str, Item]:
    made = task.provenance
    guards = sum(c.guard for c in task.verifier.checks)
    found: dict[str, Item] = {
        key: value
        for key, value in (("model", made.model), ("order", made.order), ("seed", made.seed))
        if value
    }
    if task.verifier.checks:
        found |= {"checks": len(task.verifier.checks) - guards, "guards": guards}
    if task.scenario:
        found |= {
            "title": task.scenario.title,
            "theme": task.scenario.theme,
            "scenario": digest_json(task.scenario.to_json()),
        }
    if made.skills:
        found["skills"] = [dict(sorted(s.items())) for s in made.skills]
    return found
