"""The list of known texts that a delivery must not repeat: a file, or a folder of files."""

import json
from collections.abc import Iterator
from pathlib import Path

from facet.errors import InputError

MAX_FILE = 64_000_000  # bytes
MAX_FILES = 50_000
SUFFIXES = (".txt", ".md", ".jsonl")


def read_known(path: Path) -> tuple[tuple[str, str], ...]:
    """Name and text of every entry.

    A .jsonl file has an object with `text` or `instruction` (and perhaps `name`) on each line; a
    .txt file one text a line; a .md file is one text. Of a folder every such file is read; in it
    a .txt file is one text. Raises InputError.
    """
    if path.is_dir():
        files = [p for p in sorted(path.rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
        if len(files) > MAX_FILES:
            raise InputError(f"{path}: more than {MAX_FILES:,} files of known texts")
        found = [
            pair
            for file in files
            if not file.is_symlink()
            for pair in _read(file, str(file.relative_to(path)), whole=file.suffix != ".jsonl")
        ]
    else:
        found = list(_read(path, path.name, whole=path.suffix == ".md"))
    return tuple((name, text) for name, text in found if text.strip())


def _read(path: Path, name: str, *, whole: bool) -> Iterator[tuple[str, str]]:
    try:
        if path.stat().st_size > MAX_FILE:
            raise InputError(f"{path}: longer than {MAX_FILE:,} bytes")
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if whole:
        yield name, text
        return
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".jsonl" and line.strip():
            try:
                value = json.loads(line)
                entry = value.get("text") or value["instruction"]
                label = str(value.get("name") or f"{name}:{number}")
            except (ValueError, KeyError, AttributeError, RecursionError) as error:
                raise InputError(
                    f"{path}:{number}: no JSON object with `text` or `instruction`"
                ) from error
            yield label, str(entry)
        elif path.suffix != ".jsonl":
            yield f"{name}:{number}", line
