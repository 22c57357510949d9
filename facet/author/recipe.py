"""What a capability recipe is: how it fits skills, how it feeds a task, and what it makes of one.

A task joins two recipes. The *source* half of the first turns untidy material into a clean table;
the *sink* half of the second makes its product from that table. Both halves are written as text:
fixtures, sentences of the instruction, Python of the solution, and tests that derive the expected
result in a way of their own.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from facet.author.choice import Choice, choice
from facet.author.dice import Dice
from facet.author.themes import Fields, Theme
from facet.types.manifest import PlannedFile, RealFile, Service, User


@dataclass(frozen=True)
class Item:
    """One raw record as it lies in the material: text parts, not yet cleaned."""

    key: str
    group: str
    day: str
    number: str
    text: str

    def parts(self) -> tuple[str, str, str, str, str]:
        """The five parts in order."""
        return (self.key, self.group, self.day, self.number, self.text)


@dataclass(frozen=True)
class Record:
    """One clean record; `number` in hundredths, `day` ISO."""

    key: str
    group: str
    day: str
    number: int
    text: str


@dataclass(frozen=True)
class Fixture:
    """Material of one half: planned files and what they need around them."""

    files: tuple[PlannedFile, ...]
    setup: tuple[str, ...] = ()
    services: tuple[Service, ...] = ()
    users: tuple[User, ...] = ()


@dataclass(frozen=True)
class View:
    """What a writer knows when it writes: theme, state and contract as it reads them."""

    theme: Theme
    env: Mapping[str, str]  # choices of the environment
    pick: Mapping[str, str]  # choices of the contract
    slips: frozenset[str] = field(default_factory=frozenset)
    real: tuple[RealFile, ...] = ()  # material as the probe found it

    @property
    def fields(self) -> Fields:
        """Words and column names of the theme."""
        return self.theme.fields

    @property
    def raw(self) -> tuple[str, str, str, str, str]:
        """Column names used in the material."""
        return self.fields.variants[int(self.env["raw"])]

    @property
    def columns(self) -> tuple[str, str, str, str, str]:
        """Column names of the clean table."""
        return self.fields.variants[int(self.pick["columns"])]


@dataclass(frozen=True)
class Check:
    """One test: Python statements that end in assertions."""

    id: str
    title: str
    body: str
    guard: bool = False


class Source(Protocol):
    """First half: material -> items."""

    reasons: tuple[tuple[str, str], ...]  # own reasons to refuse an item: (code, when)
    ref: str  # what names a refused item in the list of refusals

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """Where the material may lie; the environment decides."""
        ...

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """The material."""
        ...

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Sentences about the material, each in several wordings."""
        ...

    def solve(self, view: View) -> str:
        """Python that fills `items` [(ref, five raw parts)] and `refused` [(ref, reason)]."""
        ...

    def expect(self, view: View) -> str:
        """Python defining `material()` -> (items, refused), written another way than `solve`."""
        ...


class Sink(Protocol):
    """Second half: rows of the clean table -> product."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Contract choices of the product."""
        ...

    def build(
        self, theme: Theme, env: Mapping[str, str], rows: list[Record], dice: Dice
    ) -> Fixture:
        """Material of its own, if any."""
        ...

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """Where its own material may lie."""
        ...

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Sentences that state the product completely, each in several wordings."""
        ...

    def solve(self, view: View) -> str:
        """Python that makes the product of `rows` [(key, group, day, cents, text)]."""
        ...

    def helpers(self, view: View) -> str:
        """Python that the checks share."""
        ...

    def checks(self, view: View) -> tuple[Check, ...]:
        """At least nine counted checks; `ROWS()` gives the expected rows."""
        ...


@dataclass(frozen=True)
class Recipe:
    """One capability."""

    name: str
    title: str  # short name of what is done, as a context's capability
    family: str
    patterns: tuple[str, ...]  # regular expressions; a sentence that matches one calls for it
    source: Source | None
    sink: Sink | None
    source_title: str = ""  # what its first half does
    sink_title: str = ""  # what its second half makes
    tools: tuple[str, ...] = ("python3",)


class NoMaterial:
    """Mixin of sinks that need nothing but the table."""

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """No place."""
        return ()

    def build(
        self, theme: Theme, env: Mapping[str, str], rows: list[Record], dice: Dice
    ) -> Fixture:
        """Nothing."""
        return Fixture(())


class Raw(str):
    """Text that `fill` puts in as it is."""


def fill(template: str, **values: object) -> str:
    """Replace `@name@` by the Python literal of a value (or by the text of a `Raw`)."""

    def put(match: re.Match[str]) -> str:
        value = values[match.group(1)]
        return str(value) if isinstance(value, Raw) else repr(value)

    return re.sub(r"@([a-z_]+)@", put, template).strip("\n") + "\n"


def text_of(path: str, text: str, mode: str = "0644") -> PlannedFile:
    """A planned text file."""
    return PlannedFile(path=path, data=text.encode(), mode=mode)


def spots(name: str, theme: Theme, ending: str) -> Choice:
    """Where material may lie: one option per file stem of the theme."""
    paths = [f"{theme.folder}/inbox/{stem}{ending}" for stem in theme.stems]
    return choice(name, *((path, f"`{path}`") for path in paths))


def outputs(name: str, theme: Theme, *names: str) -> Choice:
    """Where a result may go: each name in each result folder of the theme."""
    paths = [f"{out}/{file}" for out in theme.outs for file in names]
    return choice(name, *((path, f"`{path}`") for path in paths))


def ticks(names: Iterable[str]) -> str:
    """Names in backticks, separated by commas."""
    return ", ".join(f"`{n}`" for n in names)
