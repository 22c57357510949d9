"""What an environment plans to hold, and what a container of it really holds."""

from typing import Literal

from facet.types.value import Value

FileKind = Literal["file", "dir", "link"]


class PlannedFile(Value):
    """A file the image must contain. Exactly one of `data`, `resource`, `target` feeds it."""

    path: str  # absolute, in the container
    kind: FileKind = "file"
    data: bytes | None = None  # content; None for dirs, links and resources
    resource: str = ""  # name of a Resource whose bytes become this file
    target: str = ""  # link target
    mode: str = "0644"  # octal
    owner: str = "root"  # user name
    group: str = ""  # group name; "" = the owner's own


class Package(Value):
    """Something installed beyond the base image."""

    name: str
    kind: Literal["apt", "wheel"] = "apt"
    version: str = ""  # "" = any


class Service(Value):
    """A process that runs before the actor starts and again while grading."""

    name: str
    command: str  # one shell command that stays in the foreground
    port: int | None = None  # TCP, on 127.0.0.1
    health: str = ""  # shell command that exits 0 when ready; "" = the port answers
    user: str = "root"


class User(Value):
    """A login in the container beyond those of the base."""

    name: str
    uid: int | None = None
    home: str = ""  # "" = /home/<name>
    shell: str = "/bin/bash"


class Resource(Value):
    """A public file, fetched once on the host and put in the build context."""

    name: str  # file name below environment/resources/
    url: str
    sha256: str  # hex, without prefix
    max_bytes: int = 20_000_000


class Manifest(Value):
    """The plan of an environment."""

    base: str = "facet-base"  # name of a base image built by `facet base build`
    workdir: str = "/app"
    files: tuple[PlannedFile, ...] = ()
    packages: tuple[Package, ...] = ()
    services: tuple[Service, ...] = ()
    users: tuple[User, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    resources: tuple[Resource, ...] = ()
    setup: tuple[str, ...] = ()  # shell commands run at build time, after the files are there
    generator: str = ""  # script that made the fixtures: provenance, not run in the image
    notes: str = ""  # how the state fits the scenario


class RealFile(Value):
    """A file found in the running container."""

    path: str
    kind: FileKind
    size: int  # bytes
    sha256: str = ""  # hex; "" for dirs and links
    mode: str = ""  # octal
    owner: str = ""
    target: str = ""
    head: str = ""  # first characters of a text file, for prompts


class RealService(Value):
    """A declared service as seen by the probe."""

    name: str
    running: bool
    port_open: bool | None  # None when no port is declared
    detail: str = ""


class Mismatch(Value):
    """A planned item that the container does not hold as planned."""

    what: Literal["file", "package", "service", "port", "user", "env", "resource", "workdir"]
    name: str
    planned: str
    found: str


class RealizedManifest(Value):
    """What the probe found in a container of the built image, services running."""

    files: tuple[RealFile, ...]
    packages: tuple[Package, ...] = ()  # planned packages with their found version
    services: tuple[RealService, ...] = ()
    users: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    workdir: str = "/app"
    mismatches: tuple[Mismatch, ...] = ()
    image: str = ""  # image id; not shown to models
    architecture: str = ""

    def for_prompt(self) -> "RealizedManifest":
        """The same state without ids: equal on every machine for the same plan."""
        return self.model_copy(update={"image": "", "architecture": ""})
