"""The journal: append-only files of events, the one truth of a workspace.

Each process writes its own file under `journal/`; each record is one `write` of newline + JSON +
newline on an O_APPEND descriptor, then fdatasync. The leading newline keeps a fragment torn by a
kill or a full disk from swallowing the next record. Readers take whole lines only, skip what does
not parse, and count it. Not covered: power loss beyond what fdatasync promises, network file
systems with weak append.
"""

import json
import math
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from facet.errors import JournalError
from facet.types.event import Event, EventKind
from facet.types.value import Value

SUFFIX = ".jsonl"
KINDS: frozenset[str] = frozenset(get_args(EventKind))


class Tail(NamedTuple):
    """What one read of one journal file gave."""

    events: list[Event]
    offset: int  # bytes read up to the last whole line; where the next read starts
    skipped: int  # torn or unparsable lines
    unknown: int  # records of a kind this version does not know
    more: bool  # the read stopped at its limit, not at the end


class Journal:
    """All journal files of a workspace; appends go to a file that this process alone writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.skipped = 0  # torn or unparsable lines met by the last full `read`
        self.unknown = 0  # records of unknown kinds met by the last full `read`
        self._lock = threading.Lock()
        self._fd: int | None = None
        self._pid = 0
        self._last = datetime.min.replace(tzinfo=UTC)

    def append(
        self,
        kind: EventKind,
        data: Value | dict[str, Any],
        *,
        run: str = "",
        seed: str = "",
        task: str = "",
        person: str = "",
        id: str = "",
    ) -> Event:
        """Write one event and return it once it is durable.

        With `id` given, a repeated call is the same event and readers keep the first. Raises
        JournalError when the record cannot be made durable (e.g. full disk): nothing is saved.
        """
        event = Event(
            id=id or uuid.uuid4().hex,
            at=self._now(),
            kind=kind,
            run=run,
            seed=seed,
            task=task,
            person=person,
            data=data.to_json() if isinstance(data, Value) else data,
        )
        self._write(encode(event))
        return event

    def _now(self) -> str:
        """UTC time, strictly later than the last one given: order within a process holds."""
        with self._lock:
            self._last = max(datetime.now(UTC), self._last + timedelta(microseconds=1))
            return self._last.isoformat(timespec="microseconds")

    def _write(self, record: bytes) -> None:
        with self._lock:
            try:
                fd = self._descriptor()
                written = os.write(fd, record)
                if written == len(record):
                    os.fdatasync(fd)
            except OSError as error:
                raise JournalError(
                    f"cannot write the journal in {self.folder}: {error.strerror}; nothing saved"
                ) from error
        if written != len(record):
            raise JournalError(
                f"the disk of {self.folder} took {written} of {len(record)} bytes; nothing saved"
            )

    def _descriptor(self) -> int:
        """The open file of this process; a forked child gets its own."""
        if self._fd is None or self._pid != os.getpid():
            self.folder.mkdir(parents=True, exist_ok=True)
            moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
            host = "".join(c if c.isalnum() else "-" for c in socket.gethostname())[:40]
            name = f"{moment}-{host}-{os.getpid()}-{uuid.uuid4().hex[:8]}{SUFFIX}"
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._fd = os.open(self.folder / name, flags, 0o644)
            self._pid = os.getpid()
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return self._fd

    def close(self) -> None:
        """Close this process's file; a later append starts a new one."""
        with self._lock:
            if self._fd is not None and self._pid == os.getpid():
                os.close(self._fd)
            self._fd = None

    def files(self) -> list[Path]:
        """Journal files of all processes, oldest name first; links are not followed."""
        if not self.folder.is_dir():
            return []
        found = (p for p in self.folder.iterdir() if p.name.endswith(SUFFIX))
        return sorted(p for p in found if p.is_file() and not p.is_symlink())

    def read(self) -> Iterator[Event]:
        """Every event of every file, file by file; the same id is given once.

        Sets `skipped` and `unknown` as it goes.
        """
        self.skipped = self.unknown = 0
        seen: set[str] = set()
        for path in self.files():
            offset, more = 0, True
            while more:
                tail = read_tail(path, offset)
                offset, more = tail.offset, tail.more
                self.skipped += tail.skipped
                self.unknown += tail.unknown
                for event in tail.events:
                    if event.id not in seen:
                        seen.add(event.id)
                        yield event
            self.skipped += torn_end(path, offset)


def encode(event: Event) -> bytes:
    """The bytes of one record: newline, JSON on one line, newline.

    NaN and infinities become null and lone surrogates "?": any JSON reader can take the line.
    """
    value = event.to_json()
    try:
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        body = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))
    return b"\n" + body.encode("utf-8", "replace") + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value


def read_tail(path: Path, offset: int, limit: int = 16_000_000) -> Tail:
    """Events of the whole lines between `offset` and about `limit` bytes further on.

    A line without its newline yet is left for the next read. A line longer than `limit` is read
    whole. Raises JournalError when the file cannot be read.
    """
    events: list[Event] = []
    skipped = unknown = 0
    try:
        with path.open("rb") as source:
            source.seek(offset)
            chunk = source.read(limit)
            more = len(chunk) == limit
            while more and b"\n" not in chunk:
                extra = source.read(limit)
                chunk += extra
                more = len(extra) == limit
    except OSError as error:
        raise JournalError(f"cannot read journal file {path}: {error.strerror}") from error
    whole = chunk.rfind(b"\n") + 1
    for line in chunk[:whole].split(b"\n"):
        if not line.strip():
            continue
        event = decode(line)
        if isinstance(event, Event):
            events.append(event)
        elif event:
            unknown += 1
        else:
            skipped += 1
    return Tail(events, offset + whole, skipped, unknown, more and whole > 0)


def decode(line: bytes) -> Event | str:
    """One line as an event; the kind's name if this version does not know it; "" if damaged."""
    try:
        record = json.loads(line, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(record, dict):
        return ""
    kind = record.get("kind")
    if isinstance(kind, str) and kind and kind not in KINDS:
        return kind
    try:
        return Event.model_validate(record)
    except ValidationError:
        return ""


def torn_end(path: Path, offset: int) -> int:
    """1 if the file goes on after `offset` without a newline (a record torn or being written)."""
    try:
        return int(path.stat().st_size > offset)
    except OSError:
        return 0
