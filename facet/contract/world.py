"""What a task's container holds, what its solution makes, and what each text says of it. Pure.

Three answers: True, False, or None where nothing was planned, probed or run that would tell.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath

from facet.contract.words import outside, says, says_word
from facet.types.manifest import RealizedManifest
from facet.types.task import Task, TextFile
from facet.types.trial import Trial

LONGEST_DATA = 20_000  # bytes of one fixture whose words are known
SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+")
OTHER_FILE = re.compile(r"`[^`\s]*(?:/[^`\s/]+|\.[a-z]{2,5})`")
SPAN = re.compile(r"`[^`\n]{1,300}`|\"[^\"\n]{1,100}\"|^ {4}.*$", re.M)
MOST_DATA = 200  # fixtures
FINISHED = ("graded", "verifier_error", "verifier_timeout")
TOKEN = re.compile(r"[A-Za-z_][\w-]*")
BASE_USERS = frozenset(
    ("root", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp", "proxy")
    + ("www-data", "backup", "list", "irc", "nobody", "_apt", "redis", "messagebus", "sshd")
)


class World:
    """The environment (planned, realized or guessed), the oracle's effect and the texts."""

    def __init__(
        self,
        task: Task,
        *,
        realized: RealizedManifest | None = None,
        oracle: Trial | None = None,
        nop: Trial | None = None,
    ) -> None:
        self.task = task
        self.manifest = task.environment.manifest
        self.instruction = task.instruction.text
        self.spans = SPAN.findall(task.instruction.text[:400_000])
        self.script = task.solution.script
        self.context = "\n".join(f.text for f in _recipes(task.environment.files.files))
        self.story = _story(task)
        self._planned = {f.path for f in self.manifest.files} if self.manifest else set()
        self._real = {f.path for f in realized.files} if realized else set()
        self._known = bool(self.manifest or realized)
        ran = oracle is not None and (bool(oracle.changes) or oracle.outcome in FINISHED)
        changes = oracle.changes if oracle is not None and ran else ()
        self._ran = ran
        self._changed = {c.path: c.change for c in changes}
        self._absent = _missing_paths(nop)
        self.tokens = frozenset(_tokens(task))
        self.headers = tuple(_headers(task))

    def held(self, path: str) -> bool | None:
        """Is this path in the container before any work?"""
        there = self._real or self._planned
        if path in there or any(p.startswith(path + "/") for p in there):
            return True
        if outside(path):
            return True
        if self._changed.get(path) in ("modified", "deleted"):
            return True
        if path in self._absent or self._changed.get(path) == "added":
            return False
        if self.manifest and any(_made_by(command, path) for command in self.manifest.setup):
            return None
        if self._known:
            return False
        return True if says(self.context, path) == "exact" else None

    def made(self, path: str) -> bool | None:
        """Does the solution create or change this path (or something below it)?"""
        if not self._ran:
            return None
        if self._changed.get(path) in ("added", "modified"):
            return True
        if any(p.startswith(path + "/") for p in self._changed):
            return True
        # what lies in a volume or tmpfs never shows in the diff
        return None if not self._changed and self.task.settings.grading == "live" else False

    def told(self, path: str) -> str:
        """How the instruction names this path: "exact", "parts", "name", "pattern" or "".

        "parts": it names the folder and, elsewhere, the name.
        """
        pure = PurePosixPath(path)
        if pure.name.startswith("."):  # `.git` comes with its folder
            return self.told(str(pure.parent)) or says(self.instruction, path)
        if how := says(self.instruction, path):
            folder = says(self.instruction, str(pure.parent)) == "exact"
            return "parts" if how == "name" and folder else how
        patterned = re.compile(r"[<*{\[]\S*" + re.escape(pure.suffix))
        in_folder = says(self.instruction, str(pure.parent)) == "exact"
        if pure.suffix and in_folder and patterned.search(self.instruction):
            return "pattern"
        if re.search(re.escape(path) + r"/", self.instruction):
            return "exact"
        return ""

    def nearby(self, path: str) -> str:
        """What the instruction says of this path: from its mention to that of another file."""
        parts = SENTENCE.split(self.instruction)
        found: list[str] = []
        inside = False
        for part in parts:
            if says(part, path):
                inside = True
            elif inside and OTHER_FILE.search(part):
                inside = False
            if inside:
                found.append(part)
        return "\n".join(found)

    def scripted(self, path: str) -> str:
        """How solve.sh names this path: "exact", "name" or ""."""
        return says(self.script, path)

    def word_told(self, word: str) -> bool:
        """Does the instruction hold this word?"""
        return says_word(self.instruction, word)

    def name_told(self, word: str) -> bool:
        """Is this word a name in the instruction: in code marks or quotes, or unlike prose?"""
        if not self.word_told(word):
            return False
        unlike = bool(re.search(r"[_\d]|[a-z][A-Z]", word)) or word.isupper()
        return unlike or any(says_word(span, word) for span in self.spans)

    def word_scripted(self, word: str) -> bool:
        """Does solve.sh hold this word?"""
        return says_word(self.script, word)

    def word_held(self, word: str) -> bool:
        """Is this word in a fixture or in the plan?"""
        return word in self.tokens

    def known(self, word: str) -> bool:
        """Does anything but the instruction hold this word: solutions, verifier, container?"""
        if self.word_held(word) or any(says_word(text, word) for text in self._others):
            return True
        manifest = self.manifest
        return manifest is not None and any(word == name for name, _ in manifest.env)

    @cached_property
    def _others(self) -> tuple[str, ...]:
        """Texts of solutions, verifier and build context."""
        task = self.task
        sets = (task.solution.files, task.verifier.files, task.environment.files)
        return tuple(f.text[:400_000] for files in sets for f in files.files[:MOST_DATA])

    def header_told(self) -> bool:
        """Does the instruction name every column of some fixture, so that the two agree?"""
        return any(all(self.name_told(column) for column in header) for header in self.headers)

    def users(self) -> frozenset[str]:
        """Logins the container has."""
        planned = {u.name for u in self.manifest.users} if self.manifest else set()
        return BASE_USERS | planned

    def planned_file(self, path: str) -> bool:
        """Is this path planned as a file or link, not as a folder?"""
        files = self.manifest.files if self.manifest else ()
        return any(f.path == path and f.kind != "dir" for f in files)

    def knows_place(self, path: str) -> bool:
        """Does it begin where the container keeps its work? `/items.json` of a URL does not."""
        workdir = self.manifest.workdir if self.manifest else "/app"
        parts = PurePosixPath(path).parts
        places = {PurePosixPath(p).parts[1] for p in (workdir, *self._planned) if len(p) > 1}
        return len(parts) > 2 and parts[1] in places

    def ports(self) -> frozenset[str]:
        """Ports of declared services."""
        services = self.manifest.services if self.manifest else ()
        return frozenset(str(s.port) for s in services if s.port)


