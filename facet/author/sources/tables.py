"""A semicolon export with quoted values and comment lines."""

from collections.abc import Mapping

from facet.author.choice import Choice, choice
from facet.author.dice import Dice
from facet.author.recipe import Fixture, Item, View, fill, text_of
from facet.author.themes import Theme


class Export:
    """A semicolon export with quoted values and comment lines."""

    reasons: tuple[tuple[str, str], ...] = (("bad-line", "the line has not exactly five values"),)
    ref = "the line number in the export, the first line being 1"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """Name of the export."""
        return (
            choice(
                "export",
                *(
                    (path, f"`{path}`")
                    for path in (f"{theme.folder}/inbox/{stem}_export.txt" for stem in theme.stems)
                ),
            ),
        )

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """The export as text."""
        names = theme.fields.variants[int(env["raw"])]
        lines = [";".join(names)]
        for number, item in enumerate(items):
            if number in (9, 21):
                lines.append(f"# page {number // 10 + 1}, printed by {theme.person}")
            if number in (5, 17, 29):
                lines.append(";".join(item.parts()[: 3 if number == 17 else 4]))
            values = [f'"{v}"' if "," in v or dice.chance(0.1) else v for v in item.parts()]
            lines.append(";".join(values))
        return Fixture((text_of(env["export"], "\n".join(lines) + "\n"),))

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Where the export is and how to read it."""
        names = ", ".join(f"`{n}`" for n in view.raw)
        path = view.env["export"]
        return (
            (
                f"The export is `{path}`: semicolons between values, double quotes around some, "
                f"header {names}.",
                f"You find the raw {view.fields.plural} in `{path}` (semicolon-separated, some "
                f"values in double quotes, columns {names}).",
                f"Input: `{path}`, semicolon-separated with the columns {names}; values may be "
                "quoted with double quotes.",
            ),
            (
                "Lines that begin with `#` were put in by the printer; skip them, they are no "
                "records and are not refused.",
                "Ignore printer remarks (lines beginning with `#`); they are neither good nor "
                "refused.",
                "Lines beginning with `#` are remarks and count as nothing.",
            ),
        )

    def solve(self, view: View) -> str:
        """Read with the csv module."""
        return fill(
            """
EXPORT = @path@
with open(EXPORT, encoding="utf-8", newline="") as source:
    lines = source.read().split("\\n")
header = lines[0].split(";")
at = [header.index(name) for name in @raw@]
for number, line in enumerate(lines[1:], start=2):
    if not line or line.startswith("#"):
        continue
    values = next(csv.reader([line], delimiter=";"))
    if len(values) != 5:
        refused.append((str(number), "bad-line"))
    else:
        items.append((str(number), *(values[i] for i in at)))
""",
            path=view.env["export"],
            raw=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Split by hand, strip the quotes."""
        return fill(
            """
def material():
    items, refused = [], []
    text = there(@path@)
    for number, line in enumerate(text.splitlines(), start=1):
        if number == 1 or line[:1] == "#" or not line:
            continue
        values = [value.strip('"') for value in line.split(";")]
        if len(values) == 5:
            items.append((str(number), *values))
        else:
            refused.append((str(number), "bad-line"))
    return items, refused
""",
            path=view.env["export"],
        )
