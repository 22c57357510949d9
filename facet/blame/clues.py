"""What a judgement shows, in the form blame rules ask for. Pure; matrix and needs are lazy."""

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from facet.check_source import check_sources
from facet.contract.matrix import all_needs, contract_matrix
from facet.contract.mention import Matrix
from facet.contract.needs import Needs
from facet.contract.world import World
from facet.types.task import Artifact, Task
from facet.types.trial import CheckResult
from facet.types.verdict import Category, Gate, Judgement

MISSING_FILE = (
    re.compile(r"No such file or directory: ['\"]([^'\"\n]{1,300})['\"]"),
    re.compile(r"can't open file ['\"]([^'\"\n]{1,300})['\"]"),
    re.compile(
        r"cannot (?:access|stat|open(?: file)?|create [\w ]+|remove)"
        r" [`'\"‘]([^'\"’\n]{1,300})['\"’]"
    ),
    re.compile(r"Could not open file ([^\s'\"]{1,300})"),
    re.compile(r"unable to open (?:database )?(?:file )?['\"]?(/[^\s'\":]{1,300})"),
    re.compile(r"(?:^|[\s:])([^\s:'\"]*[/.][^\s:'\"]*): No such file or directory", re.M),
    re.compile(r"can't (?:read|open) ([^\s:'\"]{1,300}): No such file"),
)
MISSING_COMMAND = (
    re.compile(r"(?:^|[\s:])([\w.+-]+): (?:command )?not found", re.M),
    re.compile(r"env: ['‘]?([\w.+-]+)['’]?: No such file"),
    re.compile(r"FileNotFoundError: .*No such file or directory: ['\"]([\w.+-]+)['\"]"),
    re.compile(r"exec: ['\"]?([\w.+-]+)['\"]?: (?:executable file )?not found"),
)
MISSING_KEY = (
    re.compile(r"KeyError: ['\"]([^'\"\n]{1,80})['\"]"),
    re.compile(r"no such (?:column|table): ([\w.]{1,80})"),
    re.compile(r"['\"]([^'\"\n]{1,80})['\"] is not in list"),
    re.compile(
        r"(?:unknown|undefined|missing|Unrecognized) (?:column|field|key)s?:? ['\"]?([\w.-]+)", re.I
    ),
)
MISSING_MODULE = re.compile(r"No module named ['\"]?([\w.]+)")
MISSING_USER = re.compile(
    r"(?:invalid user|unknown user|user|getpwnam\(\): name not found:?)[: ]+"
    r"['\"‘]?([a-z_][\w-]*)['\"’]?(?: does not exist|$|[^\w])",
    re.M,
)
UNSET = re.compile(r"(?:line \d+: |: )([A-Z][A-Z0-9_]*): (?:unbound variable|parameter not set)")
REFUSED = re.compile(
    r"(?:Connection refused|Could not connect|Failed to connect|ECONNREFUSED)", re.I
)
NETWORK = re.compile(
    r"Could not resolve host|Temporary failure (?:in name resolution|resolving)|Name or service not"
    r" known|Network is unreachable|No matching distribution|Failed to fetch|NewConnectionError"
)
DENIED = re.compile(
    r"([^\s:'\"]*/[^\s:'\"]*)['\"]?: Permission denied|Permission denied: ['\"]([^'\"]+)"
)
IN_THE_WAY = re.compile(
    r"(?:cannot create directory|mkdir:?) ['\"‘]?(/[^'\"’\n:]{1,300})['\"’]?: "
    r"(?:File exists|Not a directory)"
    r"|(?:FileExistsError|NotADirectoryError): .*['\"](/[^'\"]+)['\"]"
)
READ_ONLY = re.compile(r"Read-only file system(?:: ['\"]([^'\"]+))?")
NOT_EXECUTABLE = 126
OUTPUT_VERBS = re.compile(
    r"\b(writ\w+|creat\w+|sav\w+|produc\w+|put|stor\w+|outputs?|generat\w+|results?|into|goes|go|"
    r"belongs?|takes|export\w*|record\w*|list\w*)\b",
    re.I,
)


@dataclass(frozen=True)
class Finding:
    """What a rule found: evidence lines, and who is to blame where the rule leaves it open."""

    evidence: tuple[str, ...]
    artifact: Artifact | None = None
    category: Category | None = None


