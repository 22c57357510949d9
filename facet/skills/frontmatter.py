"""The front matter of a SKILL.md as found in the wild, read leniently. Pure.

Tried in this order: a `---` block (also behind a blank line, heading, comment or fence; also never
closed, or closed at the end of a value), one JSON object, bare `key: value` lines. A block that is
no YAML mapping is read again line by line. What had to be mended is said in `notes`.
"""

import json
import re
from typing import Any, NamedTuple

import yaml

MAX_LINES = 400  # of a front matter block
MAX_CHARS = 65_536
KEY = re.compile(r"^([A-Za-z_][\w.-]{0,60})\s*:(?:\s+(.*)|\s*)$")
FENCE = re.compile(r"^-{3,}\s*$")
GLUED = re.compile(r"^(?P<value>.*\S)\s*---\s*$")
KNOWN = {"name", "description", "license", "version", "metadata", "slug", "homepage", "author"}


class FrontMatter(NamedTuple):
    """Keys and values, the Markdown after them, and what was odd about them."""

    meta: dict[str, Any]
    body: str
    notes: tuple[str, ...]


def normalise(text: str) -> str:
    """Without byte order mark, with LF line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def split(text: str) -> FrontMatter:
    """Front matter and body of a whole SKILL.md; never raises."""
    text = normalise(text)
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return FrontMatter({}, "", ("empty file",))
    if lines[first].lstrip().startswith("{"):
        return _json(text)
    for start in range(first, min(first + 12, len(lines))):
        if FENCE.match(lines[start]) and _looks_like_keys(lines[start + 1 :]):
            notes = ("front matter is not first",) if start > first else ()
            return _block(lines, start, notes)
    one_line = re.match(r"^-{3,}\s+(\w+:\s.*)$", lines[first])
    if one_line:
        lines[first] = one_line[1]
        return _bare(lines, first, "front matter opens on the line of its first key")
    key = KEY.match(lines[first])
    if key and key[1].lower() in KNOWN:
        return _bare(lines, first, "front matter without ---")
    return FrontMatter({}, text.strip("\n"), ("no front matter",))


def _looks_like_keys(lines: list[str]) -> bool:
    """Is the first line that says something a key, a comment or the end of the block?"""
    for line in lines[:5]:
        if line.strip():
            return bool(KEY.match(line.strip()) or FENCE.match(line) or line.startswith(("#", "{")))
    return False


def _block(lines: list[str], start: int, notes: tuple[str, ...]) -> FrontMatter:
    for end in range(start + 1, min(start + 1 + MAX_LINES, len(lines))):
        line = lines[end]
        if FENCE.match(line) or line.rstrip() == "...":
            meta, odd = parse("\n".join(lines[start + 1 : end]))
            return FrontMatter(meta, _rest(lines[:start], lines[end + 1 :]), notes + odd)
        glued = GLUED.match(line)
        if glued and KEY.match(line):
            block = [*lines[start + 1 : end], glued["value"]]
            meta, odd = parse("\n".join(block))
            odd = ("front matter closes at the end of a value", *odd)
            return FrontMatter(meta, _rest(lines[:start], lines[end + 1 :]), notes + odd)
    return _bare(lines, start + 1, "front matter is never closed", notes)


def _bare(lines: list[str], start: int, note: str, notes: tuple[str, ...] = ()) -> FrontMatter:
    """Key lines up to the first blank line or heading."""
    end = start
    while end < min(start + MAX_LINES, len(lines)):
        line = lines[end]
        if not line.strip() or (line.startswith("#") and end > start):
            break
        if not (KEY.match(line) or line[:1] in " \t-"):
            break
        end += 1
    meta, odd = parse("\n".join(lines[start:end]))
    return FrontMatter(meta, _rest([], lines[end:]), (*notes, note, *odd))


def _rest(before: list[str], after: list[str]) -> str:
    return "\n".join([*before, *after]).strip("\n")


def _json(text: str) -> FrontMatter:
    start = text.index("{")
    try:
        meta, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return FrontMatter({}, text.strip("\n"), ("no front matter",))
    if not isinstance(meta, dict):
        return FrontMatter({}, text.strip("\n"), ("no front matter",))
    return FrontMatter(meta, text[end:].strip("\n"), ("front matter is JSON",))


def parse(block: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A front matter block as a mapping, by YAML or else line by line; and what was odd."""
    if len(block) > MAX_CHARS:
        return by_line(block[:MAX_CHARS]), ("front matter is longer than 64 KiB",)
    if block.count("[") + block.count("{") > 500:
        return by_line(block), ("front matter is nested too deeply",)
    try:
        meta = yaml.load(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if isinstance(meta, dict):
            return {str(k): v for k, v in meta.items()}, ()
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        reason = str(getattr(error, "problem", "") or type(error).__name__)
        return by_line(block), (f"broken YAML ({reason}), read line by line",)
    if meta is None:
        return {}, ("front matter is empty",)
    return by_line(block), ("front matter is no mapping, read line by line",)


def by_line(block: str) -> dict[str, Any]:
    """`key: value` lines at the margin; indented lines belong to the value above them."""
    meta: dict[str, Any] = {}
    key = ""
    for line in block.split("\n"):
        found = KEY.match(line.lstrip("# ") if line.startswith("#") else line)
        if found:
            key = found[1]
            value = (found[2] or "").strip()
            meta.setdefault(key, "" if re.fullmatch(r"[|>][+-]?\d?", value) else _unquote(value))
        elif key and line[:1] in (" ", "\t") and line.strip():
            meta[key] = f"{meta[key]} {line.strip()}".strip()
    return meta


def _unquote(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def scalar(value: Any, limit: int = 20_000) -> str:
    """A value as one line of text: scalars and flat lists of scalars; "" for anything else."""
    if isinstance(value, list | tuple):
        value = ", ".join(filter(None, (scalar(v) for v in value[:50] if isinstance(v, str | int))))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, int) and value.bit_length() > 256:
        return ""
    return " ".join(str(value).split())[:limit]
