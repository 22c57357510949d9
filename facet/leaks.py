"""Is the answer, or a test, in the image? Static look at the build context. Pure.

Long enough pieces of solution and tests are looked for in every environment file, plain, base64,
hex and gzip. A hash of the answer is no leak. Not covered: encodings beyond these, and what a
running container shows (`strict/`).
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator

from facet.types.task import Task
from facet.types.value import Value

SHARE = 0.6
"""Share of a script's telling lines that must be found before it counts as leaked."""
SHORTEST_LINE = 12  # characters of a line that tells something
FEWEST_LINES = 3
LONGEST_FILE = 4_000_000  # bytes looked at
ENCODED = re.compile(rb"[A-Za-z0-9+/]{60,}={0,2}(?:\s+[A-Za-z0-9+/]{20,}={0,2})*")
HEXED = re.compile(rb"(?:[0-9a-fA-F]{2}){80,}")
COMMON = re.compile(r"^(#|import |from |set -|fi$|done$|then$|else|mkdir -p |exit \d|return)")


class Leak(Value):
    """A part of the answer in a file of the image."""

    kind: str  # "solution" or "tests"
    source: str  # file it comes from
    found: str  # path in the environment folder
    how: str  # "plain", "base64", "hex" or "gzip"

    @property
    def line(self) -> str:
        """For evidence; the environment is what must change."""
        return f"environment: {self.found} holds {self.kind} {self.source} ({self.how})"


def leaks(task: Task) -> tuple[Leak, ...]:
    """Everything of solution and tests that the build context gives away."""
    wanted = [
        *(("solution", f.path, _telling(f.text)) for f in task.solution.files.files),
        *(("tests", f.path, _telling(f.text)) for f in task.verifier.files.files),
    ]
    own = {f.text.strip() for f in task.environment.files.files if f.path == "entrypoint.sh"}
    found = []
    for file in task.environment.files.files:
        if file.text.strip() in own:
            continue
        for how, text in _readings(file.data[:LONGEST_FILE]):
            lines = {" ".join(line.split()) for line in text.splitlines()}
            for kind, source, telling in wanted:
                if len(telling) >= FEWEST_LINES and _share(telling, lines) >= SHARE:
                    found.append(Leak(kind=kind, source=source, found=file.path, how=how))
    return tuple(dict.fromkeys(found))


def _telling(text: str) -> tuple[str, ...]:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(dict.fromkeys(x for x in lines if len(x) >= SHORTEST_LINE and not COMMON.match(x)))


def _share(telling: tuple[str, ...], lines: set[str]) -> float:
    return sum(line in lines for line in telling) / len(telling)


def _readings(data: bytes) -> Iterator[tuple[str, str]]:
    """The file as text, and what it hides in common encodings."""
    yield "plain", data.decode("utf-8", "replace")
    if data[:2] == b"\x1f\x8b":
        inner = _unzipped(data)
        if inner:
            yield "gzip", inner.decode("utf-8", "replace")
    for match in list(ENCODED.finditer(data))[:200]:
        try:
            decoded = base64.b64decode(b"".join(match[0].split()), validate=True)
        except (binascii.Error, ValueError):
            continue
        if decoded[:2] == b"\x1f\x8b":
            decoded = _unzipped(decoded) or decoded
        yield "base64", decoded.decode("utf-8", "replace")
    for match in list(HEXED.finditer(data))[:200]:
        yield "hex", bytes.fromhex(match[0].decode()).decode("utf-8", "replace")


def _unzipped(data: bytes) -> bytes:
    """At most LONGEST_FILE bytes of a gzip stream; b"" if it is none."""
    try:
        return zlib.decompressobj(wbits=31).decompress(data, LONGEST_FILE)
    except zlib.error:
        return b""
