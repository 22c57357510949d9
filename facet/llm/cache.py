"""Replies kept by content: asking again for the same thing costs nothing.

A record is one small JSON file under the digest of everything that shaped the answer. The folder
of a workspace (`cache/replies`) can be given as `replay:<folder>` to play a run again.
"""

from pathlib import Path

from pydantic import ValidationError

from facet.blobs import write_durably
from facet.llm.base import Request, Usage
from facet.types.value import Value, digest_json


class Recorded(Value):
    """One kept reply."""

    request: str  # request_digest, the same whoever answered
    provider: str
    role: str
    text: str
    usage: Usage = Usage()


def request_digest(request: Request) -> str:
    """Digest of what was asked, without who answered: role, messages, nonce and attempt."""
    messages = [[m.role, m.text] for m in request.messages]
    return digest_json([request.role, messages, request.ask.nonce, request.ask.attempt])


def cache_key(request: Request, provider: str, fingerprint: str) -> str:
    """Digest of provider, its settings, template, rendered text and parameters.

    `fingerprint` is what else shapes this provider's answers. A model does not see nonce and
    attempt, but they make repeated asks distinct; the embedded author reads the whole ask, so its
    digest counts there.
    """
    ask = request.ask.value_digest() if provider == "offline" else ""
    return digest_json(
        [
            provider,
            fingerprint,
            request.template_digest,
            request_digest(request),
            request.max_tokens,
            ask,
        ]
    )


class ReplyCache:
    """A folder of records; safe for any number of threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> Recorded | None:
        """The record of a key; None when absent or unreadable (it is then made again)."""
        try:
            return Recorded.model_validate_json(self._path(key).read_bytes())
        except (OSError, ValidationError):
            return None

    def put(self, key: str, record: Recorded) -> None:
        """Keep a record. A disk that refuses is reported by the journal, not here."""
        try:
            write_durably(self._path(key), record.model_dump_json().encode())
        except OSError:
            return

    def _path(self, key: str) -> Path:
        name = key.removeprefix("sha256:")
        return self.folder / name[:2] / f"{name[2:]}.json"
