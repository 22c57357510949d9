"""Starting, cancelling and resuming `facet run` as a process of its own.

The process gets a new session and its own log file, so closing the tab, restarting the app or
killing the server stops nothing. Whether a run is alive is told by the flock on its folder, never
by a stored pid; the holder of that lock is who gets the interrupt. Not covered: other machines.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from facet.config import project_root
from facet.errors import InputError
from facet.types.value import Value
from facet.workspace import Workspace

LOG_TAIL = 8_000  # bytes of a log that are shown
LOCK_TABLE = Path("/proc/locks")
ANNOUNCED = re.compile(r"^run ([A-Za-z0-9][A-Za-z0-9._-]{0,99})$", re.M)


class LaunchView(Value):
    """One process that this app started."""

    id: str
    words: tuple[str, ...]  # arguments after `facet run`
    running: bool
    exit: int | None = None
    run: str = ""  # run id, "" until it is known
    tail: str = ""  # end of its log


class _Launch:
    def __init__(
        self, id: str, words: Sequence[str], log: Path, process: "subprocess.Popen[bytes]"
    ):
        self.id = id
        self.words = tuple(words)
        self.log = log
        self.process = process
        self.run = ""


class Launches:
    """The run processes that this app started; safe to share between sessions."""

    def __init__(self, workspace: Workspace, command: Sequence[str] = ()) -> None:
        self._workspace = workspace
        self._command = tuple(command) or (sys.executable, "-m", "facet.cli.main")
        self._folder = workspace.root / "launches"
        self._launches: list[_Launch] = []
        self._lock = threading.Lock()

    def start(self, *words: str, run: str = "") -> str:
        """Start `facet run <words> --workspace …` in a session of its own; returns a launch id.

        Raises InputError when the process cannot be started.
        """
        ident = time.strftime("%Y%m%dT%H%M%S") + "-" + uuid.uuid4().hex[:6]
        line = [*self._command, "run", *words, "--workspace", str(self._workspace.root)]
        log = self._folder / f"{ident}.log"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with log.open("wb") as out:
                process = subprocess.Popen(
                    line,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    cwd=project_root(),
                )
        except OSError as error:
            raise InputError(f"cannot start `facet run`: {error.strerror}") from error
        launch = _Launch(ident, words, log, process)
        launch.run = run
        with self._lock:
            self._launches.append(launch)
        return ident

    def views(self) -> tuple[LaunchView, ...]:
        """Every launch of this app, newest first, finished ones reaped."""
        with self._lock:
            return tuple(self._view(launch) for launch in reversed(self._launches))

    def _view(self, launch: _Launch) -> LaunchView:
        code = launch.process.poll()
        if not launch.run:
            launch.run = announced(launch.log)
        return LaunchView(
            id=launch.id,
            words=launch.words,
            running=code is None,
            exit=code,
            run=launch.run,
            tail=tail(launch.log),
        )

    def lock_path(self, run: str) -> Path:
        """Where the lock of a run is."""
        return self._workspace.run_lock(run).path

    def cancel(self, run: str) -> bool:
        """Ask the process of a run to stop resumably; False when nobody works on it."""
        pid = holder(self.lock_path(run))
        if pid is None:
            with self._lock:
                alive = [x for x in self._launches if x.run == run and x.process.poll() is None]
            pid = alive[0].process.pid if alive else None
        if pid is None or pid <= 1 or pid == os.getpid():
            return False
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            return False
        return True


def holder(lock: Path) -> int | None:
    """Process that holds the flock on a file, None when nobody does or it cannot be told."""
    try:
        inode = str(lock.stat().st_ino)
        lines = LOCK_TABLE.read_text("ascii", "replace").splitlines()
    except OSError:
        return None
    for fields in (line.split() for line in lines):
        if len(fields) >= 6 and fields[1] == "FLOCK" and fields[3] == "WRITE":
            same = fields[5].rpartition(":")[2] == inode and fields[4].isdigit()
            if same and _has_open(int(fields[4]), lock):
                return int(fields[4])
    return None


def _has_open(pid: int, path: Path) -> bool:
    """Does this process have this very file open?"""
    wanted = path.resolve()
    try:
        return any(fd.resolve() == wanted for fd in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def announced(log: Path) -> str:
    """The run id that `facet run` says in its log before it starts; "" while it did not."""
    try:
        with log.open("rb") as source:
            found = ANNOUNCED.search(source.read(64_000).decode("utf-8", "replace"))
    except OSError:
        return ""
    return found.group(1) if found else ""


def tail(log: Path, limit: int = LOG_TAIL) -> str:
    """The end of a log, as a terminal would leave its progress bars; "" if there is none."""
    try:
        with log.open("rb") as source:
            source.seek(0, os.SEEK_END)
            source.seek(max(0, source.tell() - limit))
            text = source.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip()
