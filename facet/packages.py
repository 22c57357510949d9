"""Packages beyond the base: one image layer per package set, built with network and kept.

Debian packages are installed by apt inside the layer's build, the only build that has a network;
wheels are downloaded on the host and unpacked offline. The layer's tag `facet-packages:<digest>`
covers the base image and the package set, so the same set is built once. Errors: `BuildError` when
a package does not exist (the plan's fault), `EngineError` when it could not be fetched.
"""

import fcntl
import os
import platform
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from facet.base_images import PYTHON, pip_command
from facet.config import load_config
from facet.errors import BaseMissing, BuildError, EngineError
from facet.sandbox.base import Engine
from facet.types.manifest import Package
from facet.types.task import FileSet, TextFile, text_file
from facet.types.value import digest_json, short

REPOSITORY = "facet-packages"
SITE = f"/usr/local/lib/python{PYTHON}/dist-packages"
BUILD_TIMEOUT_S = 1800.0
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*")
VERSION = re.compile(r"[A-Za-z0-9.+~:_-]*")
NO_SUCH_PACKAGE = re.compile(
    r"E: Unable to locate package|has no installation candidate|E: Version .* was not found"
    r"|E: Couldn't find any package|Depends: .* but it is not"
)
FETCH_FAILED = re.compile(
    r"Temporary failure resolving|Could not resolve|Unable to connect|Failed to fetch"
    r"|Could not connect|Connection (timed out|refused|failed)|Unable to fetch some archives"
    r"|NewConnectionError|ConnectTimeoutError|ReadTimeout|SSLError|ProxyError|Max retries exceeded"
)
PLATFORMS = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}

type Download = Callable[[Sequence[str], Path], None]


def layer_image(
    engine: Engine,
    base: str,
    packages: Sequence[Package],
    *,
    cache: Path | None = None,
    download: Download | None = None,
) -> str:
    """Name of an image that is `base` plus these packages; `base` itself when there are none."""
    if not packages:
        return base
    base_id = engine.image(base)
    if base_id is None:
        raise BaseMissing(f"base image {base} is not built on this machine: run `facet base build`")
    for package in packages:
        if not NAME.fullmatch(package.name) or not VERSION.fullmatch(package.version):
            raise BuildError(
                f"package {package.name!r} {package.version!r}: not a name and version"
            )
    wanted = sorted((p.kind, p.name, p.version) for p in set(packages))
    tag = f"{REPOSITORY}:{short(digest_json([base_id, wanted]), 24)}"
    root = cache or load_config().cache
    with one_at_a_time(root / "locks", tag.replace(":", "-")):
        if engine.image(tag) is None:
            wheels = fetch_wheel_set(packages, root, download or pip_download)
            _build(engine, base, packages, wheels, tag)
    return tag


def layer_dockerfile(base: str, packages: Sequence[Package], *, wheels: bool) -> str:
    """Dockerfile of the layer."""
    lines = [f"FROM {base}"]
    apt = sorted(
        p.name + (f"={p.version}" if p.version else "") for p in packages if p.kind == "apt"
    )
    if apt:
        lines.append(
            "RUN apt-get -o APT::Update::Error-Mode=any update \\\n"
            " && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
            f" {' '.join(apt)} \\\n"
            " && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log"
        )
    if wheels:
        lines.append("COPY wheels/ /tmp/facet-wheels/")
        lines.append(
            f"RUN python3 -I -B /tmp/facet-wheels/wheel_unpack.py /tmp/facet-wheels {SITE}"
            " /usr/local/bin && rm -rf /tmp/facet-wheels"
        )
    return "\n".join(lines) + "\n"


def layer_files(wheels: Sequence[Path]) -> list[TextFile]:
    """What the layer's Dockerfile copies: `wheels/` with the wheels and what unpacks them."""
    if not wheels:
        return []
    unpack = Path(__file__).with_name("wheel_unpack.py").read_text()
    files = [TextFile(path=f"wheels/{p.name}", data=p.read_bytes()) for p in wheels]
    return [text_file("wheels/wheel_unpack.py", unpack), *files]


def _build(
    engine: Engine, base: str, packages: Sequence[Package], wheels: Sequence[Path], tag: str
) -> None:
    files = [text_file("Dockerfile", layer_dockerfile(base, packages, wheels=bool(wheels)))]
    files += layer_files(wheels)
    names = ", ".join(p.name for p in packages)
    try:
        engine.build(
            FileSet(files=tuple(files)),
            network="bridge",
            timeout_s=BUILD_TIMEOUT_S,
            tag=tag,
            labels={"facet.kind": "packages"},
        )
    except BuildError as error:
        said = _said(error.log, NO_SUCH_PACKAGE)
        if said and not FETCH_FAILED.search(error.log):
            raise BuildError(f"packages {names}: {said}", log=error.log, line=error.line) from error
        reason = _said(error.log, FETCH_FAILED) or str(error)
        raise EngineError(f"packages {names} cannot be installed: {reason}") from error


def _said(log: str, pattern: re.Pattern[str]) -> str:
    for line in log.splitlines():
        if pattern.search(line):
            return line.strip()[:300]
    return ""


def fetch_wheel_set(
    packages: Sequence[Package], root: Path, download: Download
) -> tuple[Path, ...]:
    """Wheels of the set with what they need, downloaded once."""
    wanted = sorted(
        p.name + (f"=={p.version}" if p.version else "") for p in packages if p.kind == "wheel"
    )
    if not wanted:
        return ()
    folder = root / "wheel-sets" / short(digest_json([PYTHON, platform.machine(), wanted]), 24)
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
            download(wanted, Path(fresh))
            done = Path(fresh) / "done"
            done.mkdir()
            for wheel in Path(fresh).glob("*.whl"):
                wheel.rename(done / wheel.name)
            done.rename(folder)
    found = tuple(sorted(folder.glob("*.whl")))
    if not found:
        raise EngineError(f"no wheel came for {', '.join(wanted)}")
    return found


def pip_download(wanted: Sequence[str], folder: Path) -> None:
    """Download wheels for the base image's Python, with their dependencies, into `folder`."""
    machine = PLATFORMS.get(platform.machine().lower(), "x86_64")
    tags = [f"manylinux_2_{minor}_{machine}" for minor in (36, 34, 31, 28, 17)]
    command = [
        *pip_command(),
        *("download", "--quiet", "--only-binary=:all:", "--python-version", PYTHON),
        *("--implementation", "cp", "--abi", "cp311", "--abi", "abi3", "--abi", "none"),
        *(
            word
            for tag in (*tags, f"manylinux2014_{machine}", "any")
            for word in ("--platform", tag)
        ),
        *("--dest", str(folder), "--", *wanted),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f"wheels {', '.join(wanted)} cannot be downloaded: {error}") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        missing = any("No matching distribution" in line for line in lines)
        kind = BuildError if missing and not FETCH_FAILED.search(done.stderr) else EngineError
        raise kind(f"wheels {', '.join(wanted)} cannot be downloaded: {lines[-1][:300]}")


@contextmanager
def one_at_a_time(folder: Path, name: str) -> Iterator[None]:
    """Only one thread or process at a time is inside, per name."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(folder / name, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise EngineError(f"cannot keep a lock in {folder}: {error.strerror}") from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
