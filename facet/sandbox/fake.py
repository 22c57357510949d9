"""An engine in memory, for tests: fulfils `facet.sandbox.base` and passes its conformance suite.

Commands are answered by a function of the test (`Handler`); time is pretended, nothing sleeps and
nothing runs. Running out of answers is the handler's business: an unknown command should raise.
"""

import itertools
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal, Self

from facet.errors import BuildError, EngineError, EngineUnavailable, SandboxGone
from facet.sandbox.base import Copied, ExecResult, Process, PutFile, Sandbox, SandboxOptions
from facet.sandbox.docker_exec import Capture
from facet.types.task import FileSet
from facet.types.trial import StateChange
from facet.types.value import Value

DEFAULTS = SandboxOptions()
IGNORED = ("LABEL", "ENV", "WORKDIR", "USER", "ENTRYPOINT", "CMD", "STOPSIGNAL", "ARG", "EXPOSE")


class FakeFile(Value):
    """A path of a fake container."""

    kind: Literal["file", "dir", "link", "fifo", "device"] = "file"
    data: bytes = b""
    size: int | None = None  # of a sparse file; None = len(data)
    mode: int = 0o644
    uid: int = 0
    gid: int = 0


class FakeCommand(Value):
    """What was asked of a fake container."""

    argv: tuple[str, ...]
    user: str = ""
    workdir: str = ""
    env: tuple[tuple[str, str], ...] = ()
    timeout_s: float = 0.0

    @property
    def script(self) -> str:
        """The shell text of `sh -c TEXT`, else the words joined."""
        if len(self.argv) >= 3 and self.argv[1].startswith("-") and self.argv[1].endswith("c"):
            return self.argv[2]
        return shlex.join(self.argv)


class FakeReply(Value):
    """How a command ends."""

    exit: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    takes_s: float = 0.0  # longer than the limit: killed at its deadline
    leaves: tuple[str, ...] = ()  # commands of processes that stay
    writes: dict[str, FakeFile | None] = {}  # None removes the path
    dies: str = ""  # the container is killed meanwhile, for this reason


Handler = Callable[["FakeSandbox", FakeCommand], FakeReply]


def quiet(sandbox: "FakeSandbox", command: FakeCommand) -> FakeReply:
    """Every command succeeds and says nothing."""
    return FakeReply()


