"""Live containers of tasks: a person starts one, looks around, runs commands, stops it.

A `Room` holds at most one container per task digest (and a few in all) and makes it in a thread of
its own, so a page only ever reads a state: building, ready, failed with its line, or nothing.
Containers are removed by `close`, by `close_idle`, by `close_all` at exit; what a killed process
leaves behind is reaped by the engine at the next start. The container is what a trial starts from:
no network, services running, nothing graded in it. Not covered: terminals with a prompt.
"""

import shlex
import threading
import time
from collections.abc import Callable
from typing import Literal

from facet.errors import BuildError, EngineError, FacetError
from facet.sandbox.base import ExecResult, Process, PutFile, Sandbox
from facet.types.manifest import RealizedManifest
from facet.types.task import Task
from facet.types.trial import StateChange
from facet.types.value import Value

COMMAND_TIMEOUT_S = 60.0
MAX_OUTPUT = 40_000  # bytes of a stream that are shown
MAX_ENTRIES = 400  # files of one folder listing
IDLE_S = 1800.0  # a container nobody looked at for this long is removed
MOST = 4  # containers at once

State = Literal["none", "building", "ready", "failed"]


class Opened(Value):
    """What a maker hands over beside the sandbox."""

    image: str = ""
    manifest: RealizedManifest | None = None


Maker = Callable[[Task], tuple[Sandbox, Opened]]
"""Builds the task's image (cached), starts a container with its services, probes nothing twice."""


class LiveView(Value):
    """The state of one task's container, as pages show it."""

    state: State = "none"
    line: str = ""  # why it failed, or what it is doing
    log: str = ""  # tail of the build log, when the build failed
    container: str = ""
    image: str = ""
    seconds: float = 0.0  # up (ready) or building for this long
    manifest: RealizedManifest | None = None


class Entry(Value):
    """One line of a folder listing."""

    name: str
    kind: Literal["file", "dir", "link", "other"]
    size: int = 0  # bytes
    mode: str = ""
    owner: str = ""


class _Seat:
    """One container on its way; guarded by the room's lock."""

    def __init__(self) -> None:
        self.state: State = "building"
        self.line = "building the image and starting the container"
        self.log = ""
        self.sandbox: Sandbox | None = None
        self.opened = Opened()
        self.since = time.monotonic()
        self.used = self.since
        self.dropped = False  # closed while it was still building


