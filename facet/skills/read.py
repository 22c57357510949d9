"""Skill packages from a folder of any shape: inert data, bounded, links not followed.

A package is a folder that holds a SKILL.md (in any case). A package inside another is one of its
own. Sizes are bounded: what is larger than a limit is hashed or left out, and a finding says so.
Nothing is executed, and nothing outside the folder is opened.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from facet.errors import InputError
from facet.skills.frontmatter import FrontMatter, normalise, scalar, split
from facet.types.skill import ScreenFinding, Skill, SkillFile, SkillSource
from facet.types.value import Value, digest_json

MAX_DEPTH = 10
MAX_FILES = 1_000  # files of one package
MAX_PACKAGE = 64 * 1024 * 1024  # bytes of one package that are hashed
MAX_TEXT = 512 * 1024  # bytes of one file that is kept as text
SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv"})
CORPUS = "corpus.jsonl"  # optional, in the root: path, source, commit, licence per package
LICENCES: tuple[tuple[str, str], ...] = (
    ("MIT-0", r"MIT No Attribution"),
    ("MIT", r"\bMIT License\b|Permission is hereby granted, free of charge"),
    ("Apache-2.0", r"Apache License\s*,?\s*(?:Version 2\.0)?"),
    ("GPL-3.0", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms"),
    ("CC0-1.0", r"CC0 1\.0"),
    ("CC-BY-4.0", r"Attribution 4\.0 International"),
)


class Unreadable(Value):
    """A package that cannot be read as a skill, and why."""

    path: str
    reason: str


def read_folder(path: Path | str) -> Iterator[Skill | Unreadable]:
    """Every package below a folder, ordered by path, one at a time.

    Raises InputError when the folder is absent or holds no SKILL.md at all.
    """
    root = Path(path)
    if not root.is_dir():
        raise InputError(f"no folder of skills at {root}")
    known = _corpus(root)
    count = 0
    for folder, names, files in _packages(root):
        count += 1
        yield _read_package(root, folder, names, files, known)
    if not count:
        raise InputError(f"no skills below {root}: a skill is a folder with a SKILL.md")


def _packages(root: Path) -> Iterator[tuple[Path, list[str], list[Path]]]:
    """Each package folder with its SKILL.md names and all its files, nested packages left out."""
    stack: list[tuple[Path, int]] = [(root, 0)]
    while stack:
        folder, depth = stack.pop()
        files, folders = _entries(folder)
        names = [f.name for f in files if f.name.lower() == "skill.md"]
        if names:
            inner: list[Path] = []
            stack.extend((f, depth + 1) for f in reversed(_gather(folders, files, inner)))
            yield folder, names, files
        elif depth < MAX_DEPTH:
            stack.extend((f, depth + 1) for f in reversed(folders))


def _gather(folders: list[Path], files: list[Path], inner: list[Path]) -> list[Path]:
    """Add the files below a package's folders to `files`; the packages found among them."""
    todo = [(f, 1) for f in folders]
    while todo and len(files) <= MAX_FILES:
        folder, depth = todo.pop(0)
        more_files, more = _entries(folder)
        if any(f.name.lower() == "skill.md" for f in more_files):
            inner.append(folder)
            continue
        files.extend(more_files)
        if depth < MAX_DEPTH:
            todo.extend((f, depth + 1) for f in more)
    return inner


def _entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """Files (links and odd ones included) and real folders of a folder, sorted; [] if closed."""
    files: list[Path] = []
    folders: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED:
                        folders.append(Path(entry.path))
                else:
                    files.append(Path(entry.path))
    except OSError:
        return [], []
    return files, folders


def _read_package(
    root: Path, folder: Path, names: list[str], paths: list[Path], known: dict[str, Any]
) -> Skill | Unreadable:
    relative = folder.relative_to(root).as_posix()
    shown = relative if relative != "." else root.name
    if len(names) > 1:
        return Unreadable(path=shown, reason=f"holds both {' and '.join(sorted(names))}")
    findings: list[ScreenFinding] = []
    files, raw = _read_files(folder, paths, names[0], findings)
    if raw is None:
        return Unreadable(
            path=shown, reason=f"{names[0]} is a link, a special or an unreadable file"
        )
    if not raw.strip():
        return Unreadable(path=shown, reason=f"{names[0]} is empty")
    if len(raw) >= MAX_TEXT:
        return Unreadable(path=shown, reason=f"{names[0]} is larger than {MAX_TEXT >> 10} KiB")
    text = decode(raw)
    if text is None:
        return Unreadable(path=shown, reason=f"{names[0]} is not text (no UTF-8)")
    parts = split(text)
    findings.extend(_note(names[0], note) for note in parts.notes)
    record = known.get(relative, {})
    return _skill(root, relative, parts, files, record, tuple(findings))