class FakeSandbox:
    """A container in memory."""

    def __init__(
        self,
        engine: "FakeEngine",
        name: str,
        files: Mapping[str, FakeFile],
        options: SandboxOptions,
    ) -> None:
        self.engine = engine
        self.options = options
        self.image_files = dict(files)
        self.files = dict(files)
        self.commands: list[FakeCommand] = []
        self._id = name
        self._running: list[Process] = []
        self._pids = itertools.count(10)
        self._closed = False
        self._killed = ""

    @property
    def id(self) -> str:
        """Name of the container."""
        return self._id

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
        """Ask the handler; apply what its reply writes and leaves behind."""
        self._usable()
        asked = FakeCommand(
            argv=tuple(command),
            user=user or self.options.user or "root",
            workdir=workdir or self.options.workdir or "/",
            env=tuple({**dict(self.options.env), **(env or {})}.items()),
            timeout_s=timeout_s,
        )
        self.commands.append(asked)
        reply = self.engine.handler(self, asked)
        late = reply.takes_s > timeout_s
        for path, file in reply.writes.items():
            if file is None:
                self.files.pop(path, None)
            else:
                self._place(path, file)
        if not late:
            self._running += [
                Process(pid=next(self._pids), user=asked.user, command=c) for c in reply.leaves
            ]
        out, err = Capture(max_output), Capture(max_output)
        out.add(reply.stdout)
        err.add(reply.stderr)
        if reply.dies:
            self._killed, self._running = reply.dies, []
        return ExecResult(
            exit=None if late else reply.exit,
            stdout=out.log(),
            stderr=err.log(),
            timed_out=late,
            seconds=min(reply.takes_s, timeout_s),
            killed=reply.dies,
        )

    def _place(self, path: str, file: FakeFile) -> None:
        for parent in PurePosixPath(path).parents:
            self.files.setdefault(str(parent), FakeFile(kind="dir", mode=0o755))
        self.files[path] = file

    def put(self, files: Sequence[PutFile]) -> None:
        """Write files, parents made."""
        for file in files:
            pure = PurePosixPath(file.path)
            if not pure.is_absolute() or ".." in pure.parts or "\0" in file.path:
                raise ValueError(f"{file.path!r} is not an absolute path in a container")
        self._usable()
        for file in files:
            self._place(
                file.path, FakeFile(data=file.data, mode=file.mode, uid=file.uid, gid=file.gid)
            )

    def read(self, path: str, *, max_bytes: int = 1_000_000) -> bytes:
        """Content of a regular file."""
        self._usable()
        found = self.files.get(path)
        if found is None:
            raise FileNotFoundError(f"{path}: no such file in the container")
        if found.kind == "dir":
            raise IsADirectoryError(f"{path}: is a directory")
        if found.kind != "file":
            raise ValueError(f"{path}: a {found.kind}, not a regular file")
        size = len(found.data) if found.size is None else found.size
        if size > max_bytes:
            raise ValueError(f"{path}: {size} bytes, more than {max_bytes}")
        return found.data

    def copy(self, path: str, *, max_bytes: int = 64_000_000, max_files: int = 5000) -> Copied:
        """A file, or a folder with all below it."""
        self._usable()
        found = self.files.get(path)
        if found is None:
            raise FileNotFoundError(f"{path}: no such file in the container")
        if found.kind not in ("file", "dir"):
            raise ValueError(f"{path}: a link or device, not a file or folder")
        below = {path: found} if found.kind == "file" else {}
        below |= {p: f for p, f in self.files.items() if p.startswith(path.rstrip("/") + "/")}
        kept = {p: f for p, f in below.items() if f.kind == "file"}
        if sum(len(f.data) if f.size is None else f.size for f in kept.values()) > max_bytes:
            raise ValueError(f"{path}: more than {max_bytes:,} bytes")
        if len(kept) > max_files:
            raise ValueError(f"{path}: more than {max_files} files")
        return Copied(
            folder=found.kind == "dir",
            files=tuple(
                PutFile(path=p, data=f.data, mode=f.mode & 0o777) for p, f in sorted(kept.items())
            ),
            skipped=tuple(sorted(p for p, f in below.items() if f.kind not in ("file", "dir"))),
        )

    def changes(self, *, limit: int = 5000) -> tuple[StateChange, ...]:
        """Paths that differ from the image."""
        out = []
        for path in sorted({*self.files, *self.image_files}):
            before, after = self.image_files.get(path), self.files.get(path)
            if before is None:
                out.append(StateChange(path=path, change="added"))
            elif after is None:
                out.append(StateChange(path=path, change="deleted"))
            elif before != after:
                out.append(StateChange(path=path, change="modified"))
        return tuple(out[:limit])

    def processes(self) -> tuple[Process, ...]:
        """The container's own command and what commands left behind."""
        self._usable()
        own = Process(pid=1, user="root", command=shlex.join(self.options.command))
        return (own, *self._running)

    def end_processes(self, *, grace_s: float = 0.0) -> None:
        """Only the container's own command stays."""
        self._usable()
        self._running = []

    def commit(self, *, labels: Mapping[str, str] | None = None) -> str:
        """Keep the files as an image."""
        if self._closed:
            raise SandboxGone(f"container {self._id} was removed")
        return self.engine.add_image("", self.files)

    def alive(self) -> bool:
        """Neither closed nor killed."""
        return not self._closed and not self._killed

    def close(self) -> None:
        """Remove the container."""
        self._closed = True
        self.engine.running.pop(self._id, None)

    def vanish(self, reason: str = "removed by somebody else") -> None:
        """Test hook: the container is gone from now on."""
        self._killed = reason

    def _usable(self) -> None:
        self.engine.raise_trouble()
        if not self.alive():
            raise SandboxGone(f"container {self._id}: {self._killed or 'was removed'}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FakeEngine:
    """Images and containers in memory. `trouble` makes every call fail; `running` shows leaks."""

    def __init__(
        self,
        handler: Handler = quiet,
        *,
        images: Mapping[str, Mapping[str, FakeFile]] | None = None,
    ) -> None:
        self.handler = handler
        self.trouble: EngineError | None = None
        self.running: dict[str, FakeSandbox] = {}
        self.contexts: list[FileSet] = []
        self._numbers = itertools.count(1)
        self._images: dict[str, dict[str, FakeFile]] = {}
        self._names: dict[str, str] = {}
        for name, files in (images or {"facet-base": {}}).items():
            self.add_image(name, files)

    def add_image(self, name: str, files: Mapping[str, FakeFile]) -> str:
        """Keep files as an image; returns its id."""
        image = f"sha256:{next(self._numbers):064x}"
        self._images[image] = dict(files)
        if name:
            self._names[name] = image
        return image

    def image_ids(self) -> tuple[str, ...]:
        """Every image that is there, named or not: shows leaks."""
        return tuple(self._images)

    def raise_trouble(self) -> None:
        """Fail if the test asked for it."""
        if self.trouble is not None:
            raise self.trouble

    def check(self) -> str:
        """A version; EngineUnavailable in trouble."""
        if self.trouble is not None:
            raise EngineUnavailable(str(self.trouble))
        return "fake"

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
        """Interpret FROM and COPY; RUN asks the handler."""
        self.raise_trouble()
        self.contexts.append(context)
        if context.get(dockerfile) is None:
            raise BuildError(f"the build context has no {dockerfile}")
        box: FakeSandbox | None = None
        for line in _instructions(context.text(dockerfile)):
            word, _, rest = line.partition(" ")
            if word.upper() == "FROM":
                base = self.image(rest.split()[0])
                if base is None:
                    raise EngineError(f"base image {rest} is not here and cannot be fetched")
                box = FakeSandbox(self, "build", self._images[base], SandboxOptions())
            elif box is None:
                raise BuildError(f"no FROM before: {line}", line=line)
            elif word.upper() in ("COPY", "ADD"):
                _copy(context, box, rest, line)
            elif word.upper() == "RUN":
                result = box.exec(_run_words(rest), timeout_s=timeout_s)
                if not result.ok:
                    message = f"The command {rest!r} returned a non-zero code: {result.exit}"
                    raise BuildError(message, log=result.text, line=line)
            elif word.upper() not in IGNORED:
                raise BuildError(f"unknown instruction: {word}", line=line)
        if box is None:
            raise BuildError("no build stage in current context")
        return self.add_image(tag, box.files)

    def image(self, name: str) -> str | None:
        """Id by name or id."""
        self.raise_trouble()
        found = self._names.get(name) or self._names.get(name.removesuffix(":latest")) or name
        return found if found in self._images else None

    def start(self, image: str, options: SandboxOptions = DEFAULTS) -> Sandbox:
        """A container of a known image."""
        found = self.image(image)
        if found is None:
            raise EngineError(f"image {image} is not on this machine")
        name = f"fake-{next(self._numbers)}"
        box = FakeSandbox(self, name, self._images[found], options)
        self.running[name] = box
        return box

    def remove_image(self, image: str) -> None:
        """Forget an image."""
        found = self.image(image)
        if found is not None:
            del self._images[found]
            self._names = {name: i for name, i in self._names.items() if i != found}

    def reap(self) -> int:
        """Nothing outlives this process."""
        return 0


def _instructions(text: str) -> list[str]:
    joined = text.replace("\\\n", " ")
    lines = (line.strip() for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _run_words(rest: str) -> list[str]:
    return _array(rest) or ["/bin/sh", "-c", rest]


def _array(rest: str) -> list[str]:
    try:
        words = json.loads(rest)
    except ValueError:
        return []
    return [str(w) for w in words] if isinstance(words, list) else []


def _copy(context: FileSet, box: FakeSandbox, rest: str, line: str) -> None:
    words = _array(rest) or [w for w in shlex.split(rest) if not w.startswith("--")]
    *sources, target = words
    found = 0
    for source in sources:
        name = source.strip("/")
        for file in context.files:
            if file.path == name:
                path = target + PurePosixPath(name).name if target.endswith("/") else target
            elif name in ("", ".") or file.path.startswith(name + "/"):
                inner = file.path.removeprefix(name).strip("/") if name != "." else file.path
                path = str(PurePosixPath(target) / inner)
            else:
                continue
            mode = 0o755 if file.executable else 0o644
            box.put([PutFile(path=path, data=file.data, mode=mode)])
            found += 1
    if not found:
        raise BuildError(f"COPY failed: {' '.join(sources)}: file not found", line=line)
