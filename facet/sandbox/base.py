"""The contract of a sandbox engine; `facet/sandbox/conformance.py` is its test suite.

Errors: `EngineUnavailable` (no server), `EngineError` (the engine failed us: infrastructure),
`SandboxGone` (the container vanished), `BuildError` (the task's own context does not build).
A command that fails, is killed at its deadline or writes too much is a result, not an error.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, Self

from facet.types.task import FileSet
from facet.types.trial import Log, StateChange
from facet.types.value import Value


class Mount(Value):
    """A read-only mount: of a host path, or of a named volume kept by FACET."""

    source: str
    target: str


class SandboxOptions(Value):
    """How a container runs. Defaults are the safe ones."""

    network: Literal["none", "bridge"] = "none"
    memory_mb: int = 1024
    cpus: float = 1.0
    pids: int = 512
    fsize_mb: int = 512  # largest file a process may write (ulimit fsize)
    disk_mb: int = 2048  # growth of the container at which the size watcher kills it
    env: tuple[tuple[str, str], ...] = ()
    workdir: str = ""  # "" = the image's
    user: str = ""  # "" = the image's
    mounts: tuple[Mount, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    hostname: str = "facet"
    command: tuple[str, ...] = ("sleep", "infinity")
    keep_entrypoint: bool = False  # True: the image's ENTRYPOINT runs with `command` as its args


DEFAULT_OPTIONS = SandboxOptions()
"""The safe ones."""


class ExecResult(Value):
    """One finished command."""

    exit: int | None  # None when it was killed at its deadline
    stdout: Log
    stderr: Log
    timed_out: bool = False
    seconds: float = 0.0
    killed: str = ""  # why the whole container was killed meanwhile (its size), "" = it was not

    @property
    def ok(self) -> bool:
        """Exit code 0."""
        return self.exit == 0

    @property
    def text(self) -> str:
        """stdout then stderr, for messages."""
        return (self.stdout.text + self.stderr.text).strip()


class PutFile(Value):
    """A file to place in a container."""

    path: str  # absolute
    data: bytes
    mode: int = 0o644
    uid: int = 0
    gid: int = 0


class Copied(Value):
    """A file or folder taken out of a container."""

    folder: bool = False
    files: tuple[PutFile, ...] = ()  # where they lay; without setuid bits, owned by root
    skipped: tuple[str, ...] = ()  # links and devices, which are not taken


class Process(Value):
    """One process of a container."""

    pid: int
    user: str
    command: str


class Sandbox(Protocol):
    """One running container. Use as a context manager: it is removed on exit, whatever happened."""

    @property
    def id(self) -> str:
        """Engine's id of the container."""
        ...

    def exec(
        self,
        command: Sequence[str],
        *,
        timeout_s: float,
        user: str = "",
        workdir: str = "",
        env: Mapping[str, str] | None = None,
        max_output: int = 1_000_000,
    ) -> ExecResult:
        """Run a command; at the deadline its whole process tree is killed.

        A child that keeps stdout open delays nothing. Output beyond `max_output` bytes a stream is
        cut and counted; bytes that are not UTF-8 are shown as U+FFFD.
        """
        ...

    def put(self, files: Sequence[PutFile]) -> None:
        """Write files (parents are made)."""
        ...

    def read(self, path: str, *, max_bytes: int = 1_000_000) -> bytes:
        """Content of a regular file.

        Raises FileNotFoundError (nothing there), IsADirectoryError, or ValueError (a link, FIFO
        or device, or longer than `max_bytes`: refused at once, memory stays flat).
        """
        ...

    def copy(self, path: str, *, max_bytes: int = 64_000_000, max_files: int = 5000) -> Copied:
        """A file, or a folder with all below it; nothing is followed, no command runs.

        Raises FileNotFoundError (nothing there), or ValueError (too large, too many, `path` itself
        a link or device).
        """
        ...

    def changes(self, *, limit: int = 5000) -> tuple[StateChange, ...]:
        """Paths that differ from the image, at most `limit`."""
        ...

    def processes(self) -> tuple[Process, ...]:
        """What runs in the container now."""
        ...

    def end_processes(self, *, grace_s: float = 0.0) -> None:
        """End every process but the container's first: SIGTERM, `grace_s` seconds, SIGKILL."""
        ...

    def commit(self, *, labels: Mapping[str, str] | None = None) -> str:
        """Keep the filesystem as an image; returns its id. The caller removes it."""
        ...

    def alive(self) -> bool:
        """Is the container still running?"""
        ...

    def close(self) -> None:
        """Remove the container; safe to call twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Engine(Protocol):
    """Makes images and containers. Safe to use from several threads."""

    def check(self) -> str:
        """Version of the *server*; raises EngineUnavailable when none answers."""
        ...

    def build(
        self,
        context: FileSet,
        *,
        dockerfile: str = "Dockerfile",
        network: Literal["none", "bridge"] = "none",
        timeout_s: float = 600.0,
        tag: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> str:
        """Build an image, return its id. BuildError = the context's fault, with log and line."""
        ...

    def image(self, name: str) -> str | None:
        """Id of a local image, or None."""
        ...

    def start(self, image: str, options: SandboxOptions = DEFAULT_OPTIONS) -> Sandbox:
        """Start a container that stays up. EngineError if it does not."""
        ...

    def remove_image(self, image: str) -> None:
        """Remove an image; a missing one is fine."""
        ...

    def reap(self) -> int:
        """Remove this workspace's leftover containers, snapshots and networks; returns how many."""
        ...
