"""Recorded replies: `replay:<folder>` answers from the records of an earlier run, for nothing.

The folder is a workspace's `cache/replies` (or a copy). What was not recorded is unavailable, so
its work is owed; nothing is made up.
"""

from pathlib import Path

from pydantic import ValidationError

from facet.errors import InputError, ModelUnavailable
from facet.llm.base import Completion, Request
from facet.llm.cache import Recorded, request_digest


class ReplayProvider:
    """Looks requests up by what was asked, whoever answered then."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(f"replay:{folder}: no such folder; give a workspace's cache/replies")
        self._folder = folder
        self._records: dict[str, Recorded] = {}
        for path in sorted(folder.rglob("*.json")):
            try:
                record = Recorded.model_validate_json(path.read_bytes())
            except (OSError, ValidationError):
                continue
            self._records[record.request] = record
        if not self._records:
            raise InputError(f"replay:{folder}: no recorded reply in it")

    @property
    def name(self) -> str:
        """`replay:<folder name>`; the path of this machine is no part of it."""
        return f"replay:{self._folder.name}"

    def complete(self, request: Request) -> Completion:
        """The recorded answer; ModelUnavailable where there is none."""
        record = self._records.get(request_digest(request))
        if record is None:
            raise ModelUnavailable(
                f"{self.name} has no reply for this {request.role} call: "
                "it was recorded with other skills, seed or prompts"
            )
        return Completion(text=record.text)
