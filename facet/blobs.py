"""Content-addressed files: written once under their digest, read back and checked.

Large things (logs, replies, judgements, skills) live here; events and database rows name them by
digest. Nothing here deletes.
"""

import os
import re
import tempfile
from pathlib import Path

from pydantic import ValidationError

from facet.errors import WorkspaceError
from facet.types.value import Value, canonical_json, digest_bytes

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Blobs:
    """A folder of blobs, `<2 hex>/<62 hex>` below `root`; safe for any number of processes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """File of a digest, whether it exists or not; raises WorkspaceError on a non-digest."""
        if not DIGEST.fullmatch(digest):
            raise WorkspaceError(f"{digest[:80]!r} is not a blob digest")
        name = digest.removeprefix("sha256:")
        return self.root / name[:2] / name[2:]

    def put(self, data: bytes) -> str:
        """Store bytes durably (file and its folder synced) and return their digest.

        Raises WorkspaceError when the disk refuses, e.g. because it is full.
        """
        digest = digest_bytes(data)
        path = self.path(digest)
        if not path.exists():
            try:
                write_durably(path, data)
            except OSError as error:
                raise WorkspaceError(
                    f"cannot store a blob at {path.parent}: {error.strerror}; nothing saved"
                ) from error
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of a digest; raises WorkspaceError when absent or altered on disk."""
        path = self.path(digest)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise WorkspaceError(
                f"blob {digest} is not in {self.root}: {error.strerror}"
            ) from error
        if digest_bytes(data) != digest:
            raise WorkspaceError(f"blob {digest} is damaged on disk ({path})")
        return data

    def put_value(self, value: Value) -> str:
        """Store a value as canonical JSON; equal values share a blob."""
        return self.put(canonical_json(value.to_json()))

    def get_value[V: Value](self, digest: str, kind: type[V]) -> V:
        """Read a value back; raises WorkspaceError when absent, damaged or of another type."""
        data = self.get(digest)
        try:
            return kind.model_validate_json(data)
        except ValidationError as error:
            raise WorkspaceError(
                f"blob {digest} is no {kind.__name__}: {error.error_count()} faults"
            ) from error


def write_durably(path: Path, data: bytes) -> None:
    """Write a file so that it is whole or absent: temporary file, fsync, rename, folder fsync."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    try:
        with os.fdopen(fd, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
