"""Text of strangers made safe to show: no Markdown, no hidden characters, bounded.

Titles, file contents, logs and replies are third-party text. What goes into a Markdown element
passes `md`; what goes into a code or text element passes `plain`. Neither ever yields HTML.
"""

from pathlib import PurePosixPath
from typing import Literal

MARKDOWN = set("\\`*_{}[]()#+-.!|<>$:~^&\"'=@/")
JOINER = "\N{WORD JOINER}"
HIDDEN = {
    *range(0x00, 0x09),
    0x0B,
    0x0C,
    *range(0x0E, 0x20),
    0x7F,
    *range(0x80, 0xA0),
    0x061C,
    0x200B,
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2065),
    *range(0x2066, 0x206A),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080),
}
"""Control, bidirectional and invisible code points: shown as escapes, since they hide code."""

SHOWN_BYTES = 200_000  # of one file in a pane; the rest is named, not sent

LANGUAGES: dict[str, str] = {
    ".sh": "bash",
    ".bash": "bash",
    ".py": "python",
    ".js": "javascript",
    ".json": "json",
    ".jsonl": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".ini": "ini",
    ".cfg": "ini",
    ".conf": "nginx",
    ".sql": "sql",
    ".md": "markdown",
    ".xml": "xml",
    ".html": "html",
    ".css": "css",
    ".c": "c",
    ".h": "c",
    ".awk": "awk",
    ".diff": "diff",
    ".patch": "diff",
    ".mk": "makefile",
}
NAMES: dict[str, str] = {
    "dockerfile": "docker",
    "makefile": "makefile",
    "crontab": "bash",
    "entrypoint": "bash",
}


def plain(text: str, limit: int = SHOWN_BYTES) -> str:
    """Text for a code or text element: hidden characters become `\\x1b`-like escapes, bounded."""
    cut = text[:limit]
    shown = "".join(_visible(c) for c in cut.replace("\r\n", "␍\n"))
    if len(text) > limit:
        shown += f"\n… {len(text) - limit:,} more characters not shown"
    return shown


def _visible(character: str) -> str:
    code = ord(character)
    if code in HIDDEN or 0xD800 <= code < 0xE000:
        if code < 0x100:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return "␍" if character == "\r" else character


def line(text: str, limit: int = 300) -> str:
    """One plain line: blanks joined, hidden characters escaped, bounded."""
    joined = " ".join(plain(text, limit * 4).split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def md(text: str, limit: int = 300) -> str:
    """One line for a Markdown element that shows exactly these characters and no markup.

    Every ASCII punctuation mark with a meaning is escaped, and bare addresses are broken by an
    invisible joiner, so nothing becomes a link, an icon, a colour, an image or a formula.
    """
    out = []
    for character in line(text, limit):
        if character in MARKDOWN:
            out.append("\\" + character)
            if character in ":@./":
                out.append(JOINER)
        else:
            out.append(character)
    return "".join(out)


def language(path: str) -> str | None:
    """Name of the highlighter for a file name, None where there is none."""
    name = PurePosixPath(path).name.lower()
    if name.endswith(".dockerfile") or name.startswith("dockerfile"):
        return "docker"
    return NAMES.get(name) or LANGUAGES.get(PurePosixPath(name).suffix)


def count(number: int, word: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def seconds(value: float) -> str:
    """A duration for people."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 120:
        return f"{value:.0f} s"
    if value < 7200:
        return f"{value / 60:.0f} min"
    return f"{value / 3600:.1f} h"


def size(value: int) -> str:
    """Bytes for people."""
    if value < 1000:
        return f"{value} B"
    if value < 1_000_000:
        return f"{value / 1000:.1f} kB"
    return f"{value / 1_000_000:.1f} MB"


def table_height(rows: int, row_height: int = 31, limit: int = 560) -> int:
    """Pixels of a table that shows this many rows whole, or scrolls at the limit."""
    return min(34 + row_height * rows, limit)


def code_height(text: str, limit: int) -> int | Literal["content"]:
    """Pixels of a code element that is as high as its text, or scrolls at the limit."""
    return "content" if (text.count("\n") + 1) * 21 + 34 < limit else limit


def clock(at: str) -> str:
    """`2026-05-01 12:34` of an event's time."""
    return line(at[:16].replace("T", " "), 16)
