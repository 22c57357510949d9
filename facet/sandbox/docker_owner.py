"""Who owns a container: a lock file that lives as long as its process.

Everything an engine starts carries the path of its lock in the label `facet.owner`. A leftover is
what carries a lock nobody holds any more; a process that is alive keeps its lock, whatever its pid.
"""

import fcntl
import hashlib
import math
import os
import platform
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WORKSPACE = "facet.workspace"
RUN = "facet.run"
OWNER = "facet.owner"
HOST = "facet.host"
KIND = "facet.kind"
BUILD = "facet.build"


def host_name() -> str:
    """The machine whose locks we can ask."""
    return platform.node() or "unknown"


class Owner:
    """One engine's lock, held from construction to `release` or the end of the process."""

    def __init__(self, folder: Path, workspace: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._prefix = hashlib.sha256(workspace.encode()).hexdigest()[:12]
        name = f"{self._prefix}-{os.getpid()}-{uuid.uuid4().hex[:12]}"
        fresh = folder / f"{name}.new"
        self._fd = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        self.path = folder / f"{name}.lock"
        fresh.rename(self.path)  # seen under this name only once it is held
        self._released = False

    def release(self) -> None:
        """Give the lock up; safe to call twice."""
        if not self._released:
            self._released = True
            self.path.unlink(missing_ok=True)
            os.close(self._fd)

    def oldest_live(self, *, others: bool = False) -> float:
        """When the oldest live owner of this workspace on this machine began (epoch seconds).

        With `others`, this one is left out; infinity when nobody else lives.
        """
        times = [math.inf if others else self.path.stat().st_mtime]
        for path in self.folder.glob(f"{self._prefix}-*.lock"):
            if path == self.path:
                continue
            if held(path):
                times.append(path.stat().st_mtime)
            else:
                path.unlink(missing_ok=True)
        return min(times)


def held(path: Path) -> bool:
    """Is this lock held by a live process? Unreadable counts as held: nothing is then removed."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def is_leftover(labels: Mapping[str, Any] | None, created: float, oldest_live: float) -> bool:
    """Is a thing with these labels nobody's any more?

    Things without an owner (steps of the image builder) are leftovers when they are older than
    every live owner of the workspace.
    """
    found = labels or {}
    if found.get(HOST, host_name()) != host_name():
        return False
    owner = str(found.get(OWNER, ""))
    if owner:
        return not held(Path(owner))
    return created < oldest_live - 1.0