def _skill(
    root: Path,
    relative: str,
    parts: FrontMatter,
    files: tuple[SkillFile, ...],
    record: dict[str, Any],
    findings: tuple[ScreenFinding, ...],
) -> Skill:
    meta, body = parts.meta, parts.body
    path = relative if relative != "." else root.resolve().name
    ident = path if "/" in path else f"{root.resolve().name}/{path}"
    name = scalar(meta.get("name"), 200) or _title(body) or path.rpartition("/")[2]
    description = scalar(meta.get("description")) or _paragraph(body)
    licence = scalar(meta.get("license") or meta.get("licence"), 100)
    source = SkillSource(
        source=scalar(record.get("source"), 100) or ident.partition("/")[0],
        path=scalar(record.get("repo_path"), 500) or ident.partition("/")[2],
        commit=scalar(record.get("commit"), 100),
        licence=licence or scalar(record.get("licence"), 100) or _licence(files),
    )
    return Skill(
        id=ident,
        name=name,
        description=description,
        body=body,
        files=files,
        source=source,
        digest=digest_json([name, description, body, [[f.path, f.sha256] for f in files]]),
        findings=findings,
    )


def _read_files(
    folder: Path, paths: list[Path], main: str, findings: list[ScreenFinding]
) -> tuple[tuple[SkillFile, ...], bytes | None]:
    """All regular files of a package, and the raw bytes of its SKILL.md."""
    files: list[SkillFile] = []
    raw: bytes | None = None
    budget = MAX_PACKAGE
    if len(paths) > MAX_FILES:
        findings.append(_finding("oversized", "", f"more than {MAX_FILES} files"))
    for path in paths[:MAX_FILES]:
        name = path.relative_to(folder).as_posix()
        data, size, digest = _read_file(path, budget)
        if size < 0:
            findings.append(_note(name, "a link, a special or an unreadable file, left out"))
            continue
        budget -= size
        if budget < 0:
            findings.append(_finding("oversized", name, f"more than {MAX_PACKAGE >> 20} MiB"))
            break
        text = None if data is None else decode(data)
        if data is None and not _binary(path):
            findings.append(_finding("oversized", name, f"text of {size} bytes, not screened"))
        files.append(SkillFile(path=name, size=size, sha256=digest, text=text))
        if path.name == main and path.parent == folder:
            raw = b"x" * MAX_TEXT if data is None else data
    return tuple(files), raw


def _read_file(path: Path, budget: int) -> tuple[bytes | None, int, str]:
    """(content up to MAX_TEXT or None, size, digest); size -1 when it is no regular file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None, -1, ""
    with os.fdopen(fd, "rb") as source:
        status = os.fstat(source.fileno())
        if not stat.S_ISREG(status.st_mode):
            return None, -1, ""
        if status.st_size > budget:
            return None, status.st_size, ""
        if status.st_size < MAX_TEXT:
            data = source.read(MAX_TEXT)
            return data, len(data), "sha256:" + hashlib.sha256(data).hexdigest()
        return None, status.st_size, "sha256:" + hashlib.file_digest(source, "sha256").hexdigest()


def _binary(path: Path) -> bool:
    """Does a file too large to keep look like no text? Judged by its first 8 KiB."""
    try:
        with path.open("rb") as source:
            head = source.read(8192)
    except OSError:
        return True
    return b"\0" in head or decode(head[:8000]) is None


def decode(data: bytes) -> str | None:
    """UTF-8 (with or without mark) or marked UTF-16; None for anything else and for NULs."""
    marked = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if marked else "utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else normalise(text)


def _corpus(root: Path) -> dict[str, Any]:
    """What an optional corpus.jsonl says about each path; broken lines are skipped."""
    known: dict[str, Any] = {}
    data, size, _ = _read_file(root / CORPUS, MAX_PACKAGE)
    if size > 0 and data is None:
        data = (root / CORPUS).read_bytes()
    for line in (data or b"").splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("path"), str):
            known[record["path"]] = record
    return known


def _title(body: str) -> str:
    found = re.search(r"^#{1,3}\s+(.{1,200}?)\s*#*$", body, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def _paragraph(body: str) -> str:
    for block in re.split(r"\n\s*\n", body[:20_000]):
        text = block.strip()
        if text and not text.startswith(("#", "```", "|", "<", "---", "![")):
            return " ".join(text.split())[:500]
    return ""


def _licence(files: tuple[SkillFile, ...]) -> str:
    for file in files:
        if file.text and file.path.lower().startswith(("license", "licence", "copying")):
            for name, pattern in LICENCES:
                if re.search(pattern, file.text[:3000]):
                    return name
    return ""


def _note(path: str, text: str) -> ScreenFinding:
    return ScreenFinding(
        rule="untidy", effect="warn", path=path, line=None, excerpt="", reason=text[:300]
    )


def _finding(rule: str, path: str, text: str) -> ScreenFinding:
    return ScreenFinding(rule=rule, effect="drop", path=path, line=None, excerpt="", reason=text)
