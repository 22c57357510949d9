"""Which foreign tasks this machine cannot run, and why: never a failure, never valid.

What a folder declares is read here before anything is built; what only a build shows (it wants the
network, its base image cannot be pulled) is read from the judgement afterwards. Pure, but for the
question whether an image is on this machine, which is an argument.
"""

import re
from collections.abc import Callable

import yaml

from facet.gates import is_ours
from facet.types.apart import artifacts_of, is_apart, steps_of
from facet.types.task import Environment, Task, text_file
from facet.types.verdict import Judgement

COMPOSE_FILES = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml")
HARMLESS = frozenset(
    ("image", "network_mode", "init", "tty", "stdin_open", "container_name", "hostname")
    + ("stop_signal", "stop_grace_period", "mem_limit", "cpus", "pull_policy", "platform")
)
"""Keys of the main service that change nothing for a trial of ours, whatever they say."""

REASONS: tuple[tuple[str, str], ...] = (
    ("gpus", "it needs {} GPU"),
    ("tpu", "it needs a TPU"),
    ("os", "it needs containers of {}"),
    ("network_mode", "it needs the network ({})"),
    ("mcp_servers", "it needs MCP servers"),
    ("environment.env", "its containers need the variables {}"),
    ("verifier.collect", "its verifier collects state by commands before it runs"),
    ("verifier.environment.env", "its verifier's container needs the variables {}"),
    ("verifier.env", "its verifier needs the variables {}"),
    ("solution.env", "its solution needs the variables {}"),
    ("agent.user", "its agent runs as user {}"),
    ("verifier.user", "its verifier runs as user {}"),
    ("workdir", "it replaces the working directory by {}"),
)
"""Feature of a task.toml -> why it cannot be run here. A table: the documentation shows it."""

OFFLINE_SIGNS = re.compile(
    r"temporary failure (in name resolution|resolving)|could not resolve|name or service not known"
    r"|network is unreachable|failed to establish a new connection|no such host|getaddrinfo"
    r"|unable to resolve|dial tcp|bad address",
    re.IGNORECASE,
)
"""What tools write when they want a network that is not there."""


def cannot_run(task: Task) -> str:
    """Why this task cannot be judged here by what it declares; "" if nothing does."""
    known = dict(task.settings.metadata)
    for feature, reason in REASONS:
        if feature in known:
            return reason.format(known[feature])
    return _apart_reason(task) or _compose_reason(task)


def _apart_reason(task: Task) -> str:
    plans = steps_of(task)
    if wanting := next((p for p in plans if p.needs), None):
        return f"its step {wanting.name} needs {wanting.needs}"
    apart = is_apart(task) or any(p.verifier_mode == "separate" for p in plans)
    if not apart:
        return ""
    for artifact in (*artifacts_of(task), *(a for p in plans for a in p.artifacts)):
        if not artifact.source.startswith("/"):
            return f"its artifact {artifact.source[:80]!r} is no absolute path"
        if artifact.service not in ("", "main"):
            return f"it has an artifact of the service {artifact.service[:40]!r}"
    tests = {f.path.rpartition("/")[2] for f in task.verifier.files.files}
    if tests & set(COMPOSE_FILES):
        return "its verifier is started by a compose file"
    return ""


def _compose_reason(task: Task) -> str:
    found = _main_service(task)
    if isinstance(found, str):
        return found
    for key, value in found.items():
        allowed = ALLOWED.get(str(key))
        if key not in HARMLESS and not (allowed and allowed(value)):
            return f"its compose file sets {str(key)[:40]!r} of the main service"
    return ""


def _templates(volumes: object) -> bool:
    """Only mounts whose host side the harness fills in, as Terminal-Bench's compose files have."""
    return isinstance(volumes, list) and all("${" in str(v) for v in volumes)


def _only_waits(command: object) -> bool:
    """A command that keeps the container up and does nothing else."""
    words = " ".join(map(str, command)) if isinstance(command, list) else str(command)
    return bool(
        re.fullmatch(r"((/bin/)?(ba)?sh -c )?(sleep (infinity|\d+)|tail -f /dev/null)", words)
    )


def _own_context(build: object) -> bool:
    """Builds environment/Dockerfile from its own folder."""
    if isinstance(build, dict):
        if set(build) - {"context", "dockerfile"} or build.get("dockerfile") not in (
            None,
            "Dockerfile",
        ):
            return False
        build = build.get("context", ".")
    return build in (".", "./", "${CONTEXT_DIR}")


ALLOWED: dict[str, Callable[[object], bool]] = {
    "volumes": _templates,
    "command": _only_waits,
    "build": _own_context,
}
"""Keys that change nothing only if they say something harmless."""


def _main_service(task: Task) -> dict[str, object] | str:
    """The main service of the compose file ({} without one), or why it cannot be run."""
    file = next((f for n in COMPOSE_FILES if (f := task.environment.files.get(n))), None)
    if file is None:
        return {}
    if len(file.data) > 200_000:
        return "its compose file is longer than 200 kB"
    try:
        document = yaml.safe_load(file.text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = str(getattr(error, "problem", "") or "it is no YAML")
        return f"its compose file cannot be read: {line[:100]}"
    services = document.get("services") if isinstance(document, dict) else None
    if not isinstance(services, dict):
        return "its compose file has no services"
    others = sorted(str(name)[:40] for name in services if name != "main")
    if others:
        return f"it has services beside the main container: {', '.join(others[:5])}"
    main = services["main"] or {}
    return main if isinstance(main, dict) else "the main service of its compose file is no table"


def prebuilt_image(task: Task) -> str:
    """Image that stands in for a Dockerfile (docker_image, or compose `image:`); "" if none."""
    if task.environment.files.get("Dockerfile") is not None:
        return ""
    if image := dict(task.settings.metadata).get("docker_image", ""):
        return image
    main = _main_service(task)
    return str(main.get("image") or "") if isinstance(main, dict) else ""


def runnable(task: Task, image: Callable[[str], str | None]) -> tuple[Task, str]:
    """The task with a Dockerfile that can be built, and "" or why it cannot be run here.

    A task that only names an image is built from that image, if it is on this machine.
    """
    if reason := cannot_run(task):
        return task, reason
    name = prebuilt_image(task)
    if not name:
        return task, ""
    if not re.fullmatch(r"[a-z0-9][A-Za-z0-9._/:@-]*", name):
        return task, f"image {name[:80]!r} is not an image name"
    if image(name) is None:
        return task, f"image {name} is not on this machine"
    files = task.environment.files.with_file(text_file("Dockerfile", f"FROM {name}\n"))
    environment = Environment(files=files, manifest=task.environment.manifest)
    return task.replace("environment", environment), ""


def cannot_run_after(task: Task, judgement: Judgement) -> str:
    """Why a judgement says nothing about the task: our trouble, or a build that wants the network.

    A task of ours that wants the network to build is at fault; a foreign one cannot run here.
    """
    gate = judgement.deciding
    if gate is None:
        return ""
    if gate.status == "not_assessed":
        return gate.evidence or f"gate {gate.name} could not be assessed"
    if gate.name == "builds" and not is_ours(task):
        for line in (gate.evidence, *gate.details):
            if OFFLINE_SIGNS.search(line):
                return f"its image needs the network to build: {gate.evidence}"
    return ""
