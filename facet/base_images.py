"""The base image that tasks start from, and the grading runner that lies in it.

One recipe (`data/base/`): a Dockerfile, the runner's sources and pinned wheels. Its digest names
the build: `facet-base:latest` is up to date when it is the image `facet-base:<digest>`. The runner
is served from a Docker volume that Docker fills from the image when it is first mounted.
"""

import contextlib
import importlib.util
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from facet.config import data_dir
from facet.errors import BaseMissing, BuildError, EngineError
from facet.grading.testsh import VERIFIER_HOME
from facet.sandbox.base import Engine, Mount, SandboxOptions
from facet.types.task import FileSet, TextFile
from facet.types.value import Value, digest_json, short

DEBIAN = "debian:bookworm-slim"
"""The public image every base starts from; `--bootstrap` makes it where no registry answers."""

WHEELS = (
    ("pytest", "9.2.0"),
    ("pluggy", "1.7.0"),
    ("iniconfig", "2.3.1"),
    ("packaging", "26.4"),
    ("pygments", "2.21.0"),
)
"""Pure-Python wheels of the runner, for the image's Python 3.11."""

PYTHON = "3.11"
COMMAND = "facet base build"
VOLUME = "facet-runner-"
LABEL = "facet.base"


class Base(Value):
    """A base image: its name (`FROM <name>`), its Dockerfile under data/base, one line about it."""

    name: str
    dockerfile: str
    about: str


BASES: tuple[Base, ...] = (
    Base(
        name="facet-base",
        dockerfile="facet-base.Dockerfile",
        about="Debian bookworm with terminal tools, services and the grading runner",
    ),
)


class BaseStatus(Value):
    """What this machine has of a base image."""

    name: str
    state: Literal["ready", "stale", "missing"]
    digest: str  # of the recipe, 12 hex digits
    image: str = ""  # id of the image that is there


def recipe_files(base: Base = BASES[0]) -> FileSet:
    """The recipe without the wheels: Dockerfile and runner sources (no bytecode)."""
    folder = data_dir() / "base"
    files = [TextFile(path="Dockerfile", data=(folder / base.dockerfile).read_bytes())]
    files += [
        TextFile(path=f"runner/{path.name}", data=path.read_bytes())
        for path in sorted((folder / "runner").iterdir())
        if path.is_file() and path.suffix in (".py", ".c", ".ini")
    ]
    return FileSet(files=tuple(files))


def recipe_digest(base: Base = BASES[0]) -> str:
    """12 hex digits that change with the Dockerfile, the runner or a wheel's version."""
    return short(digest_json([recipe_files(base).to_json(), WHEELS]))


def runner_volume(base: Base = BASES[0]) -> str:
    """Name of the volume that holds the runner of this recipe."""
    return VOLUME + recipe_digest(base)


def base_status(engine: Engine, base: Base = BASES[0]) -> BaseStatus:
    """Compare the recipe with the image of its name. Raises EngineError only."""
    digest = recipe_digest(base)
    image = engine.image(f"{base.name}:latest")
    if image is None:
        return BaseStatus(name=base.name, state="missing", digest=digest)
    fresh = image == engine.image(f"{base.name}:{digest}")
    return BaseStatus(
        name=base.name, state="ready" if fresh else "stale", digest=digest, image=image
    )


def base_ready(engine: Engine) -> None:
    """Return if every base image is there and up to date; raise BaseMissing with the command."""
    for base in BASES:
        status = base_status(engine, base)
        if status.state != "ready":
            word = "not built" if status.state == "missing" else "of an older recipe"
            raise BaseMissing(f"base image {base.name} is {word}: run `{COMMAND}`")


_volumes: dict[tuple[int, str], str] = {}
_volume_lock = threading.Lock()


def ensure_runner(engine: Engine) -> str:
    """Name of the runner's volume, filled and checked once per engine and process.

    Raises BaseMissing when the base image is absent or its runner is of another recipe.
    """
    name = runner_volume()
    key = (id(engine), name)
    with _volume_lock:
        if key in _volumes:
            return name
        base_ready(engine)
        options = SandboxOptions(mounts=(Mount(source=name, target=VERIFIER_HOME),))
        with engine.start(f"{BASES[0].name}:latest", options) as sandbox:
            found = sandbox.exec([f"{VERIFIER_HOME}/run", "--version"], timeout_s=120)
        if found.stdout.text.strip() != recipe_digest():
            raise BaseMissing(
                f"grading runner in volume {name} does not work: {found.text[:200] or 'no answer'};"
                f" remove the volume and run `{COMMAND}`"
            )
        _volumes[key] = name
        return name


# ---- building -------------------------------------------------------------------------------


