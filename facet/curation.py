"""What people write: decisions, notes and probes, durable before anyone says "saved".

One object, `Desk`, is the only writer of human acts. A write is one journal append under an event
id that is fixed when the buttons are drawn, so a held key, a double click, a retried request or a
second button of the same row is the same event: the first one counts, the others are answered
"already saved". A decision belongs to exactly one task digest; `standing` says which decisions
still speak of the task as it is now. Not covered: queues, leases and agreement of several people.
"""

import shutil
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from facet.errors import JournalError
from facet.journal import Journal
from facet.store.rows import Stamped
from facet.types.decision import Decision, Verdict
from facet.types.payloads import DecisionMade, NoteWritten, ProbeRun
from facet.types.task import Artifact
from facet.types.value import Value, digest_json, short

DWELL_S = 0.8  # a task must have been on screen this long before a press decides it
MIN_FREE_BYTES = 200_000_000  # below this much free disk nothing new is accepted
MAX_TEXT = 20_000  # characters of a note or a reason that are kept


class Reason(Value):
    """A reason to reject that has a key; `artifact` is what it speaks of."""

    key: str  # the digit that picks it
    text: str
    artifact: Artifact | None = None


REASONS: tuple[Reason, ...] = (
    Reason(key="1", text="instruction is ambiguous or wrong", artifact="instruction"),
    Reason(key="2", text="environment is broken or unrealistic", artifact="environment"),
    Reason(key="3", text="solution cheats or is brittle", artifact="solution"),
    Reason(key="4", text="verifier is too strict", artifact="verifier"),
    Reason(key="5", text="verifier is too weak", artifact="verifier"),
    Reason(key="6", text="the work makes no sense"),
    Reason(key="7", text="duplicate of another task"),
)
"""What the reject strip offers; anything else is typed."""


class Shown:
    """When a task digest became fully visible to one person (seconds, monotonic clock).

    A plain object on purpose: a callback may read and move it without touching session state.
    """

    def __init__(self) -> None:
        self.since: float | None = None

    def now(self, clock: Callable[[], float] = time.monotonic) -> None:
        """The page was drawn to its end; only the first time counts."""
        if self.since is None:
            self.since = clock()


class Answer(Value):
    """What became of an attempt to write."""

    state: Literal["saved", "already", "refused", "not_saved"]
    event: str = ""  # id of the event, for "saved" and "already"
    line: str  # one line for the person


def decision_event(person: str, task: str, digest: str, attempt: int) -> str:
    """The event id of one person's next decision on one digest; `attempt` counts earlier ones."""
    return "ev_" + short(digest_json([person, task, digest, attempt]), 16)


def note_event(person: str, task: str, digest: str, text: str) -> str:
    """The event id of a note: the same text on the same digest is the same note."""
    return "ev_" + short(digest_json(["note", person, task, digest, text]), 16)


