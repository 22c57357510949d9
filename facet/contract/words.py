"""Entities in free text and scripts: paths, URLs, ports, variables, users, limits, names. Pure.

Regular expressions over bounded text, line by line; every pattern is linear. Not covered: what a
shell or Python would compute from the text.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

LONGEST_TEXT = 400_000  # characters looked at
LONGEST_LINE = 4_000

PATH = re.compile(r"(?<![\w.$}/:*~-])(/(?:[\w.@%+~-]+/)*[\w.@%+~-]+)/?")
URL = re.compile(r"\bhttps?://[\w.-]+(?::\d{1,5})?(?:/[\w./%~+-]*)?")
PORT = re.compile(
    r"(?:\bports?\b[ =:`\"']{0,3}|\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):)(\d{2,5})\b", re.I
)
VARIABLE = re.compile(
    r"(?:\$\{?|\bexport +|\bvariable +`?|environ(?:\.get)?[\[(]\"|getenv\(\")([A-Z][A-Z0-9_]{2,40})"
)
USER = re.compile(
    r"(?:\buser(?:name)? +`?|\bsu (?:- )?|\bsudo -u +|useradd (?:-\w+ )*|getpwnam\([\"'])"
    r"([a-z_][a-z0-9_-]{1,31})\b"
)
CODE = re.compile(r"`([^`\n]{1,200})`")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+")
WORD = re.compile(r"[A-Za-z_][\w-]*")
LIMIT = re.compile(
    r"\b(?:at (?:least|most)|within|no more than|up to|exactly|below|above|maximum(?: of)?)"
    r" `?(\d+(?:\.\d+)?)`?",
    re.I,
)
SYSTEM = ("/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/share")
SCRATCH = ("/tmp", "/dev", "/proc", "/sys", "/run", "/var/tmp", "/tests", "/logs", "/solution")
NO_USERS = frozenset({"who", "can", "must", "should", "is", "has", "account", "and", "or", "name"})


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines, bounded in length and number."""
    for number, line in enumerate(text[:LONGEST_TEXT].splitlines(), 1):
        yield number, line[:LONGEST_LINE]


def paths_in(line: str) -> list[str]:
    """Absolute paths in a line, without a trailing slash or full stop."""
    bare = URL.sub(" ", line)
    return [p for m in PATH.finditer(bare) if len(p := m.group(1).rstrip("./")) > 1]


def relative_paths_in(line: str, workdir: str) -> list[str]:
    """Paths below the working directory that stand in `code marks` (`out/report.json`)."""
    found = []
    for span in CODE.findall(line):
        text = span.strip().removeprefix("./")
        if re.fullmatch(r"[\w.@-]+(?:/[\w.@-]+)+/?", text) and not text[0].isdigit():
            found.append(str(PurePosixPath(workdir) / text.rstrip("/")))
    return found


def names_in(line: str) -> list[str]:
    """Names with an underscore that stand alone in code marks: `closed_on`, `CLOSING_DAY`."""
    return [span for span in CODE.findall(line) if NAME.fullmatch(span)]


def outside(path: str) -> bool:
    """Places every container has or that belong to nobody: not part of the contract."""
    return any(path == p or path.startswith(p + "/") for p in (*SYSTEM, *SCRATCH))


def says(text: str, path: str) -> str:
    """Does a text name this path? "exact", "name" (its last part only) or ""."""
    if re.search(re.escape(path) + r"(?![\w-]|\.\w)", text):
        return "exact"
    name = PurePosixPath(path).name
    if len(name) >= 3 and re.search(r"(?<![\w.-])" + re.escape(name) + r"(?![\w-]|\.\w)", text):
        return "name"
    return ""


def says_word(text: str, word: str) -> bool:
    """Does a text hold this word, alone?"""
    return re.search(r"(?<![\w-])" + re.escape(word) + r"(?![\w-])", text) is not None


def ports_in(line: str) -> list[str]:
    """TCP ports a line names."""
    return [p for p in PORT.findall(line) if 0 < int(p) < 65536]


def users_in(line: str) -> list[str]:
    """Logins a line names."""
    return [u for u in USER.findall(line) if u not in NO_USERS]
