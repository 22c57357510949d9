"""What people write: durable before it is called saved, once, bound to a digest, with a reason."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from facet.curation import (
    DWELL_S,
    MIN_FREE_BYTES,
    REASONS,
    Desk,
    Shown,
    attempts,
    decision_event,
    standing,
)
from facet.journal import Journal
from facet.store.rows import Stamped
from facet.types.decision import Decision, Verdict
from facet.types.payloads import NoteWritten, ProbeRun


class Clock:
    """A clock that only moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def decision(verdict: Verdict = "approve", **more: str) -> Decision:
    return Decision(task="run/0001", task_digest="sha256:aa", verdict=verdict, person="ana", **more)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


def seen(clock: Clock) -> Shown:
    """A task that has been on screen long enough."""
    shown = Shown()
    shown.since = clock.now - DWELL_S - 1
    return shown


def test_a_decision_is_in_the_journal_when_it_is_called_saved(journal: Journal) -> None:
    clock = Clock()
    answer = Desk(journal, clock=clock).decide(decision(), event="ev_1", shown=seen(clock))
    assert (answer.state, answer.event, answer.line) == ("saved", "ev_1", "Saved ev_1")
    (event,) = Journal(journal.folder).read()
    assert (event.id, event.kind, event.task, event.person) == (
        "ev_1",
        "decision",
        "sha256:aa",
        "ana",
    )
    assert event.data["decision"]["verdict"] == "approve"
    assert event.data["decision"]["shown_ms"] == 1800


def test_the_same_event_is_written_once_whatever_the_verdict(journal: Journal) -> None:
    clock = Clock()
    desk, shown = Desk(journal, clock=clock), seen(clock)
    first = desk.decide(decision(), event="ev_1", shown=shown)
    second = desk.decide(decision("reject", reason="no"), event="ev_1", shown=shown)
    assert [first.state, second.state] == ["saved", "already"]
    assert len(list(Journal(journal.folder).read())) == 1


@pytest.mark.parametrize("reason", ["", "   \n"])
def test_a_rejection_needs_a_reason(journal: Journal, reason: str) -> None:
    clock = Clock()
    answer = Desk(journal, clock=clock).decide(
        decision("reject", reason=reason), event="ev_1", shown=seen(clock)
    )
    assert answer.state == "refused"
    assert "reason" in answer.line
    assert list(journal.read()) == []


def test_a_task_that_was_not_drawn_to_its_end_cannot_be_decided(journal: Journal) -> None:
    answer = Desk(journal).decide(decision(), event="ev_1", shown=Shown())
    assert answer.state == "refused"
    assert list(journal.read()) == []


def test_a_held_key_never_decides_because_each_press_starts_the_time_again(
    journal: Journal,
) -> None:
    clock = Clock()
    desk, shown = Desk(journal, clock=clock), Shown()
    shown.now(clock)
    for _ in range(50):
        clock.now += DWELL_S * 0.9
        assert desk.decide(decision(), event="ev_1", shown=shown).state == "refused"
    clock.now += DWELL_S
    assert desk.decide(decision(), event="ev_1", shown=shown).state == "saved"


def test_a_key_still_held_does_not_decide_the_same_task_a_second_time(journal: Journal) -> None:
    clock = Clock()
    desk, shown = Desk(journal, clock=clock), seen(clock)
    assert desk.decide(decision(), event="ev_1", shown=shown).state == "saved"
    assert desk.decide(decision(), event="ev_2", shown=shown).state == "refused"


def test_a_full_journal_disk_is_said_and_nothing_is_called_saved(journal: Journal) -> None:
    clock = Clock()
    desk = Desk(journal, clock=clock, free_bytes=lambda _: MIN_FREE_BYTES - 1)
    answer = desk.decide(decision(), event="ev_1", shown=seen(clock))
    assert answer.state == "not_saved"
    assert answer.line.startswith("NOT SAVED")
    assert list(journal.read()) == []


def test_a_journal_that_cannot_be_written_is_said_and_a_retry_works(tmp_path: Path) -> None:
    clock = Clock()
    blocked = tmp_path / "journal"
    blocked.write_text("a file where the folder belongs")
    desk = Desk(Journal(blocked), clock=clock)
    assert desk.decide(decision(), event="ev_1", shown=seen(clock)).state == "not_saved"
    blocked.unlink()
    assert desk.decide(decision(), event="ev_1", shown=seen(clock)).state == "saved"


def test_undo_is_a_new_event_and_deletes_nothing(journal: Journal) -> None:
    clock = Clock()
    desk = Desk(journal, clock=clock)
    desk.decide(decision(), event="ev_1", shown=seen(clock))
    assert desk.withdraw(decision(), event="ev_2").state == "saved"
    verdicts = [e.data["decision"]["verdict"] for e in journal.read()]
    assert verdicts == ["approve", "withdraw"]


def test_notes_and_probes_are_kept_and_the_same_note_is_one_note(journal: Journal) -> None:
    desk = Desk(journal)
    note = NoteWritten(task="run/0001", task_digest="sha256:aa", text="look here", person="ana")
    assert [desk.note(note).state, desk.note(note).state] == ["saved", "already"]
    probe = ProbeRun(
        task="run/0001", task_digest="sha256:aa", command="ls", exit=0, output="x", person="ana"
    )
    assert desk.probe(probe).state == "saved"
    assert [e.kind for e in journal.read()] == ["note", "probe"]


def stamped(at: str, one: Decision) -> Stamped[Decision]:
    return Stamped[Decision](id=at, at=at, person=one.person, data=one)


def test_the_last_word_of_each_person_stands_and_is_stale_on_another_digest() -> None:
    bob = decision("reject", reason="no").model_copy(update={"person": "bob"})
    old = decision("approve").model_copy(update={"task_digest": "sha256:old", "person": "eve"})
    history = [
        stamped("1", decision("approve")),
        stamped("2", old),
        stamped("3", bob),
        stamped("4", decision("withdraw")),
    ]
    found = standing(history, "sha256:aa")
    assert [(d.data.person, stale) for d, stale in found] == [("bob", False), ("eve", True)]


def test_a_new_attempt_has_a_new_event_id() -> None:
    history = [stamped("1", decision("approve")), stamped("2", decision("withdraw"))]
    count = attempts(history, "ana", "sha256:aa")
    ids = {decision_event("ana", "run/0001", "sha256:aa", n) for n in range(count + 1)}
    assert (count, len(ids)) == (2, 3)


def test_every_reason_has_a_key_of_its_own() -> None:
    keys = [r.key for r in REASONS]
    assert len(set(keys)) == len(keys)
    assert all(k.isdigit() for k in keys)


WRITER = """
    import sys
    from pathlib import Path
    from facet.curation import Desk, Shown
    from facet.journal import Journal
    from facet.types.decision import Decision

    desk = Desk(Journal(Path(sys.argv[1])))
    for number in range(100_000):
        shown = Shown()
        shown.since = 0.0
        one = Decision(task="run/1", task_digest=f"sha256:{number}", verdict="approve", person="a")
        answer = desk.decide(one, event=f"ev_{number}", shown=shown)
        print(answer.line, flush=True)
"""


def test_whatever_was_called_saved_survives_kill_9(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(25)]
    os.kill(process.pid, signal.SIGKILL)
    said += process.stdout.read().splitlines(keepends=True)
    process.wait()
    process.stdout.close()
    told = {s.split()[1] for s in said if s.startswith("Saved ") and s.endswith("\n")}
    kept = {e.id for e in Journal(folder).read()}
    assert len(told) >= 25
    assert told <= kept
