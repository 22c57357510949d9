"""What one browser session remembers between reruns: plain objects, no Streamlit.

A Streamlit callback may be cut off at any touch of session state. So callbacks get these objects
as arguments and write to the journal before anything else; what they set here is read by the next
run of the page. Nothing here matters after a reload: position is in the URL, decisions on disk.
"""

from facet.curation import Answer, Desk, Shown
from facet.types.decision import Decision


class Seat:
    """One person's place in the app."""

    def __init__(self) -> None:
        self.answer: Answer | None = None  # last attempt to write, shown in the verdict bar
        self.about: str = ""  # what the answer was about, one plain line
        self.rejecting: str = ""  # digest whose reject strip is open
        self.goto: str | None = None  # task key to show next
        self._shown: dict[str, Shown] = {}

    def shown(self, key: str, digest: str) -> Shown:
        """Since when this digest is on screen in this session."""
        if len(self._shown) > 500:
            self._shown.clear()
        return self._shown.setdefault(f"{key}@{digest}", Shown())

    def take_goto(self) -> str | None:
        """The task to jump to, once."""
        goto, self.goto = self.goto, None
        return goto


def decide(
    desk: Desk, decision: Decision, event: str, shown: Shown, seat: Seat, following: str, about: str
) -> None:
    """Callback of every verdict button: the write is its first statement."""
    answer = desk.decide(decision, event=event, shown=shown)
    seat.answer, seat.about = answer, about
    if answer.state == "saved":
        seat.rejecting = ""
        seat.goto = following or None


def withdraw(desk: Desk, decision: Decision, event: str, seat: Seat, about: str) -> None:
    """Callback of the undo button."""
    answer = desk.withdraw(decision, event=event)
    seat.answer, seat.about = answer, about


def open_strip(seat: Seat, digest: str) -> None:
    """Callback of the reject button: show the reasons."""
    seat.rejecting = digest
    seat.answer = None


def close_strip(seat: Seat) -> None:
    """Callback of Escape in the reject strip."""
    seat.rejecting = ""


def go(seat: Seat, key: str) -> None:
    """Callback of next and previous."""
    seat.goto = key
    seat.rejecting = ""
    seat.answer = None
