"""A public skill package as read and screened, and the contexts and pairs made of it."""

from typing import Literal

from facet.types.value import Value, digest_json, short


class SkillSource(Value):
    """Where a skill came from; stays with it into every task made of it."""

    source: str = ""  # collection, e.g. "clawhub"
    path: str = ""  # folder inside the collection, "/" separated
    commit: str = ""  # revision if known
    licence: str = ""  # licence as found (SPDX id or free text), "" if none was found


class SkillFile(Value):
    """One file of a package. `text` is None for binary or oversized files."""

    path: str
    size: int  # bytes
    sha256: str  # digest of the whole file
    text: str | None = None


class ScreenFinding(Value):
    """One screening rule that fired, with the line that caused it."""

    rule: str
    effect: Literal["drop", "warn"]
    path: str  # file inside the package
    line: int | None  # 1-based; None if the finding is about the whole file
    excerpt: str  # at most 200 characters of that line
    reason: str  # one sentence for a person


class Skill(Value):
    """A readable public procedure: raw material, never executed."""

    id: str  # "<source>/<path>", unique in a corpus
    name: str
    description: str
    body: str  # Markdown after the front matter
    files: tuple[SkillFile, ...] = ()
    source: SkillSource = SkillSource()
    digest: str = ""  # over name, description, body and file digests
    findings: tuple[ScreenFinding, ...] = ()

    @property
    def kept(self) -> bool:
        """True when no rule said drop."""
        return all(f.effect != "drop" for f in self.findings)


class Context(Value):
    """A situation in which a skill is applied, proposed from its text."""

    skill_id: str
    situation: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tools: tuple[str, ...]
    state: str = ""  # what must exist before
    capability: str = ""  # short name of what is done, e.g. "clean a CSV table"
    quote: str = ""  # the sentence of the skill it rests on


class PairVerdict(Value):
    """The judge's answer on a pair of contexts."""

    keep: bool
    complementary: str  # reason
    executable: str  # reason: can it be done in a terminal, offline


class Seed(Value):
    """A skill pair accepted by the judge: what one synthesis starts from."""

    number: int  # position in its run, from 0
    skills: tuple[Skill, Skill]
    contexts: tuple[Context, Context]
    verdict: PairVerdict

    @property
    def id(self) -> str:
        """`<number>-<digest>`; the same for the same pair, contexts and position."""
        ids = [s.id for s in self.skills]
        contexts = [c.to_json() for c in self.contexts]
        return f"{self.number:04d}-{short(digest_json([ids, contexts]), 8)}"
