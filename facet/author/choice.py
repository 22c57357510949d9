"""A free choice of a task's contract: its options, and how a reader finds which one was taken.

Whoever writes an artifact settles the choices it makes in words; whoever reads it later looks for
the words. A choice whose words are not in sight has to be guessed.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from facet.author.dice import Dice


@dataclass(frozen=True)
class Option:
    """One way to settle a choice; `text` is the literal that states it in prose or a comment."""

    value: str
    text: str


@dataclass(frozen=True)
class Choice:
    """Something a task must settle, with all ways to settle it."""

    name: str
    options: tuple[Option, ...]

    def text(self, value: str) -> str:
        """The words that state this value."""
        return next(o.text for o in self.options if o.value == value)

    def read(self, text: str) -> str | None:
        """The value that a text states; None when it states none, or more than one."""
        flat = flatten(text)
        found = [o for o in self.options if o.text in flat]
        longest = [o for o in found if not any(o.text in p.text and o != p for p in found)]
        return longest[0].value if len(longest) == 1 else None

    def other(self, value: str, dice: Dice) -> str:
        """A value that is not this one (a misreading); the same where there is no other."""
        rest = [o.value for o in self.options if o.value != value]
        return dice.pick(rest) if rest else value


def choice(name: str, *options: tuple[str, str]) -> Choice:
    """A choice from (value, words) pairs."""
    return Choice(name, tuple(Option(value, text) for value, text in options))


def flatten(text: str) -> str:
    """Text with comment marks and runs of white space reduced to one space."""
    return " ".join(re.sub(r"(?m)^\s*#\s?", " ", text).split())


@dataclass(frozen=True)
class Picks:
    """What a reader makes of all choices: values, and which of them were only guessed."""

    values: Mapping[str, str]
    guessed: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> str:
        return self.values[name]


def lean(choices: Iterable[Choice], seed: str) -> dict[str, str]:
    """What a reader of this scenario would assume where nothing is said: its conventional way."""
    return {c.name: Dice("lean", seed, c.name).pick(c.options).value for c in choices}
