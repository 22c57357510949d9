"""What the artifacts speak of: a row per entity, a cell per artifact that mentions it."""

from typing import Literal

from facet.types.task import Artifact
from facet.types.value import Value

Kind = Literal[
    "path", "key", "name", "port", "url", "user", "variable", "command", "service", "limit"
]
Column = Literal["instruction", "planned", "realized", "solution", "oracle", "verifier"]
COLUMNS: tuple[Column, ...] = (
    "instruction",
    "planned",
    "realized",
    "solution",
    "oracle",
    "verifier",
)
"""`planned` and `realized` are the environment, `oracle` is what the solution really changed."""


class Mention(Value):
    """One place where an artifact speaks of an entity."""

    kind: Kind
    value: str
    column: Column
    file: str = ""  # relative to the artifact's folder; "" where there is no file
    line: int = 0  # from 1; 0 = no line
    how: str = ""  # e.g. "by name only", "added", "made when told so by the solution"
    check: str = ""  # id of the check that needs it, for the verifier

    @property
    def where(self) -> str:
        """`column file:line` for people."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{self.column} {place}".strip() + (f" ({self.how})" if self.how else "")


class Row(Value):
    """One entity and who mentions it."""

    kind: Kind
    value: str
    mentions: tuple[Mention, ...]

    def cell(self, column: Column) -> tuple[Mention, ...]:
        """Mentions in this column."""
        return tuple(m for m in self.mentions if m.column == column)

    def columns(self) -> tuple[Column, ...]:
        """Columns with a mention, in their order."""
        return tuple(c for c in COLUMNS if self.cell(c))

    def line(self) -> str:
        """The row as one line for evidence."""
        cells = [f"{c}: {_places(self.cell(c))}" for c in COLUMNS]
        return f"{self.kind} {self.value} | " + " | ".join(cells)


class Disagreement(Value):
    """A row that does not agree, and the artifact that stands alone in it."""

    kind: Kind
    value: str
    artifact: Artifact
    why: str
    where: str = ""  # the place in the artifact to blame, or in the one that needs it
    row: str = ""


class Matrix(Value):
    """All rows and what does not agree in them."""

    rows: tuple[Row, ...]
    disagreements: tuple[Disagreement, ...] = ()

    def row(self, kind: Kind, value: str) -> Row | None:
        """The row of this entity."""
        return next((r for r in self.rows if r.kind == kind and r.value == value), None)


def _places(mentions: tuple[Mention, ...]) -> str:
    if not mentions:
        return "-"
    first = mentions[0]
    place = f"{first.file}:{first.line}" if first.line else (first.how or first.file or "yes")
    return place + (f" +{len(mentions) - 1}" if len(mentions) > 1 else "")
