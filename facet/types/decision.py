"""What a person decided about one task digest."""

from typing import Literal

from facet.types.task import Artifact
from facet.types.value import Value

Verdict = Literal["approve", "reject", "unsure", "skip", "withdraw"]


class Decision(Value):
    """A person's verdict on exactly one digest; a changed task is unreviewed again."""

    task: str  # task key (run/seed id), stable over repairs
    task_digest: str
    verdict: Verdict
    reason: str = ""  # a reject needs one
    artifact: Artifact | None = None
    check: str = ""  # check id the reason speaks of
    line: int | None = None
    note: str = ""
    person: str
    shown_ms: int | None = None  # how long the task was on screen
