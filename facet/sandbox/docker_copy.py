"""Files out of a container through the engine's archive, bounded; nothing in the container runs."""

import io
import tarfile
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from facet.errors import EngineError
from facet.sandbox.base import Copied, PutFile

MAX_NAME = 4096


class _Stream(io.RawIOBase):
    """An HTTP answer as a readable file that ends with ValueError at its limit."""

    def __init__(self, chunks: Iterable[bytes], limit: int, what: str) -> None:
        self._chunks = iter(chunks)
        self._left = limit
        self._limit, self._what = limit, what
        self._buffer = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._buffer:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left -= len(chunk)
            if self._left < 0:
                raise ValueError(f"{self._what}: more than {self._limit:,} bytes")
            self._buffer = chunk
        taken = self._buffer[: len(target)]
        target[: len(taken)] = taken
        self._buffer = self._buffer[len(taken) :]
        return len(taken)


def read_archive(path: str, chunks: Iterable[bytes], max_bytes: int, max_files: int) -> Copied:
    """The members of an archive answer for `path`. See `base.Sandbox.copy`."""
    top = PurePosixPath(path)
    files: list[PutFile] = []
    skipped: list[str] = []
    folder = False
    limit = max_bytes + max_files * 2048 + (1 << 20)  # headers and padding
    stream = io.BufferedReader(_Stream(chunks, limit, path), 1 << 16)
    size = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for number, member in enumerate(tar):
                if number >= max_files * 2:
                    raise ValueError(f"{path}: more than {max_files} files")
                parts = PurePosixPath(member.name).parts[1:]
                where = str(top.joinpath(*parts))
                if ".." in parts or len(where) > MAX_NAME:
                    raise EngineError(
                        f"reading {path!r}: the engine's archive names {where[:200]!r}"
                    )
                if not parts and not member.isdir() and not member.isreg():
                    raise ValueError(f"{path}: a link or device, not a file or folder")
                if member.isdir():
                    folder = folder or not parts
                elif member.isreg():
                    size += member.size
                    if size > max_bytes:
                        raise ValueError(f"{path}: more than {max_bytes:,} bytes")
                    if len(files) >= max_files:
                        raise ValueError(f"{path}: more than {max_files} files")
                    content = tar.extractfile(member)
                    data = content.read() if content else b""
                    files.append(PutFile(path=where, data=data, mode=member.mode & 0o777))
                else:
                    skipped.append(where)
    except tarfile.TarError as error:
        raise EngineError(f"reading {path!r}: the engine's archive is broken: {error}") from error
    return Copied(folder=folder, files=tuple(files), skipped=tuple(skipped))
