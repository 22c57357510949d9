"""Asks a running container what it holds: one command, bounded, its answer treated as hostile."""

import base64
import binascii
import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from facet.errors import BuildError, EngineError
from facet.sandbox.base import PutFile, Sandbox
from facet.types.value import Value

MAX_PATHS = 2_000
MAX_ANSWER = 8_000_000  # bytes of JSON
PROBE_TIMEOUT_S = 180.0
HEAD_BYTES = 800


class Question(Value):
    """What to look at."""

    paths: tuple[str, ...] = ()  # looked at in any case
    roots: tuple[str, ...] = ()  # folders whose content is listed
    depth: int = 5
    limit: int = 400  # further files below the roots
    heads: int = 200  # files whose first characters are shown
    head_bytes: int = HEAD_BYTES
    packages: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


class Seen(Value):
    """One path as it is in the container."""

    kind: str = Field(pattern="^(file|dir|link|other)$")
    size: int = Field(ge=0)
    mode: str = Field(max_length=8)
    owner: str = Field(max_length=64)
    group: str = Field(max_length=64)
    sha256: str = Field(default="", max_length=64)
    target: str = Field(default="", max_length=1000)
    head: str = Field(default="", max_length=4 * HEAD_BYTES)  # base64
    unreadable: str = Field(default="", max_length=200)

    @property
    def head_text(self) -> str:
        """First characters of a text file; "" for anything else."""
        try:
            data = base64.b64decode(self.head, validate=True)
        except (binascii.Error, ValueError):
            return ""
        text = data.decode("utf-8", "ignore")
        if b"\0" in data or len(text.encode()) < len(data) - 3:
            return ""
        return text


class SeenUser(Value):
    """A login."""

    uid: int
    home: str = Field(max_length=1000)
    shell: str = Field(max_length=1000)


class Answer(Value):
    """What the container said."""

    files: dict[str, Seen | None] = Field(max_length=4 * MAX_PATHS)
    packages: dict[str, str] = {}
    wheels: dict[str, str] = {}
    users: dict[str, SeenUser] = {}
    env: dict[str, str] = {}
    workdir: str = Field(max_length=4096)
    architecture: str = Field(max_length=64)


def probe(sandbox: Sandbox, question: Question, *, python: str = "python3") -> Answer:
    """Look into the container.

    Raises BuildError when the container cannot answer (no Python, nonsense), EngineError when the
    answer did not come in time.
    """
    if len(question.paths) > MAX_PATHS:
        raise BuildError(f"{len(question.paths)} paths to look at, at most {MAX_PATHS}")
    place = f"/facet-probe-{secrets.token_hex(8)}"
    script = Path(__file__).with_name("probe_script.py").read_bytes()
    plan = json.dumps(question.to_json()).encode()
    sandbox.put(
        [
            PutFile(path=f"{place}/probe.py", data=script),
            PutFile(path=f"{place}/plan.json", data=plan),
        ]
    )
    result = sandbox.exec(
        [python, "-I", "-B", f"{place}/probe.py", f"{place}/plan.json"],
        timeout_s=PROBE_TIMEOUT_S,
        user="0",
        max_output=MAX_ANSWER,
    )
    if result.timed_out or result.killed:
        raise EngineError(f"looking into the container did not end: {result.killed or 'deadline'}")
    if result.exit != 0 or result.stdout.bytes_cut:
        said = " ".join(result.stderr.text.split())[-300:] or f"exit {result.exit}"
        raise BuildError(f"the container cannot be looked into with {python}: {said}")
    return read_answer(result.stdout.text)


def read_answer(text: str) -> Answer:
    """Parse a container's answer; BuildError when it is not one."""
    try:
        data: Any = json.loads(text.encode("utf-8", "replace"))
        return Answer.model_validate(_clean(data), strict=False)
    except (ValueError, ValidationError, RecursionError) as error:
        raise BuildError(f"the container's answer is not readable: {str(error)[:200]}") from error


def _clean(value: Any) -> Any:
    """Text that UTF-8 cannot carry (names that are not UTF-8) becomes U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8") if _odd(value) else value
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def _odd(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)


def bounded(paths: Sequence[str], limit: int = MAX_PATHS) -> tuple[str, ...]:
    """The first `limit` distinct paths, sorted."""
    return tuple(sorted(set(paths))[:limit])