class Clues:
    """A task, its judgement and everything a rule may look at."""

    def __init__(self, task: Task, judgement: Judgement, gate: Gate) -> None:
        self.task = task
        self.judgement = judgement
        self.gate = gate
        self.nop = judgement.trial("nop")
        self.oracle = judgement.trial("oracle")
        self.others = tuple(
            t for t in judgement.trials if t.actor in ("partial", "alternative", "mutant")
        )

    @cached_property
    def world(self) -> World:
        """What the container holds, what the solution makes, what the texts say."""
        return World(self.task, oracle=self.oracle, nop=self.nop)

    @cached_property
    def needs(self) -> dict[str, Needs]:
        """What each check needs, by its id."""
        return all_needs(self.task)

    @cached_property
    def matrix(self) -> Matrix:
        """The contract matrix with what ran."""
        return contract_matrix(self.task, oracle=self.oracle, nop=self.nop)

    @cached_property
    def actor_text(self) -> str:
        """What the solution printed."""
        return self.oracle.actor_log.text if self.oracle else ""

    @cached_property
    def verifier_text(self) -> str:
        """What the verifier said of the deciding trial: log, detail and the gate's details."""
        trial = self.nop if self.gate.name in ("verifier_runs", "initial_fails") else self.oracle
        parts = [self.gate.evidence, *self.gate.details]
        if trial is not None:
            parts += [trial.detail, trial.verifier_log.text]
        return "\n".join(parts)

    def need(self, check: CheckResult) -> Needs | None:
        """Needs of a reported check, however its reporter spells it."""
        plain = check.id.partition("[")[0]
        if plain in self.needs:
            return self.needs[plain]
        name = plain.rpartition("::")[2]
        same = [n for id, n in self.needs.items() if id.rpartition("::")[2] == name]
        return same[0] if len(same) == 1 else None

    def source(self, check: CheckResult) -> str:
        """The check's own function as text, "" where it is not found."""
        plain = check.id.partition("[")[0]
        found = next((s for s in check_sources(self.task.verifier.files) if s.id == plain), None)
        return ast.unparse(found.node) if found else ""

    def packages(self) -> frozenset[str]:
        """Names of planned packages."""
        manifest = self.task.environment.manifest
        return frozenset(p.name for p in manifest.packages) if manifest else frozenset()

    def tools_told(self, name: str) -> bool:
        """Do instruction, plan or scenario promise this command or module?"""
        scenario = self.task.scenario
        tools = scenario.axes.io_tools if scenario else ""
        aliases = {name, name.replace("_", "-"), f"python3-{name}", name.split(".")[0]}
        return (
            self.world.word_told(name)
            or bool(aliases & self.packages())
            or any(word in tools.replace(",", " ").split() for word in aliases)
        )

    def whole(self, path: str) -> str:
        """An absolute form of a path an error names."""
        if path.startswith("/"):
            return str(PurePosixPath(path))
        manifest = self.task.environment.manifest
        return str(PurePosixPath(manifest.workdir if manifest else "/app") / path)

    def is_output(self, path: str) -> bool:
        """Is this path something the actor shall make, rather than something to start from?"""
        name = re.escape(PurePosixPath(path).name)
        script = self.task.solution.script
        writes = (
            rf">>?\s*[\"']?[^\s\"'|;]*{name}",
            rf"{name}[\"']?\s*,\s*[\"'](?:w|a|x|wt|wb)",
            rf"{name}[\"']?\)*\s*\.\s*(?:write_|open\([\"']w)",
            rf"(?:-o|--output|tee)\s+[\"']?[^\s\"']*{name}",
        )
        if any(re.search(pattern, script) for pattern in writes):
            return True
        if self.world.held(path):
            return False
        for sentence in re.split(
            r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*[-*]\s", self.task.instruction.text
        ):
            at = re.search(rf"{re.escape(path)}|(?<![\w.-]){name}(?![\w-])", sentence)
            if at and OUTPUT_VERBS.search(sentence[: at.start()]):
                return True
        return False


def first_match(patterns: tuple[re.Pattern[str], ...], text: str) -> str:
    """The last thing these patterns name (errors that end a script stand last), or ""."""
    found = [(m.start(), m.group(1)) for p in patterns for m in p.finditer(text[-40_000:])]
    return max(found)[1] if found else ""
