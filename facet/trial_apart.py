"""Grading in a container of the verifier's own: it is given the declared artifacts, nothing else.

As stock Harbor does: declared files and folders of the actor's final state are laid down at the
same paths in a container of the verifier's image; links, devices, owners and setuid bits stay
behind. Not covered: artifacts of other services, commands that collect state first.
"""

from pathlib import PurePosixPath

from facet.errors import EngineError
from facet.sandbox.base import PutFile, Sandbox
from facet.trial_grading import HELPER_TIMEOUT_S, CannotPrepare, one_line
from facet.types.apart import Artifact
from facet.types.trial import StateChange
from facet.types.value import Value

MAX_BYTES = 256_000_000
MAX_FILES = 20_000
UNSEEN = "the verifier saw no work"
"""How a detail begins that says so; `unseen` below writes it."""


class Apart(Value):
    """Where the verifier runs, and what it is given."""

    image: str
    own_tests: bool = False  # the image holds /tests itself
    artifacts: tuple[Artifact, ...] = ()


class Carried(Value):
    """What was taken out of the actor's container."""

    files: tuple[PutFile, ...] = ()
    folders: tuple[str, ...] = ()  # taken whole: what the verifier's image holds there goes
    missing: tuple[str, ...] = ()  # declared, but not there
    skipped: tuple[str, ...] = ()  # links and devices


def carry(sandbox: Sandbox, artifacts: tuple[Artifact, ...]) -> Carried:
    """Take the declared artifacts. Raises EngineError when they are more than we carry."""
    files: dict[str, PutFile] = {}
    folders: list[str] = []
    missing: list[str] = []
    skipped: list[str] = []
    left = MAX_BYTES
    for artifact in artifacts:
        top = artifact.source.rstrip("/")
        try:
            copied = sandbox.copy(top, max_bytes=left, max_files=MAX_FILES - len(files))
        except FileNotFoundError:
            missing.append(top)
            continue
        except ValueError as error:
            if "link or device" not in str(error):
                raise EngineError(f"an artifact cannot be carried: {error}") from error
            skipped.append(top)
            continue
        kept = [f for f in copied.files if artifact.covers(f.path)]
        left -= sum(len(f.data) for f in kept)
        files |= {f.path: f for f in kept}
        folders += [top] if copied.folder else []
        skipped += copied.skipped
    return Carried(
        files=tuple(files.values()),
        folders=tuple(folders),
        missing=tuple(missing),
        skipped=tuple(skipped),
    )


def lay(sandbox: Sandbox, carried: Carried, *, own_tests: bool) -> None:
    """Lay artifacts down in the verifier's container. Raises CannotPrepare, EngineError."""
    commands = [["rm", "-rf", "--", *carried.folders], ["mkdir", "-p", "--", *carried.folders]]
    if not carried.folders:
        commands = []
    if own_tests:
        commands += [
            ["rm", "-rf", "/logs/verifier"],
            ["mkdir", "-p", "/logs/verifier"],
            ["chmod", "777", "/logs/verifier"],
            ["chmod", "+x", "/tests/test.sh"],
        ]
    for command in commands:
        done = sandbox.exec(command, timeout_s=HELPER_TIMEOUT_S, user="0:0")
        if not done.ok:
            words = one_line(f"{' '.join(command[:3])}: {done.text}")
            raise CannotPrepare(f"the verifier's container cannot be prepared: {words}")
    sandbox.put(carried.files)


ENGINES = ("/usr/sbin", "/sbin")
"""Folders that the engine itself touches when it starts a container."""


def written(changes: tuple[StateChange, ...]) -> tuple[str, ...]:
    """Paths the actor added or changed; folders only if nothing below them changed. Pure."""
    above = {str(p) for c in changes for p in PurePosixPath(c.path).parents}
    return tuple(
        c.path
        for c in changes
        if c.change != "deleted" and c.path not in above and c.path not in ENGINES
    )


def unseen_note(changes: tuple[StateChange, ...], artifacts: tuple[Artifact, ...]) -> str:
    """`UNSEEN` and why, when the actor changed something and nothing of it was carried; else "".

    Pure.
    """
    paths = written(changes)
    if not paths or any(a.covers(p) for a in artifacts for p in paths):
        return ""
    named = ", ".join(a.source for a in artifacts)
    return f"{UNSEEN}: {len(paths)} changed paths, e.g. {paths[0]}, none in its artifacts ({named})"
