"""Why a run should start nothing new: a person, or a limit. Set once, read by every thread."""

import threading


class Stop:
    """A flag with its reason."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason = ""
        self.by: str = ""  # person | budget | trouble

    def person(self) -> None:
        """Somebody pressed Ctrl-C."""
        self._set("person", "cancelled")

    def budget(self, reason: str) -> None:
        """A limit the user set is used up."""
        self._set("budget", reason)

    def trouble(self, reason: str) -> None:
        """Nothing can be recorded any more."""
        self._set("trouble", reason)

    def _set(self, by: str, reason: str) -> None:
        if not self.by:
            self.by, self.reason = by, reason
        self._event.set()

    def is_set(self) -> bool:
        """True when nothing new may start."""
        return self._event.is_set()
