"""Harbor task folder <-> Task: the only place that knows Harbor's file names.

```
task.toml instruction.md facet.json        facet.json is ours: scenario, plan, provenance
environment/{Dockerfile,docker-compose.yaml,…} solution/{solve.sh,…} tests/{test.sh,…}
steps/<name>/{instruction.md,solution/,tests/,workdir/}      tasks in several steps
```
Folders are third-party: sizes are bounded, links and devices are refused, nothing is run, and no
byte is rewritten on reading. `read_task(write_task(t)) == t` for every task of one step.
"""

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from pydantic import Field, ValidationError

from facet.assemble import declared_checks
from facet.errors import InputError, TaskFolderError
from facet.taskdir_config import FolderConfig, parse_config
from facet.taskdir_table import Fault
from facet.taskdir_toml import task_toml
from facet.types.apart import ARTIFACTS
from facet.types.apart import STEPS as STEPS_PLAN
from facet.types.manifest import Manifest
from facet.types.scenario import Scenario
from facet.types.task import (
    DeclaredCheck,
    Environment,
    FileSet,
    Instruction,
    Provenance,
    Settings,
    Solution,
    Task,
    TextFile,
    Verifier,
)
from facet.types.value import Value, canonical_json

CONFIG, INSTRUCTION, EXTRAS = "task.toml", "instruction.md", "facet.json"
ENVIRONMENT, SOLUTION, TESTS, STEPS = "environment", "solution", "tests", "steps"
WORKDIR = "workdir"
MAX_FILE = 64_000_000  # bytes
MAX_TOTAL = 256_000_000
MAX_FILES = 5000
MAX_DEPTH = 8  # of folders in which tasks are looked for
MAX_INSTRUCTION = 1_000_000
DECIDED = (ARTIFACTS, STEPS_PLAN, "steps", "verifier_mode")
"""Metadata that task.toml alone decides, whatever facet.json says."""
NOTHING: Mapping[str, str] = MappingProxyType({})


class _Extras(Value):
    """What of a task no file of Harbor's can hold."""

    facet: int = 1  # version of this file
    settings: Settings
    provenance: Provenance = Provenance()
    scenario: Scenario | None = None
    manifest: Manifest | None = None
    checks: tuple[DeclaredCheck, ...] | None = Field(default=None)  # None: as the tests declare