class Desk:
    """Writes what people decide. Safe to share between sessions and threads."""

    def __init__(
        self,
        journal: Journal,
        *,
        clock: Callable[[], float] = time.monotonic,
        free_bytes: Callable[[Path], int] | None = None,
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._free_bytes = free_bytes or _free_bytes
        self._lock = threading.Lock()
        self._written: set[str] = set()

    def decide(self, decision: Decision, *, event: str, shown: Shown) -> Answer:
        """Write one decision under its event id; never raises for what a person can do.

        Refused: a reject without a reason, and a press on a task that was not on screen for
        `DWELL_S` seconds (each refused press starts that time again, so a held key never wins).
        """
        if decision.verdict == "reject" and not decision.reason.strip():
            return Answer(state="refused", line="A rejection needs a reason. Nothing was saved.")
        with self._lock:
            if event in self._written:
                return Answer(state="already", event=event, line=f"Already saved {event}")
            visible = None if shown.since is None else self._clock() - shown.since
            if visible is None or visible < DWELL_S:
                if shown.since is not None:
                    shown.since = self._clock()
                line = "Too quick: the task was not on screen yet. Nothing was saved."
                return Answer(state="refused", line=line)
            full = decision.model_copy(
                update={
                    "shown_ms": round(visible * 1000),
                    "reason": decision.reason.strip()[:MAX_TEXT],
                    "note": decision.note[:MAX_TEXT],
                }
            )
            answer = self._append("decision", DecisionMade(decision=full), full.task, event)
            if answer.state == "saved":
                shown.since = self._clock()  # a key still held must not decide it again
            return answer

    def withdraw(self, decision: Decision, *, event: str) -> Answer:
        """Take a person's own decision back: a new event, nothing is deleted."""
        back = decision.model_copy(update={"verdict": "withdraw", "shown_ms": None})
        with self._lock:
            if event in self._written:
                return Answer(state="already", event=event, line=f"Already saved {event}")
            return self._append("decision", DecisionMade(decision=back), back.task, event)

    def note(self, note: NoteWritten) -> Answer:
        """Write a note on a task."""
        kept = note.model_copy(update={"text": note.text[:MAX_TEXT]})
        event = note_event(kept.person, kept.task, kept.task_digest, kept.text)
        with self._lock:
            if event in self._written:
                return Answer(state="already", event=event, line=f"Already saved {event}")
            return self._append("note", kept, kept.task, event)

    def probe(self, probe: ProbeRun) -> Answer:
        """Keep a command that a person ran in a task's container, as evidence."""
        with self._lock:
            return self._append("probe", probe, probe.task, "")

    def _append(
        self,
        kind: Literal["decision", "note", "probe"],
        data: DecisionMade | NoteWritten | ProbeRun,
        task: str,
        event: str,
    ) -> Answer:
        person = data.decision.person if isinstance(data, DecisionMade) else data.person
        digest = data.decision.task_digest if isinstance(data, DecisionMade) else data.task_digest
        run, _, seed = task.partition("/")
        free = self._free_bytes(self._journal.folder)
        if free < MIN_FREE_BYTES:
            line = f"NOT SAVED: only {free // 1_000_000} MB free on this disk; make room first"
            return Answer(state="not_saved", line=line)
        try:
            written = self._journal.append(
                kind, data, run=run, seed=seed, task=digest, person=person, id=event
            )
        except JournalError as error:
            return Answer(state="not_saved", line=f"NOT SAVED: {error}")
        self._written.add(written.id)
        return Answer(state="saved", event=written.id, line=f"Saved {written.id}")


def standing(
    decisions: Iterable[Stamped[Decision]], digest: str
) -> tuple[tuple[Stamped[Decision], bool], ...]:
    """The latest decision of each person that was not withdrawn, with True where it is stale.

    Stale: it speaks of another digest than the one the task has now. Newest first.
    """
    latest: dict[str, Stamped[Decision]] = {}
    for one in sorted(decisions, key=lambda d: d.at):
        if one.data.verdict == "withdraw":
            latest.pop(one.data.person, None)
        else:
            latest[one.data.person] = one
    newest = sorted(latest.values(), key=lambda d: d.at, reverse=True)
    return tuple((d, d.data.task_digest != digest) for d in newest)


def attempts(decisions: Iterable[Stamped[Decision]], person: str, digest: str) -> int:
    """How many times this person decided (or withdrew) on this digest."""
    return sum(d.data.person == person and d.data.task_digest == digest for d in decisions)


VERDICT_WORDS: dict[Verdict, str] = {
    "approve": "approved",
    "reject": "rejected",
    "unsure": "unsure",
    "skip": "skipped",
    "withdraw": "withdrawn",
}
"""How each verdict reads."""


def _free_bytes(folder: Path) -> int:
    """Bytes free on the disk of a folder that may not exist yet."""
    existing = next((p for p in (folder, *folder.parents) if p.exists()), Path("/"))
    return shutil.disk_usage(existing).free
