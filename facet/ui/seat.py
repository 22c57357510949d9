"""What one browser session remembers between reruns: plain objects, no Streamlit.

A Streamlit callback may be cut off at any touch of session state. So callbacks get these objects
as arguments and write to the journal before anything else; what they set here is read by the next
run of the page. Nothing here matters after a reload: position is in the URL, decisions on disk.
"""

import time
from collections.abc import Callable

from facet.curation import Answer, Desk, Shown
from facet.types.decision import Decision

SETTLE_S = 2.0  # how long after a jump an old address is not believed


class Seat:
    """One person's place in the app."""

    def __init__(self) -> None:
        self.answer: Answer | None = None  # last attempt to write, shown in the verdict bar
        self.about: str = ""  # what the answer was about, one plain line
        self.rejecting: str = ""  # digest whose reject strip is open
        self.goto = ""  # task key to show next
        self._arrived: float | None = None  # when it was drawn to its end
        self._shown: dict[str, Shown] = {}

    def shown(self, key: str, digest: str) -> Shown:
        """Since when this digest is on screen in this session."""
        if len(self._shown) > 500:
            self._shown.clear()
        return self._shown.setdefault(f"{key}@{digest}", Shown())

    def jump(self, key: str) -> None:
        """Show this task next ("" = stay)."""
        self.goto, self._arrived = key, None

    def where(self, asked: str, clock: Callable[[], float] = time.monotonic) -> str:
        """The task to draw, given the one in the address.

        Right after a jump the browser may still send the old address with a press that was on its
        way; so a jump holds until it was drawn to its end and a moment has passed.
        """
        if self._arrived is not None and clock() - self._arrived > SETTLE_S:
            self.goto = ""
        self._arrived = None
        return self.goto or asked

    def arrived(self, clock: Callable[[], float] = time.monotonic) -> None:
        """The page was drawn to its end."""
        self._arrived = clock()


def decide(
    desk: Desk, decision: Decision, event: str, shown: Shown, seat: Seat, following: str, about: str
) -> None:
    """Callback of every verdict button: the write is its first statement."""
    answer = desk.decide(decision, event=event, shown=shown)
    seat.answer, seat.about = answer, about
    if answer.state == "saved":
        seat.rejecting = ""
        seat.jump(following)


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
    seat.jump(key)
    seat.rejecting = ""
    seat.answer = None
