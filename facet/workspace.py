"""A workspace: the one folder that holds everything FACET knows.

```
<workspace>/version          format of this folder, one integer
            journal/         the truth: one event file per process
            blobs/           large things by digest
            bundles/         tasks: Harbor folder and JSON by task digest
            runs/<run>/      spec, worker log and lock of one run
            index.duckdb     derived; may be deleted at any time
```
Any number of processes may open one workspace at once. Opening writes nothing but the version
file of a new workspace, so a read-only copy can be opened too.
"""

import fcntl
import os
import re
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from facet.blobs import Blobs, write_durably
from facet.bundles import Bundles
from facet.errors import InputError, WorkspaceBusy, WorkspaceError
from facet.journal import Journal

WORKSPACE_VERSION = 1
"""Raised when an older FACET could misread what this one writes."""

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class RunLock:
    """Says whether the process of a run is alive: it holds an flock, never a pid.

    The lock is gone the moment its process ends, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def acquire(self) -> Self:
        """Take the lock for this process; raises WorkspaceBusy when another one has it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        for attempt in range(20):  # somebody asking `alive` holds it for a moment
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if attempt < 19:
                    time.sleep(0.01)
            else:
                self._fd = fd
                return self
        os.close(fd)
        raise WorkspaceBusy(f"run {self.path.parent.name} is already being worked on")

    def alive(self) -> bool:
        """True while some process (this one included) holds the lock."""
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(fd)
        return False

    def release(self) -> None:
        """Give the lock back; the end of the process does so too."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self if self._fd is not None else self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class Workspace:
    """Where the parts of one workspace are; `open` checks that this version can use it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.journal = Journal(root / "journal")
        self.blobs = Blobs(root / "blobs")
        self.bundles = Bundles(root / "bundles")
        self.runs_dir = root / "runs"
        self.index_path = root / "index.duckdb"

    @classmethod
    def open(cls, path: Path | str, create: bool = True) -> Self:
        """Open a workspace, making a new one where there is none and `create` allows it.

        Raises WorkspaceError: not there, written by a newer version, a folder of something else,
        or not writable.
        """
        root = Path(path).absolute()
        version = root / "version"
        try:
            text = version.read_text("ascii").strip()
        except FileNotFoundError:
            text = ""
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise WorkspaceError(
                f"cannot read {version} ({why}): give another --workspace"
            ) from error
        if text:
            _check_version(text, root)
            return cls(root)
        if not create:
            raise WorkspaceError(
                f"no workspace at {root}: make one with `facet run --workspace DIR`"
            )
        _make(root)
        return cls(root)

    def run_dir(self, run: str) -> Path:
        """Folder of a run (spec, log, lock); raises InputError on a name that is no run id."""
        if not RUN_NAME.fullmatch(run):
            raise InputError(f"{run[:80]!r} is not a run id")
        return self.runs_dir / run

    def run_lock(self, run: str) -> RunLock:
        """The liveness lock of a run; nothing is taken or created yet."""
        return RunLock(self.run_dir(run) / "lock")

    def runs(self) -> list[str]:
        """Ids of runs that have a folder, sorted."""
        if not self.runs_dir.is_dir():
            return []
        return sorted(p.name for p in self.runs_dir.iterdir() if RUN_NAME.fullmatch(p.name))


def _check_version(text: str, root: Path) -> None:
    if not text.isdigit():
        raise WorkspaceError(f"{root / 'version'} says {text[:40]!r}, which is no version number")
    if int(text) > WORKSPACE_VERSION:
        raise WorkspaceError(
            f"{root} was written by a newer FACET (format {text}, this one knows "
            f"{WORKSPACE_VERSION}): update FACET or give another --workspace"
        )


def _make(root: Path) -> None:
    """Turn an absent or empty folder (or one that lost its version file) into a workspace."""
    try:
        if root.exists():
            names = [p.name for p in root.iterdir() if not p.name.startswith(".")]
            if names and not {"version", "journal"} & set(names):
                raise WorkspaceError(
                    f"{root} holds other files and is no workspace: give an empty or new folder"
                )
        write_durably(root / "version", f"{WORKSPACE_VERSION}\n".encode())
    except OSError as error:
        raise WorkspaceError(f"cannot make a workspace at {root}: {error.strerror}") from error