class _Reader:
    """One reading of one folder: notes faults and goes on."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.faults: list[Fault] = []
        self.bytes = 0
        self.count = 0

    def fault(self, file: str, reason: str, line: int | None = None) -> None:
        self.faults.append(Fault(file=file, line=line, reason=reason))

    def file(self, relative: str, limit: int = MAX_FILE) -> bytes | None:
        """Bytes of a regular file; None (with a fault unless absent) otherwise."""
        if not self._inside(relative):
            return None
        try:
            handle = os.open(self.root / relative, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            link = (self.root / relative).is_symlink()
            self.fault(relative, "is a link, not followed" if link else f"unreadable: {error}")
            return None
        with os.fdopen(handle, "rb") as stream:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                self.fault(relative, "is not a regular file")
                return None
            if status.st_size > limit or self.bytes + status.st_size > MAX_TOTAL:
                self.fault(relative, f"{status.st_size:,} bytes; the folder or file is too large")
                return None
            data = stream.read(limit + 1)[:limit]
        self.bytes += len(data)
        return data

    def _inside(self, relative: str) -> bool:
        """False (with a fault) when a folder on the way is a link."""
        for parent in PurePosixPath(relative).parents if "/" in relative else ():
            if (self.root / parent).is_symlink() and str(parent) != ".":
                self.fault(str(parent), "is a link, not followed")
                return False
        return True

    def tree(self, folder: str) -> Iterator[TextFile]:
        """All files below a folder, sorted; links and devices are faults."""
        base = self.root / folder
        if not self._inside(f"{folder}/x"):
            return
        if not base.is_dir():
            if base.exists():
                self.fault(folder, "is not a folder")
            return
        for relative in sorted(self._walk(PurePosixPath(folder))):
            data = self.file(relative)
            if data is not None:
                mode = (self.root / relative).lstat().st_mode
                path = relative.removeprefix(folder + "/")
                yield TextFile(path=path, data=data, executable=mode & 0o111 != 0)

    def _walk(self, folder: PurePosixPath) -> Iterator[str]:
        try:
            entries = sorted(os.scandir(self.root / folder), key=lambda e: e.name)
        except OSError as error:
            self.fault(str(folder), f"cannot be listed: {error.strerror}")
            return
        for entry in entries:
            relative = str(folder / entry.name)
            self.count += 1
            if self.count > MAX_FILES:
                if self.count == MAX_FILES + 1:
                    self.fault(str(folder), f"more than {MAX_FILES} files")
                return
            if not entry.name.isprintable():
                self.fault(ascii(relative)[1:-1], "name has characters that cannot be shown")
            elif entry.is_symlink():
                self.fault(relative, "is a link, not followed")
            elif entry.is_dir():
                yield from self._walk(folder / entry.name)
            else:
                yield relative

    def files(self, folder: str) -> FileSet:
        return FileSet(files=tuple(self.tree(folder)))

    def read(self) -> Task | None:
        """The task, or None when faults leave nothing to build one from."""
        data = self.file(CONFIG, 1_000_000)
        if data is None:
            if not self.faults:
                self.fault(CONFIG, "is missing: this is no task folder")
            return None
        config = parse_config(data, CONFIG, self.root.name, self.faults)
        if config is None:
            return None
        instruction = self._instruction(INSTRUCTION, required=not config.steps)
        environment = self.files(ENVIRONMENT)
        solution, tests = self.files(SOLUTION), self.files(TESTS)
        for step in config.steps:
            place = f"{STEPS}/{step}"
            text = self._instruction(f"{place}/{INSTRUCTION}", required=True)
            instruction += ("\n" if instruction else "") + f"# Step {step}\n\n{text}"
            environment = _joined(environment, place, self.files(f"{place}/{WORKDIR}"))
            solution = _joined(solution, place, self.files(f"{place}/{SOLUTION}"))
            tests = _joined(tests, place, self.files(f"{place}/{TESTS}"))
        extras = self._extras()
        if self.faults:
            return None
        return _task(config, extras, instruction, environment, solution, tests)

    def _instruction(self, relative: str, *, required: bool) -> str:
        data = self.file(relative, MAX_INSTRUCTION)
        if data is None:
            if required and not any(f.file == relative for f in self.faults):
                self.fault(relative, "is missing")
            return ""
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            self.fault(relative, "is not UTF-8 text", line)
            return ""

    def _extras(self) -> _Extras | None:
        data = self.file(EXTRAS, MAX_TOTAL)
        if data is None:
            return None
        try:
            return _Extras.model_validate_json(data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(x) for x in first["loc"])[:200]
            self.fault(EXTRAS, f"{where or 'document'}: {first['msg'][:200]}")
            return None


def _joined(files: FileSet, place: str, more: FileSet) -> FileSet:
    moved = (f.model_copy(update={"path": f"{place}/{f.path}"}) for f in more.files)
    taken = {f.path for f in files.files}
    return FileSet(files=(*files.files, *(f for f in moved if f.path not in taken)))


def _task(
    config: FolderConfig,
    extras: _Extras | None,
    instruction: str,
    environment: FileSet,
    solution: FileSet,
    tests: FileSet,
) -> Task:
    limits: dict[str, Any] = {
        name: getattr(config, name)
        for name in (
            "agent_timeout_sec",
            "verifier_timeout_sec",
            "build_timeout_sec",
            "memory_mb",
            "cpus",
        )
    }
    if extras:
        said = dict(config.features)
        kept = {
            key: said.get(key, value)
            for key, value in extras.settings.metadata
            if key in said or key not in DECIDED
        }
        new = tuple(pair for pair in config.features if pair[0] not in kept)
        metadata = (*kept.items(), *new)
        settings = extras.settings.model_copy(update={**limits, "metadata": metadata})
    else:
        settings = Settings(
            **limits,
            schema_version=config.schema_version,
            metadata=(*config.features, *config.metadata),
        )
    checks = extras.checks if extras and extras.checks is not None else declared_checks(tests)
    return Task(
        name=config.name,
        instruction=Instruction(text=instruction),
        environment=Environment(files=environment, manifest=extras.manifest if extras else None),
        solution=Solution(files=solution),
        verifier=Verifier(files=tests, checks=checks),
        settings=settings,
        scenario=extras.scenario if extras else None,
        provenance=extras.provenance if extras else Provenance(),
    )


def read_task(path: Path) -> Task:
    """The task in this folder; raises TaskFolderError naming file, line and reason."""
    reader = _Reader(path.resolve() if path.is_symlink() else path)
    if not path.is_dir():
        raise TaskFolderError(f"{path}: is not a folder")
    task = reader.read()
    if task is None or reader.faults:
        more = len(reader.faults) - 1
        rest = f" (and {more} more)" if more > 0 else ""
        raise TaskFolderError(f"{path}/{reader.faults[0]}{rest}")
    return task


def problems(path: Path) -> list[Fault]:
    """Every fault that keeps this folder from being read; empty when `read_task` succeeds."""
    if not path.is_dir():
        return [Fault(file=str(path), reason="is not a folder")]
    reader = _Reader(path.resolve() if path.is_symlink() else path)
    reader.read()
    return reader.faults


def find_tasks(paths: Iterable[Path]) -> list[Path]:
    """Task folders at or below these paths, in order, each once.

    A folder counts when it holds a task.toml, or both an instruction and tests (broken, but to be
    listed). Links and hidden folders are not entered. Raises InputError for a path with none.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder")
        below = list(_tasks_below(path, 0)) if path.is_dir() else []
        if not below:
            raise InputError(f"{path}: holds no task folder (a folder with {CONFIG})")
        found |= dict.fromkeys(below)
    return list(found)