class Room:
    """Live containers by task digest. Safe to share between sessions and threads."""

    def __init__(
        self,
        make: Maker,
        remove_image: Callable[[str], None] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._remove_image = remove_image
        self._clock = clock
        self._lock = threading.Lock()
        self._seats: dict[str, _Seat] = {}

    def open(self, task: Task) -> LiveView:
        """Start a container of this task in the background, unless there is one already."""
        digest = task.digest
        with self._lock:
            seat = self._seats.get(digest)
            if seat is not None and seat.state in ("building", "ready"):
                return self._view(seat)
            if sum(s.state in ("building", "ready") for s in self._seats.values()) >= MOST:
                line = f"{MOST} containers are up already; stop one first"
                return LiveView(state="failed", line=line)
            seat = self._seats[digest] = _Seat()
            seat.since = seat.used = self._clock()
        threading.Thread(
            target=self._bring_up, args=(digest, task, seat), name="facet-live", daemon=True
        ).start()
        with self._lock:
            return self._view(seat)

    def _bring_up(self, digest: str, task: Task, seat: _Seat) -> None:
        sandbox: Sandbox | None = None
        opened, line, log = Opened(), "", ""
        try:
            sandbox, opened = self._make(task)
        except BuildError as error:
            line, log = f"the image does not build: {error}", error.log
        except FacetError as error:
            line = str(error)
        finally:
            with self._lock:
                seat.since = seat.used = self._clock()
                if sandbox is None:
                    seat.state, seat.line, seat.log = "failed", line or "it did not start", log
                else:
                    seat.state, seat.line = "ready", ""
                    seat.sandbox, seat.opened = sandbox, opened
                unwanted = seat.dropped
            if unwanted and sandbox is not None:
                self._remove(sandbox, opened.image)

    def view(self, digest: str) -> LiveView:
        """The state of this task's container; a vanished one is reported once, then gone."""
        with self._lock:
            seat = self._seats.get(digest)
            if seat is None:
                return LiveView()
            sandbox = seat.sandbox
        if sandbox is not None and seat.state == "ready" and not _alive(sandbox):
            self.close(digest)
            return LiveView(state="failed", line="the container is gone; start it again")
        with self._lock:
            return self._view(seat)

    def _view(self, seat: _Seat) -> LiveView:
        return LiveView(
            state=seat.state,
            line=seat.line,
            log=seat.log[-8000:],
            container=seat.sandbox.id[:12] if seat.sandbox else "",
            image=seat.opened.image,
            seconds=self._clock() - seat.since,
            manifest=seat.opened.manifest,
        )

    def _sandbox(self, digest: str) -> Sandbox:
        with self._lock:
            seat = self._seats.get(digest)
            if seat is None or seat.sandbox is None or seat.state != "ready":
                raise EngineError("no container of this task is up; start it first")
            seat.used = self._clock()
            return seat.sandbox

    def run(self, digest: str, command: str, *, timeout_s: float = COMMAND_TIMEOUT_S) -> ExecResult:
        """Run one shell command, bounded in time and output. EngineError if there is none up."""
        return self._sandbox(digest).exec(
            ["bash", "-c", command], timeout_s=timeout_s, max_output=MAX_OUTPUT
        )

    def solve(self, digest: str, task: Task, *, timeout_s: float) -> ExecResult:
        """Run the reference solution in the live container, so that its effect can be looked at."""
        sandbox = self._sandbox(digest)
        files = [
            PutFile(path=f"/solution/{f.path}", data=f.data, mode=0o755 if f.executable else 0o644)
            for f in task.solution.files.files
            if "/" not in f.path
        ]
        sandbox.put(files)
        return sandbox.exec(
            ["bash", "/solution/solve.sh"], timeout_s=timeout_s, max_output=MAX_OUTPUT
        )

    def processes(self, digest: str) -> tuple[Process, ...]:
        """What runs in the container now."""
        return self._sandbox(digest).processes()

    def changes(self, digest: str) -> tuple[StateChange, ...]:
        """Paths that differ from the image, at most 500."""
        return self._sandbox(digest).changes(limit=500)

    def entries(self, digest: str, folder: str) -> tuple[Entry, ...]:
        """One folder, folders first, at most `MAX_ENTRIES`. EngineError names a bad folder."""
        script = (
            f"cd -P -- {shlex.quote(folder)} && find . -mindepth 1 -maxdepth 1 "
            f"-printf '%y\\t%s\\t%m\\t%u\\t%f\\0' | head -z -n {MAX_ENTRIES}"
        )
        found = self.run(digest, script, timeout_s=20.0)
        if not found.ok:
            raise EngineError(f"cannot list {folder}: {found.text[:200] or 'timed out'}")
        entries = [e for line in found.stdout.text.split("\0") if (e := _entry(line))]
        return tuple(sorted(entries, key=lambda e: (e.kind != "dir", e.name)))

    def read(self, digest: str, path: str) -> str:
        """Text of a file for showing, at most 200,000 bytes. EngineError says why it cannot be."""
        try:
            data = self._sandbox(digest).read(path, max_bytes=200_000)
        except (FileNotFoundError, IsADirectoryError, ValueError) as error:
            raise EngineError(f"cannot show {path}: {error}") from error
        return data.decode("utf-8", "replace")

    def close(self, digest: str) -> None:
        """Remove this task's container; safe when there is none."""
        with self._lock:
            seat = self._seats.pop(digest, None)
            if seat is None:
                return
            seat.dropped = True
            sandbox, image = seat.sandbox, seat.opened.image
        if sandbox is not None:
            self._remove(sandbox, image)

    def _remove(self, sandbox: Sandbox, image: str) -> None:
        """Remove a container and its image; what the engine refuses is reaped at the next start."""
        try:
            sandbox.close()
            if self._remove_image is not None and image:
                self._remove_image(image)
        except EngineError:
            return

    def close_idle(self, idle_s: float = IDLE_S) -> int:
        """Remove containers that nobody used for a while; returns how many."""
        now = self._clock()
        with self._lock:
            idle = [
                d for d, s in self._seats.items() if s.state == "ready" and now - s.used > idle_s
            ]
        for digest in idle:
            self.close(digest)
        return len(idle)

    def close_all(self) -> None:
        """Remove every container of this room."""
        with self._lock:
            digests = list(self._seats)
        for digest in digests:
            self.close(digest)


def _alive(sandbox: Sandbox) -> bool:
    try:
        return sandbox.alive()
    except EngineError:
        return False


def _entry(line: str) -> Entry | None:
    fields = line.split("\t", 4)
    if len(fields) != 5 or not fields[1].isdigit():
        return None
    kinds: dict[str, Literal["file", "dir", "link", "other"]] = {
        "f": "file",
        "d": "dir",
        "l": "link",
    }
    kind, size, mode, owner, name = fields
    return Entry(name=name, kind=kinds.get(kind, "other"), size=int(size), mode=mode, owner=owner)
