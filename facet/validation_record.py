"""Verdicts of `facet validate` in a workspace, by what lay in the folder: a killed run goes on.

A verdict is taken again only for the same bytes under the same conditions (version of FACET, base
image, replaced bases, gates), and only if it says something about the task: `cannot run here` may
have been our trouble and is judged again.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from facet import __version__
from facet.base_images import recipe_digest
from facet.errors import WorkspaceError
from facet.gates import SEVEN
from facet.taskdir import MAX_DEPTH, MAX_FILE, MAX_FILES
from facet.types.payloads import TaskValidated
from facet.types.value import digest_json
from facet.validation import Verdict
from facet.workspace import Workspace

LASTING = ("valid", "invalid", "broken")
"""States that are taken again; the others say nothing lasting about a task."""


class Record:
    """Writes verdicts to the journal, and knows those of earlier validations."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        bases: Mapping[str, str],
        resume: bool,
        gates: Sequence[str] = SEVEN,
    ) -> None:
        self._workspace = workspace
        self._conditions = conditions(bases, gates)
        self._blobs: dict[str, str] = {}  # folder digest -> blob of its last verdict
        self._digests: dict[Path, str] = {}
        if resume:
            for event in workspace.journal.read():
                if event.kind != "task.validated":
                    continue
                try:
                    said = TaskValidated.model_validate(event.data)
                except ValidationError:
                    continue
                if said.conditions == self._conditions and said.state in LASTING:
                    self._blobs[said.folder] = said.blob

    def known(self, path: Path) -> Verdict | None:
        """The lasting verdict of an equal folder, marked `recorded`; None to judge it."""
        digest = self._digests[path] = folder_digest(path)
        blob = self._blobs.get(digest)
        if blob is None:
            return None
        try:
            verdict = self._workspace.blobs.get_value(blob, Verdict)
        except WorkspaceError:
            return None  # damaged: judge it again
        return verdict.model_copy(update={"path": str(path), "recorded": True})

    def add(self, verdict: Verdict) -> None:
        """Make one verdict durable. Raises JournalError when it cannot be."""
        if verdict.recorded:
            return
        path = Path(verdict.path)
        digest = self._digests.get(path) or folder_digest(path)
        said = TaskValidated(
            folder=digest,
            conditions=self._conditions,
            path=verdict.path,
            name=verdict.name,
            state=verdict.state,
            verdict=verdict.line,
            blamed=verdict.blamed,
            rule=verdict.rule,
            bases=verdict.bases,
            seconds=verdict.seconds,
            blob=self._workspace.blobs.put_value(verdict),
        )
        self._workspace.journal.append("task.validated", said, task=verdict.digest)


def conditions(bases: Mapping[str, str], gates: Sequence[str] = SEVEN) -> str:
    """Digest of what a verdict depends on beside the folder; `gates` with their numbers."""
    return digest_json([__version__, recipe_digest(), sorted(bases.items()), list(gates)])


def folder_digest(path: Path) -> str:
    """Digest of names, kinds, executable bits and bytes below a folder; nothing is followed.

    A file beyond the size a task may have, a link and a device count by kind, size and target.
    """
    root = path.resolve() if path.is_symlink() else path
    total = hashlib.sha256()
    for number, (name, line) in enumerate(_entries(root, "", 0)):
        if number > MAX_FILES * 2:
            break
        total.update(f"{len(name)}:{name}:{line}\n".encode("utf-8", "surrogateescape"))
    return f"sha256:{total.hexdigest()}"


def _entries(folder: Path, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as error:
        yield prefix, f"cannot be listed {error.errno}"
        return
    for entry in entries:
        name = f"{prefix}{entry.name}"
        try:
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(info.st_mode):
                yield name + "/", "folder"
                if depth < MAX_DEPTH * 4:
                    yield from _entries(folder / entry.name, f"{name}/", depth + 1)
            elif stat.S_ISREG(info.st_mode) and info.st_size <= MAX_FILE:
                mode = "x" if info.st_mode & 0o111 else "-"
                yield name, f"{mode} {_bytes_digest(folder / entry.name)}"
            elif stat.S_ISLNK(info.st_mode):
                yield name, f"link {(folder / entry.name).readlink()}"
            else:
                yield name, f"other {stat.S_IFMT(info.st_mode)} {info.st_size}"
        except OSError as error:
            yield name, f"unreadable {error.errno}"


def _bytes_digest(path: Path) -> str:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
