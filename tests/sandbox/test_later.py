"""Images are removed behind the work, in order, and all are gone when the engine is closed."""

import threading
from typing import Any

from facet.errors import EngineError
from facet.sandbox.later import RemovingLater


class Slow:
    """An engine whose removals wait for `go`; `bad` cannot be removed."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.removed: list[str] = []

    def image(self, name: str) -> str:
        return f"id of {name}"

    def remove_image(self, image: str) -> None:
        self.go.wait(60)
        if image == "bad":
            raise EngineError("still in use")
        self.removed.append(image)


def test_removal_delays_nobody_and_is_over_when_closed() -> None:
    slow = Slow()
    given: Any = slow
    engine = RemovingLater(given)
    for image in ("a", "bad", "b"):
        engine.remove_image(image)
    assert slow.removed == []
    assert engine.image("x") == "id of x", "other work goes on meanwhile"
    slow.go.set()
    engine.close()
    assert slow.removed == ["a", "b"]


def test_a_closed_engine_can_be_used_again() -> None:
    slow = Slow()
    given: Any = slow
    engine = RemovingLater(given)
    slow.go.set()
    engine.close()
    engine.remove_image("a")
    engine.close()
    engine.close()
    assert slow.removed == ["a"]
