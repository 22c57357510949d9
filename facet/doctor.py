"""What is on this machine and what is not, each with the command that mends it.

Everything a finding rests on comes in as an argument (`Host`), so every state can be shown without
having it. Keys are never printed.
"""

import platform
import shutil
import sys
from pathlib import Path
from typing import Literal, Protocol

from facet.base_images import BASES, COMMAND, DEBIAN, base_status, ensure_runner
from facet.config import Config, project_root
from facet.errors import EngineError
from facet.sandbox.base import Engine
from facet.types.value import Value

State = Literal["ok", "missing", "optional", "unknown"]
PYTHON = (3, 12)
DISK_NEEDED = 2 << 30  # bytes: base image, some task images
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Finding(Value):
    """One line of the table."""

    name: str
    state: State  # optional: not there, and the main job does without
    found: str
    mend: str = ""  # a command, "" when there is nothing to mend
    needed: bool = True  # by the main job: making and judging tasks


class Host(Protocol):
    """The questions a finding asks of the machine."""

    def python(self) -> tuple[int, int, int]:
        """Version of the interpreter."""
        ...

    def which(self, command: str) -> str | None:
        """Path of a command."""
        ...

    def free_bytes(self, path: Path) -> int:
        """Free space where this path is, or would be."""
        ...

    def system(self) -> str:
        """`Linux`, `Darwin`, ..."""
        ...


class ThisHost:
    """The machine we run on."""

    def python(self) -> tuple[int, int, int]:
        """Version of the interpreter."""
        return sys.version_info[:3]

    def which(self, command: str) -> str | None:
        """Path of a command."""
        return shutil.which(command)

    def free_bytes(self, path: Path) -> int:
        """Free space where this path is, or would be."""
        place = path.absolute()
        while not place.exists():
            place = place.parent
        return shutil.disk_usage(place).free

    def system(self) -> str:
        """`Linux`, `Darwin`, ..."""
        return platform.system()


def examine(engine: Engine, config: Config, host: Host) -> tuple[Finding, ...]:
    """Every finding, in the order of the table. Raises nothing for what is missing."""
    docker = docker_server(engine, host)
    ready = docker.state == "ok"
    return (
        python_version(host),
        docker,
        *(base_images(engine, host) if ready else without_docker()),
        disk(config, host),
        *model_keys(config),
        browser(host),
        harbor(config, host),
    )


def fit(findings: tuple[Finding, ...]) -> bool:
    """Is everything there that the main job needs?"""
    return all(f.state == "ok" for f in findings if f.needed)


def python_version(host: Host) -> Finding:
    """3.12 or newer."""
    version = host.python()
    text = ".".join(map(str, version))
    if version[:2] >= PYTHON:
        return Finding(name="Python", state="ok", found=text)
    return Finding(
        name="Python", state="missing", found=f"{text}, needs 3.12 or newer", mend="make setup"
    )


def docker_server(engine: Engine, host: Host) -> Finding:
    """The server's answer: a client alone proves nothing."""
    try:
        return Finding(name="Docker server", state="ok", found=f"version {engine.check()}")
    except EngineError as error:
        said = str(error)
    if "permission denied" in said.lower():
        mend = "sudo usermod -aG docker $USER, then log in again"
    elif host.system() == "Darwin":
        mend = "open -a Docker"
    elif host.which("dockerd") or host.which("docker"):
        mend = "sudo systemctl start docker"
    else:
        mend = "sudo apt-get install docker.io"
    return Finding(name="Docker server", state="missing", found=said, mend=mend)


def base_images(engine: Engine, host: Host) -> tuple[Finding, ...]:
    """Each base image, and the grading runner that lies in it."""
    found = []
    for base in BASES:
        try:
            status = base_status(engine, base)
            debian = engine.image(DEBIAN)
        except EngineError as error:
            found.append(Finding(name=base.name, state="unknown", found=str(error), mend=COMMAND))
            continue
        bare = status.state == "missing" and debian is None and host.which("mmdebstrap")
        mend = f"{COMMAND} --bootstrap" if bare else COMMAND
        if status.state == "ready":
            text = f"recipe {status.digest}"
            found.append(Finding(name=base.name, state="ok", found=text))
        else:
            text = "not built" if status.state == "missing" else "of an older recipe"
            found.append(Finding(name=base.name, state="missing", found=text, mend=mend))
    if any(f.state != "ok" for f in found):
        return (*found, _runner("missing", "comes with the base image", found[0].mend or COMMAND))
    try:
        return (*found, _runner("ok", f"volume {ensure_runner(engine)}"))
    except EngineError as error:
        return (*found, _runner("missing", str(error), f"{COMMAND} --force"))


def without_docker() -> tuple[Finding, ...]:
    """Nobody can tell without a server."""
    names = (*(base.name for base in BASES), "grading runner")
    text = "cannot be asked without Docker"
    return tuple(Finding(name=n, state="unknown", found=text, mend=COMMAND) for n in names)


def _runner(state: State, found: str, mend: str = "") -> Finding:
    return Finding(name="grading runner", state=state, found=found, mend=mend)


def disk(config: Config, host: Host) -> Finding:
    """Free space where workspace, cache and images are."""
    places = [config.workspace, config.cache]
    docker = Path("/var/lib/docker")
    if docker.is_dir():
        places.append(docker)
    free, place = min((host.free_bytes(p), p) for p in places)
    text = f"{free / (1 << 30):.1f} GiB free at {place}"
    if free >= DISK_NEEDED:
        return Finding(name="disk", state="ok", found=text)
    return Finding(
        name="disk", state="missing", found=f"{text}, 2 GiB needed", mend="docker image prune"
    )


def model_keys(config: Config) -> tuple[Finding, ...]:
    """Without a key the embedded author writes the tasks."""
    keys = (
        ("Anthropic key", config.anthropic_key, "export ANTHROPIC_API_KEY=..."),
        ("OpenAI key", config.openai_key, "export OPENAI_API_KEY=..."),
    )
    out = []
    for name, key, mend in keys:
        found = "set" if key else "not set: the embedded author (offline) needs none"
        state: State = "ok" if key else "optional"
        out.append(
            Finding(name=name, state=state, found=found, mend="" if key else mend, needed=False)
        )
    return tuple(out)


def browser(host: Host) -> Finding:
    """For the browser tests only."""
    for command in BROWSERS:
        if path := host.which(command):
            return Finding(name="Chromium", state="ok", found=path, needed=False)
    mend = "sudo apt-get install chromium" if host.system() == "Linux" else "brew install chromium"
    return Finding(
        name="Chromium",
        state="optional",
        found="not here: browser tests are skipped",
        mend=mend,
        needed=False,
    )


def harbor(config: Config, host: Host) -> Finding:
    """For checking exports with the real thing."""
    own = config.cache / "harbor" / "venv" / "bin" / "harbor"
    path = str(own) if own.exists() else host.which("harbor")
    if path:
        return Finding(name="Harbor", state="ok", found=path, needed=False)
    script = project_root() / ".ci" / "harbor-env"
    mend = ".ci/harbor-env" if script.exists() else "uv tool install harbor"
    return Finding(
        name="Harbor",
        state="optional",
        found="not here: exports are not run in stock Harbor",
        mend=mend,
        needed=False,
    )
