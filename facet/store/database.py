"""Opening the index: own the file, or fall back to memory; set a damaged file aside.

DuckDB lets one process open a file. Whoever comes second gets an in-memory index made from the
journals, which is as true, only slower to start. SQL can reach neither files nor network.
"""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from facet.errors import WorkspaceBusy, WorkspaceError
from facet.store.migrations import migrate, unknown_steps
from facet.store.views import create_statements

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SEALED: dict[str, str | bool] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
"""Settings of every connection; `lock_configuration` follows once it is open."""


_OWNED: set[Path] = set()
"""Index files open in this process: DuckDB would hand out the same instance again, also after a
fork, and take the second opening for damage."""
_OWNING = threading.Lock()


class Opened(NamedTuple):
    """A ready connection and what a person should know about it."""

    con: "DuckDBPyConnection"
    path: Path | None  # None: in memory
    notice: str

    def close(self) -> None:
        """Close the connection; the file is free for others."""
        self.con.close()
        if self.path is not None:
            _OWNED.discard(self.path)


def open_memory(notice: str = "") -> Opened:
    """An empty in-memory index with schema and views."""
    import duckdb

    con = duckdb.connect(":memory:", config=dict(SEALED))
    _prepare(con)
    return Opened(con, None, notice)


def open_file(path: Path, wait_s: float = 0.0) -> Opened:
    """Own the index file; a damaged or newer one is renamed and a new one made.

    Raises WorkspaceBusy when somebody (this process included) owns it for longer than `wait_s`
    seconds, and WorkspaceError when the folder cannot be written.
    """
    path = path.absolute()
    deadline = time.monotonic() + wait_s
    while True:
        try:
            with _OWNING:
                if path in _OWNED:
                    raise WorkspaceBusy(f"this process has {path.name} open already")
                opened = _own(path)
                _OWNED.add(path)
                return opened
        except WorkspaceBusy:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.1)


def _own(path: Path) -> Opened:
    """One attempt of `open_file`."""
    import duckdb

    try:
        return Opened(_connect(path), path, "")
    except duckdb.IOException as error:
        if "Could not set lock" in str(error):
            raise WorkspaceBusy(f"another process owns {path.name}") from error
        if not _writable(path.parent):
            raise WorkspaceError(f"cannot write {path}: {_line(error)}") from error
        return Opened(_anew(path), path, _set_aside_notice(path, error))
    except (duckdb.Error, _NewerIndex) as error:
        return Opened(_anew(path), path, _set_aside_notice(path, error))


class _NewerIndex(Exception):
    """The index has schema steps that this version does not know."""


def _connect(path: Path) -> "DuckDBPyConnection":
    import duckdb

    con = duckdb.connect(str(path), config=dict(SEALED))
    try:
        if unknown_steps(con):
            raise _NewerIndex("it was made by a newer FACET")
        _read_all(con)
        _prepare(con)
    except BaseException:
        con.close()
        raise
    return con


def _read_all(con: "DuckDBPyConnection") -> None:
    """Read every block once, so that damage shows now and not in the middle of somebody's work."""
    for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        con.execute(f'SELECT bit_xor(hash(t)) FROM "{name}" t').fetchall()


def _prepare(con: "DuckDBPyConnection") -> None:
    migrate(con)
    for statement in create_statements():
        con.execute(statement)
    con.execute("SET lock_configuration = true")


KEPT_ASIDE = 3
"""Indexes set aside that stay beside the new one; all of them can be made from the journal."""


def set_aside(path: Path) -> Path | None:
    """Rename the index and its write-ahead log to `*.bad.<time>`; the new name, None if absent.

    Only the newest `KEPT_ASIDE` stay, so that a rebuild a day does not fill the disk.
    """
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    moved = None
    for part in (path, path.with_name(path.name + ".wal")):
        if part.exists():
            target = part.with_name(f"{part.name}.bad.{moment}")
            part.rename(target)
            moved = moved or target
        for old in sorted(path.parent.glob(f"{part.name}.bad.*"))[:-KEPT_ASIDE]:
            _remove(old)
    return moved


def _remove(old: Path) -> None:
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old, ignore_errors=True)
    else:
        old.unlink(missing_ok=True)


def _anew(path: Path) -> "DuckDBPyConnection":
    with errors_as_workspace(path):
        set_aside(path)
        return _connect(path)


def _set_aside_notice(path: Path, error: Exception) -> str:
    return f"{path.name} could not be used ({_line(error)}); it was set aside and made again"


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _writable(folder: Path) -> bool:
    probe = folder / f".write-{time.monotonic_ns()}"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


@contextmanager
def errors_as_workspace(path: Path) -> Iterator[None]:
    """DuckDB and file errors inside become one WorkspaceError line."""
    import duckdb

    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise WorkspaceError(
            f"the index {path} cannot be used ({_line(error)}): `facet rebuild` makes it again"
        ) from error
