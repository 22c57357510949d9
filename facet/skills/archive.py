"""Archives of skills (zip, tar and compressed tar) unpacked into a temporary folder, bounded.

Only regular files come out, below the folder; links, devices, absolute and climbing paths are
left out. Not covered: archives inside archives, and archives with a password.
"""

import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO

from facet.errors import InputError

MAX_MEMBERS = 200_000
MAX_BYTES = 2 * 1024**3  # unpacked, in all
MAX_MEMBER = 64 * 1024**2  # unpacked, one file
BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, LZMAError, EOFError, OSError)


@contextmanager
def source_folder(path: Path) -> Iterator[Path]:
    """The folder to read for a source: itself, or an archive unpacked for as long as needed.

    Raises InputError: no such path, no archive, or an archive that is broken or too large.
    """
    if path.is_dir():
        yield path
        return
    if not path.is_file():
        raise InputError(f"no such folder or archive: {path}")
    with tempfile.TemporaryDirectory(prefix="facet-skills-") as temporary:
        name = path.name.partition(".")[0] or "archive"
        target = Path(temporary) / name
        target.mkdir()
        try:
            unpack(path, target)
        except (*BROKEN, RuntimeError, NotImplementedError, ValueError) as error:
            raise InputError(f"cannot unpack {path}: {error}") from error
        yield target


def unpack(path: Path, target: Path) -> int:
    """Unpack an archive below `target`; the number of files written.

    Raises InputError when it is no archive or passes a limit, and the library's own errors when
    it is broken.
    """
    if zipfile.is_zipfile(path):
        return _unzip(path, target)
    if tarfile.is_tarfile(path):
        return _untar(path, target)
    raise InputError(f"{path} is neither a folder nor a zip or tar archive")


def _unzip(path: Path, target: Path) -> int:
    budget, count = MAX_BYTES, 0
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_members(len(members), path)
        for member in members:
            inside = _inside(target, member.filename)
            mode = member.external_attr >> 16
            if inside is None or member.is_dir() or (mode and stat.S_ISLNK(mode)):
                continue
            with archive.open(member) as source:
                budget -= _copy(source, inside, min(budget, MAX_MEMBER), path)
            count += 1
    return count


def _untar(path: Path, target: Path) -> int:
    budget, count, seen = MAX_BYTES, 0, 0
    with tarfile.open(path) as archive:
        for member in archive:
            seen += 1
            _check_members(seen, path)
            inside = _inside(target, member.name)
            source = archive.extractfile(member) if member.isreg() else None
            if inside is None or source is None:
                continue
            with source:
                budget -= _copy(source, inside, min(budget, MAX_MEMBER), path)
            count += 1
    return count


def _check_members(count: int, path: Path) -> None:
    if count > MAX_MEMBERS:
        raise InputError(f"{path} holds more than {MAX_MEMBERS} files")


def _inside(target: Path, name: str) -> Path | None:
    """Where a member goes; None for one that would leave the folder or has no usable name."""
    pure = PurePosixPath(name.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\0" in name:
        return None
    if any(len(part.encode()) > 255 for part in pure.parts) or len(pure.parts) > 64:
        return None
    return target / pure


def _copy(source: IO[bytes], target: Path, limit: int, archive: Path) -> int:
    """Copy at most `limit` bytes; more is an error, so a small archive cannot fill the disk."""
    if target.exists() or any(p.is_file() for p in target.parents):
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with target.open("wb") as out:
        while chunk := source.read(1 << 20):
            written += len(chunk)
            if written > limit:
                raise InputError(f"{archive} unpacks to more than the limit of {limit} bytes")
            out.write(chunk)
    return written
