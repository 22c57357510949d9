"""What all nouns share: frozen values, strict keys, digests over canonical JSON."""

import hashlib
import json
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


def digest_bytes(data: bytes) -> str:
    """`sha256:<64 hex digits>` of some bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def canonical_json(value: Any) -> bytes:
    """JSON with sorted keys and no spaces, UTF-8; the same value always gives the same bytes."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8", "surrogatepass")


def digest_json(value: Any) -> str:
    """Digest of a JSON value, independent of key order."""
    return digest_bytes(canonical_json(value))


def short(digest: str, length: int = 12) -> str:
    """The first hex digits of a digest, for people and folder names."""
    return digest.rpartition(":")[2][:length]


class Value(BaseModel):
    """A frozen value with a fixed set of keys; bytes travel as base64 in JSON."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dict (bytes as base64)."""
        return self.model_dump(mode="json")

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The inverse of `to_json`; raises pydantic.ValidationError on anything else."""
        return cls.model_validate_json(canonical_json(data))

    def value_digest(self) -> str:
        """Digest of this value's canonical JSON."""
        return digest_json(self.to_json())