def build_bases(
    engine: Engine,
    *,
    cache: Path,
    bootstrap: bool = False,
    force: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[BaseStatus, ...]:
    """Make every base that is missing or stale; with `bootstrap` also Debian itself.

    Raises EngineError (with what to do) when Debian or a wheel cannot be had, or the build fails.
    """
    engine.check()
    done = []
    for base in BASES:
        status = base_status(engine, base)
        if status.state == "ready" and not force:
            progress(f"{base.name} is up to date ({status.digest})")
            done.append(status)
            continue
        if engine.image(DEBIAN) is None:
            if not bootstrap:
                raise BaseMissing(
                    f"image {DEBIAN} is not here: run `docker pull {DEBIAN}`, or"
                    f" `{COMMAND} --bootstrap` where no image registry can be reached"
                )
            bootstrap_debian(cache, progress)
        wheels = fetch_wheels(cache, progress)
        progress(f"building {base.name} (some minutes the first time)")
        files = (
            *recipe_files(base).files,
            TextFile(path="runner/VERSION", data=status.digest.encode() + b"\n"),
            *wheels,
        )
        try:
            image = engine.build(
                FileSet(files=files),
                network="bridge",
                timeout_s=3600,
                tag=f"{base.name}:{status.digest}",
                labels={LABEL: status.digest},
            )
        except BuildError as error:
            tail = " | ".join(error.log.strip().splitlines()[-3:])[-500:]
            raise EngineError(f"base image {base.name} does not build: {error} {tail}") from error
        name_build(image, base, status.digest)
        done.append(base_status(engine, base))
    progress("checking the grading runner")
    ensure_runner(engine)
    return tuple(done)


def name_build(image: str, base: Base, digest: str) -> None:
    """Give a build the name that Dockerfiles use; older builds and runner volumes lose theirs."""
    import docker

    try:
        client = docker.from_env()
        client.images.get(image).tag(base.name, tag="latest")
        kept = {f"{base.name}:latest", f"{base.name}:{digest}"}
        for found in client.images.list(base.name):
            for tag in set(found.tags) - kept:
                client.api.remove_image(tag, noprune=False)
        for volume in client.volumes.list(filters={"name": VOLUME}):
            if volume.name != VOLUME + digest:
                with contextlib.suppress(docker.errors.APIError):  # in use: the next build's
                    volume.remove()
        client.close()
    except docker.errors.DockerException as error:
        raise EngineError(f"cannot name image {base.name}: {error}") from error


def fetch_wheels(cache: Path, progress: Callable[[str], None]) -> tuple[TextFile, ...]:
    """The runner's wheels, downloaded once into `cache`/wheels with pip."""
    folder = cache / "wheels"
    folder.mkdir(parents=True, exist_ok=True)

    def found(name: str, version: str) -> Path | None:
        return next(iter(sorted(folder.glob(f"{name}-{version}-*none-any.whl"))), None)

    wanted = [f"{name}=={version}" for name, version in WHEELS if not found(name, version)]
    if wanted:
        progress(f"downloading {', '.join(wanted)}")
        command = [
            *pip_command(),
            *("download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform", "any"),
            *("--python-version", PYTHON, "--dest", str(folder), *wanted),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise EngineError(
                f"wheels for the grading runner cannot be downloaded into {folder}: {lines[-1]}"
            )
    files = []
    for name, version in WHEELS:
        path = found(name, version)
        if path is None:
            raise EngineError(f"pip downloaded no pure wheel {name} {version} into {folder}")
        files.append(TextFile(path=f"wheels/{path.name}", data=path.read_bytes()))
    return tuple(files)


def pip_command() -> list[str]:
    """A pip that runs: this interpreter's, or the first on PATH (an environment made by uv)."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    for name in ("pip3", "pip"):
        if path := shutil.which(name):
            return [path]
    raise EngineError(f"no pip here to fetch wheels: run `{sys.executable} -m ensurepip`")


def bootstrap_debian(cache: Path, progress: Callable[[str], None]) -> None:
    """Make a minimal bookworm with mmdebstrap and import it under Debian's public name."""
    tool = shutil.which("mmdebstrap")
    if tool is None:
        raise EngineError(
            "mmdebstrap is not here: run `apt-get install mmdebstrap` (needed to bootstrap"
            f" {DEBIAN} without an image registry)"
        )
    cache.mkdir(parents=True, exist_ok=True)
    rootfs = cache / "bookworm.tar"
    progress("making a Debian bookworm root filesystem with mmdebstrap")
    command = [tool, "--quiet", "--variant=minbase", "--include=ca-certificates", "bookworm"]
    done = subprocess.run(
        [*command, str(rootfs)], capture_output=True, text=True, check=False, timeout=1800
    )
    if done.returncode != 0:
        rootfs.unlink(missing_ok=True)
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise EngineError(f"mmdebstrap failed: {lines[-1]}")
    import docker

    repository, _, tag = DEBIAN.partition(":")
    try:
        client = docker.from_env(timeout=600)
        client.api.import_image_from_file(
            str(rootfs), repository=repository, tag=tag, changes=['CMD ["bash"]']
        )
        client.close()
    except docker.errors.DockerException as error:
        raise EngineError(f"cannot import {rootfs} as {DEBIAN}: {error}") from error
    finally:
        rootfs.unlink(missing_ok=True)
