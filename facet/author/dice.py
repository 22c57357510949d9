"""Seeded choices that are equal on every machine and Python version."""

import hashlib
from collections.abc import Sequence


class Dice:
    """A stream of numbers from SHA-256 of a seed text; nothing else feeds it."""

    def __init__(self, *seed: object) -> None:
        self._seed = "\x1f".join(str(s) for s in seed).encode()
        self._count = 0

    def random(self) -> float:
        """A number in [0, 1)."""
        self._count += 1
        block = hashlib.sha256(self._seed + b"#" + str(self._count).encode()).digest()
        return int.from_bytes(block[:7], "big") / 2**56

    def below(self, limit: int) -> int:
        """An integer in [0, limit)."""
        return min(int(self.random() * limit), limit - 1)

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high], both included."""
        return low + self.below(high - low + 1)

    def pick[T](self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled[T](self, items: Sequence[T]) -> list[T]:
        """The items in another order."""
        rest, out = list(items), []
        while rest:
            out.append(rest.pop(self.below(len(rest))))
        return out

    def sample[T](self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items, in random order."""
        return self.shuffled(items)[:count]

    def chance(self, rate: float) -> bool:
        """True with this probability; always draws exactly one number."""
        return self.random() < rate
