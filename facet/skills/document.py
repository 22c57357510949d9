"""A skill's texts as rules search them: hits with their place, and whether a hit is only quoted.

Security documentation quotes attacks. A hit counts as quoted when words of detection stand close
before it, when its own line says not to do it, or when it sits in a table row or regular
expression. A skill is defensive when its own name and description speak of finding or preventing
harm. Pure.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from facet.types.skill import Skill, SkillFile

DEFENSIVE = re.compile(
    r"secur|malicious|malware|injection|threat|antivirus|harden|defen[cs]|defend|guard|vulnerab"
    r"|forensic|incident|intrusion|pentest|penetration|red.?team|exploit|complian|\baudit|\bvet"
    r"|scanner|sandbox|detection|safety|\bctf\b|attack",
    re.IGNORECASE,
)
QUOTING = re.compile(
    r"\b(?:detect(?:s|ed|ion|ing)?|suspicious|malicious|attack\w*|dangerous|block(?:s|ed|ing)?|deny"
    r"|denied|forbid\w*|prohibit\w*|flags?|flagged|unsafe|harmful"
    r"|indicators?|iocs?|payloads?|threats?|exploit\w*|inject\w*|destructive|evil)\b|❌|🚫|⚠",
    re.IGNORECASE,
)
REFUSING = re.compile(r"\b(?:never|do not|don't|avoid|must not)\b", re.IGNORECASE)
WINDOW = 250  # characters before a hit in which words of warning count


class Hit(NamedTuple):
    """One place in one file."""

    path: str
    line: int  # 1-based
    excerpt: str  # that line, at most 200 characters


class Document:
    """A skill ready to be searched; SKILL.md first, then its other texts by path."""

    def __init__(self, skill: Skill) -> None:
        self.skill = skill
        main = [f for f in skill.files if f.path.lower() == "skill.md"]
        rest = [f for f in skill.files if f.path.lower() != "skill.md" and _searched(f)]
        self.main = main[0] if main else SkillFile(path="SKILL.md", size=0, sha256="", text="")
        self.files: tuple[SkillFile, ...] = (self.main, *rest)

    @cached_property
    def text(self) -> str:
        """The text of SKILL.md."""
        return self.main.text or ""

    @cached_property
    def head(self) -> str:
        """Name and description: what the skill says it is."""
        return f"{self.skill.name} {self.skill.description}"

    @cached_property
    def defensive(self) -> bool:
        """Is the skill about finding or preventing harm?"""
        return bool(DEFENSIVE.search(self.head))

    @cached_property
    def lowered(self) -> tuple[str, ...]:
        """The searched texts in lower case, for cheap tests before a pattern."""
        return tuple((f.text or "").lower() for f in self.files)

    @cached_property
    def code(self) -> str:
        """The fenced code of SKILL.md."""
        return "\n".join(m[1] for m in re.finditer(r"```[^\n]*\n(.*?)```", self.text, re.DOTALL))

    def search(
        self, pattern: re.Pattern[str], hints: tuple[str, ...] = (), *, main_only: bool = False
    ) -> Iterator[tuple[SkillFile, re.Match[str]]]:
        """Matches in file order; a file is skipped unless it holds one of the lower-case hints."""
        files = self.files[:1] if main_only else self.files
        for file, lowered in zip(files, self.lowered, strict=False):
            if not hints or any(h in lowered for h in hints):
                for match in pattern.finditer(file.text or ""):
                    yield file, match


def _searched(file: SkillFile) -> bool:
    """Registry records are not part of what an agent reads; lock files say nothing."""
    name = file.path.rpartition("/")[2].lower()
    return file.text is not None and name not in ("_meta.json", "package-lock.json", "yarn.lock")


def hit(file: SkillFile, position: int) -> Hit:
    """The line of a position."""
    text = file.text or ""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)].strip()
    return Hit(file.path, text.count("\n", 0, position) + 1, line[:200])


def quoted(file: SkillFile, position: int) -> bool:
    """Does the text close before (or on the line of) a position say that this is a bad example?"""
    text = file.text or ""
    end = text.find("\n", position)
    start = text.rfind("\n", 0, position) + 1
    line = text[start : end if end >= 0 else len(text)]
    if line.lstrip().startswith(("|", "- re", "r'", 'r"')) or "\\s" in line or "|\\" in line:
        return True
    near = text[max(0, start - WINDOW) : start] + line
    return bool(QUOTING.search(near) or REFUSING.search(line))