def _recipes(files: tuple[TextFile, ...]) -> list[TextFile]:
    """The build's own scripts: not the fixtures."""
    return [f for f in files if not f.path.startswith("files/")][:50]


def _story(task: Task) -> str:
    """Everything the scenario fixes, as one text."""
    scenario = task.scenario
    if scenario is None:
        return ""
    facts = [f"{f.name}: {f.value}" for f in scenario.facts]
    references = (scenario.solution_reference, scenario.instruction_reference)
    states = [item for r in references for item in (r.text, *r.initial_state, *r.end_state)]
    return "\n".join((scenario.text, *facts, *states))


def _tokens(task: Task) -> set[str]:
    found: set[str] = set()
    manifest = task.environment.manifest
    blobs = [f.data for f in manifest.files if f.data] if manifest else []
    if not blobs:
        blobs = [f.data for f in task.environment.files.files if f.path != "Dockerfile"]
    for data in blobs[:MOST_DATA]:
        if b"\0" not in data[:1000]:
            found.update(TOKEN.findall(data[:LONGEST_DATA].decode("utf-8", "replace")))
    if manifest:
        for command in manifest.setup:
            found.update(TOKEN.findall(command))
    return found


def _headers(task: Task) -> Iterator[tuple[str, ...]]:
    """Column names in the first lines of text fixtures."""
    manifest = task.environment.manifest
    for file in manifest.files if manifest else ():
        first = (file.data or b"")[:2000].partition(b"\n")[0].decode("utf-8", "replace")
        names = [n.strip().strip('"') for n in re.split(r"[,;|\t]", first)]
        if len(names) > 1 and all(re.fullmatch(r"[A-Za-z_][\w .-]{0,40}", n) for n in names):
            yield tuple(names)


def _made_by(command: str, path: str) -> bool:
    return bool(says(command, path))


def _missing_paths(nop: Trial | None) -> set[str]:
    """Paths a check did not find on the untouched state."""
    if nop is None:
        return set()
    lines = [c.message for c in nop.checks if "No such file" in c.message]
    return {m for line in lines for m in re.findall(r"'(/[^']{1,300})'", line)}