def _tasks_below(folder: Path, depth: int) -> Iterator[Path]:
    if _looks_like_task(folder):
        yield folder
        return
    if depth >= MAX_DEPTH:
        return
    try:
        children = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError:
        return
    for child in children:
        if child.is_dir(follow_symlinks=False) and not child.name.startswith("."):
            yield from _tasks_below(folder / child.name, depth + 1)


def _looks_like_task(folder: Path) -> bool:
    def has(name: str) -> bool:
        return os.path.lexists(folder / name)

    return has(CONFIG) or (has(INSTRUCTION) and has(TESTS)) or (has(ENVIRONMENT) and has(TESTS))


def write_task(task: Task, path: Path, metadata: Mapping[str, str] = NOTHING) -> Path:
    """Write a task as a Harbor folder of schema 1.4; it appears whole, by rename.

    `metadata` is added to the task.toml's [metadata] for readers; it is not read back.

    Raises TaskFolderError when something is there already, or for a task in several steps (they
    are read, not written); OSError when the disk refuses.
    """
    if any(key == "steps" for key, _ in task.settings.metadata):
        raise TaskFolderError(f"{task.name}: tasks in several steps cannot be written")
    if os.path.lexists(path):
        raise TaskFolderError(f"{path}: is already there; nothing was written")
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".facet-", dir=path.parent))
    try:
        for relative, data, executable in folder_files(task, metadata):
            target = scratch / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(0o755 if executable else 0o644)
        scratch.chmod(0o755)
        scratch.rename(path)
    except OSError as error:
        if os.path.lexists(path) or isinstance(error, NotADirectoryError | FileExistsError):
            raise TaskFolderError(f"{path}: cannot be written: {error.strerror}") from error
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return path


def folder_files(
    task: Task, metadata: Mapping[str, str] = NOTHING
) -> Iterator[tuple[str, bytes, bool]]:
    """Path, bytes and executable bit of every file of a task's folder."""
    yield CONFIG, task_toml(task, metadata).encode(), False
    yield INSTRUCTION, task.instruction.text.encode(), False
    yield EXTRAS, _extras_of(task), False
    for folder, files in (
        (ENVIRONMENT, task.environment.files),
        (SOLUTION, task.solution.files),
        (TESTS, task.verifier.files),
    ):
        for file in files.files:
            yield f"{folder}/{file.path}", file.data, file.executable


def _extras_of(task: Task) -> bytes:
    derived = declared_checks(task.verifier.files)
    extras = _Extras(
        settings=task.settings,
        provenance=task.provenance,
        scenario=task.scenario,
        manifest=task.environment.manifest,
        checks=None if task.verifier.checks == derived else task.verifier.checks,
    )
    # Indented for readers; the order of keys is fixed.
    text = json.dumps(json.loads(canonical_json(extras.to_json())), indent=1, ensure_ascii=False)
    return text.encode("utf-8") + b"\n"
