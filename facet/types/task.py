"""A task: four artifacts that must assume one world, and what they were made of."""

from pathlib import PurePosixPath
from typing import Any, Literal, Self

from pydantic import field_validator

from facet.types.manifest import Manifest
from facet.types.scenario import Scenario
from facet.types.value import Value, digest_json

Artifact = Literal["instruction", "environment", "solution", "verifier"]
ARTIFACTS: tuple[Artifact, ...] = ("instruction", "environment", "solution", "verifier")


class TextFile(Value):
    """One file of an artifact."""

    path: str  # relative to the artifact's folder, "/" separated, never leaving it
    data: bytes
    executable: bool = False

    @field_validator("path")
    @classmethod
    def _inside(cls, path: str) -> str:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\0" in path:
            raise ValueError(f"path {path!r} leaves its folder")
        return str(pure)

    @property
    def text(self) -> str:
        """The content as text; bytes that are not UTF-8 become U+FFFD."""
        return self.data.decode("utf-8", "replace")


def text_file(path: str, text: str, *, executable: bool = False) -> TextFile:
    """A file from text."""
    return TextFile(path=path, data=text.encode(), executable=executable)


class FileSet(Value):
    """Files of one artifact, sorted by path."""

    files: tuple[TextFile, ...] = ()

    @field_validator("files")
    @classmethod
    def _sorted(cls, files: tuple[TextFile, ...]) -> tuple[TextFile, ...]:
        names = [f.path for f in files]
        if len(set(names)) != len(names):
            raise ValueError("two files with the same path")
        return tuple(sorted(files, key=lambda f: f.path))

    def get(self, path: str) -> TextFile | None:
        """The file at this path, or None."""
        return next((f for f in self.files if f.path == path), None)

    def text(self, path: str) -> str:
        """Text of the file at this path, "" if there is none."""
        found = self.get(path)
        return found.text if found else ""

    def below(self, folder: str) -> tuple[TextFile, ...]:
        """Files whose path starts with `folder/`."""
        return tuple(f for f in self.files if f.path.startswith(folder.rstrip("/") + "/"))

    def with_file(self, file: TextFile) -> Self:
        """A copy with this file added or replaced."""
        rest = tuple(f for f in self.files if f.path != file.path)
        return self.model_copy(update={"files": tuple(sorted((*rest, file), key=lambda f: f.path))})


class Instruction(Value):
    """What the actor is told."""

    text: str


class Environment(Value):
    """The build context: Dockerfile and what it copies; `manifest` is its plan (ours only)."""

    files: FileSet
    manifest: Manifest | None = None


class Solution(Value):
    """`solve.sh`, `partials/*.sh` that must fail, `alternatives/*.sh` that must pass."""

    files: FileSet

    @property
    def script(self) -> str:
        """Text of solve.sh."""
        return self.files.text("solve.sh")

    @property
    def partials(self) -> tuple[TextFile, ...]:
        """Incomplete solutions; each must run to its end and fail a check."""
        return self.files.below("partials")

    @property
    def alternatives(self) -> tuple[TextFile, ...]:
        """Solutions that differ only in manner; each must pass."""
        return self.files.below("alternatives")


class DeclaredCheck(Value):
    """A check as its test marks it: `@pytest.mark.check(id=, title=, weight=, guard=)`."""

    id: str
    title: str  # the requirement it tests, one line
    weight: float = 1.0
    guard: bool = False  # true before and after; never counts as gain


class Verifier(Value):
    """`test.sh` and the tests it runs; `checks` is what they declare (read from the source)."""

    files: FileSet
    checks: tuple[DeclaredCheck, ...] = ()


class Settings(Value):
    """Limits and identity that task.toml carries beside the artifacts."""

    agent_timeout_sec: float = 600.0
    verifier_timeout_sec: float = 120.0
    build_timeout_sec: float = 600.0
    memory_mb: int = 1024
    cpus: float = 1.0
    grading: Literal["snapshot", "live"] = "snapshot"
    schema_version: str = "1.4"
    metadata: tuple[tuple[str, str], ...] = ()  # foreign [metadata], shown, never trusted


class Provenance(Value):
    """What a task was made of and by whom; part of what a reader is shown, not of the digest."""

    run: str = ""
    seed: str = ""  # Seed.id
    order: str = ""  # forward | joint | reverse
    model: str = ""  # e.g. "offline", "anthropic:<model>"
    skills: tuple[dict[str, str], ...] = ()  # id, name, licence, source, path, commit


class Task(Value):
    """The four artifacts, the scenario behind them (ours only) and the limits."""

    name: str  # "<org>/<slug>"
    instruction: Instruction
    environment: Environment
    solution: Solution
    verifier: Verifier
    settings: Settings = Settings()
    scenario: Scenario | None = None
    provenance: Provenance = Provenance()

    def replace(
        self, artifact: Artifact, new: Instruction | Environment | Solution | Verifier
    ) -> "Task":
        """This task with exactly one artifact changed: a repair cannot touch another."""
        if type(new) is not type(getattr(self, artifact)):
            raise TypeError(f"{type(new).__name__} is not a new {artifact}")
        return self.model_copy(update={artifact: new})

    @property
    def digests(self) -> dict[Artifact, str]:
        """Digest of each artifact."""
        return {a: _artifact_digest(getattr(self, a)) for a in ARTIFACTS}

    @property
    def digest(self) -> str:
        """Covers artifacts, scenario and limits; not times, image ids, costs or provenance."""
        scenario: Any = self.scenario.to_json() if self.scenario else None
        return digest_json(
            {
                "artifacts": dict(self.digests),
                "scenario": scenario,
                "settings": self.settings.to_json(),
            }
        )


def _artifact_digest(artifact: Value) -> str:
    return artifact.value_digest()
