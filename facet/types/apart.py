"""What a verifier in a container of its own is given, and the steps of a task in several steps.

Both come from a task.toml; a `Task` carries them as JSON text among its settings' metadata, under
`ARTIFACTS` and `STEPS`, so that they are part of its digest.
"""

import json
from fnmatch import fnmatchcase

from facet.errors import TaskFolderError
from facet.types.task import Task
from facet.types.value import Value, canonical_json

ARTIFACTS, STEPS = "artifacts", "steps.plan"
SEPARATE = ("verifier_mode", "separate")
PUBLISHED = "/logs/artifacts"
"""Folder that is always carried, as Harbor does."""


class Artifact(Value):
    """A path of the actor's final state that the verifier's container is given."""

    source: str  # path in the container
    exclude: tuple[str, ...] = ()  # patterns as of tar's --exclude, in a folder
    service: str = ""  # "" or "main": the actor's own container

    def covers(self, path: str) -> bool:
        """Is this path the artifact, or below it and not excluded?"""
        top = self.source.rstrip("/")
        if path == top:
            return True
        return path.startswith(top + "/") and not self.excludes(path[len(top) + 1 :])

    def excludes(self, relative: str) -> bool:
        """Does a pattern match this path below the artifact, a folder above it, or their ends?"""
        parts = relative.split("/")
        ends = [
            "/".join(parts[start:end])
            for start in range(len(parts))
            for end in range(start + 1, len(parts) + 1)
        ]
        return any(fnmatchcase(end, pattern) for pattern in self.exclude for end in ends)


class StepPlan(Value):
    """One of a task's [[steps]]; None or "" means: as the whole task."""

    name: str  # of its folder below steps/
    agent_timeout_sec: float | None = None
    verifier_timeout_sec: float | None = None
    verifier_mode: str = ""  # shared | separate
    verifier_image: str = ""
    artifacts: tuple[Artifact, ...] = ()  # beside the task's
    needs: str = ""  # what of it nobody here can give, "" = nothing


def packed(values: tuple[Value, ...]) -> str:
    """Values as metadata text."""
    return canonical_json([v.to_json() for v in values]).decode("utf-8", "replace")


def artifacts_of(task: Task) -> tuple[Artifact, ...]:
    """Declared artifacts, with the folder that is always carried first."""
    declared = declared_artifacts(task)
    if any(a.source.rstrip("/") == PUBLISHED for a in declared):
        return declared
    return (Artifact(source=PUBLISHED), *declared)


def declared_artifacts(task: Task) -> tuple[Artifact, ...]:
    """Artifacts as task.toml lists them."""
    return tuple(_unpacked(task, ARTIFACTS, Artifact))


def steps_of(task: Task) -> tuple[StepPlan, ...]:
    """The steps of a task; () for a task of one step."""
    return tuple(_unpacked(task, STEPS, StepPlan))


def _unpacked[V: Value](task: Task, key: str, kind: type[V]) -> list[V]:
    try:
        known = json.loads(dict(task.settings.metadata).get(key, "[]"))
        return [kind.model_validate(v) for v in known]
    except (ValueError, TypeError) as error:
        raise TaskFolderError(f"{task.name}: its {key} cannot be read: {error}") from error


def is_apart(task: Task) -> bool:
    """Does its verifier run in a container of its own?"""
    return SEPARATE in task.settings.metadata
