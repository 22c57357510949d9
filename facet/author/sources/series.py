"""Fixed-width lines in an old encoding; a device writes -9999 when it has no reading."""

from collections.abc import Mapping

from facet.author.choice import Choice
from facet.author.dice import Dice
from facet.author.recipe import (
    Fixture,
    Item,
    View,
    fill,
    spots,
    text_of,
    ticks,
)
from facet.author.themes import Theme


class Readings:
    """Fixed-width lines in an old encoding; a device writes -9999 when it has no reading."""

    reasons: tuple[tuple[str, str], ...] = (
        ("sentinel", "the number is the sentinel `-9999`"),
        ("test-run", "the line ends with `T`, the mark of a test run"),
    )
    ref = "the line number in the file, the header being line 1"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The file."""
        return (spots("readings", theme, "_readings.dat"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Columns of fixed width, Latin-1."""
        names = theme.fields.variants[int(env["raw"])]
        lines = [_line(names, "")]
        for index, item in enumerate(items):
            values = list(item.parts())
            mark = ""
            if index in (4, 22):
                values[3] = "-9999"
            if index in (10, 22, 30):
                mark = "T"
            lines.append(_line((values[0], values[1], values[2], values[3], values[4]), mark))
            if index in (14, 27):
                lines.append("")
        data = ("\r\n".join(lines) + "\r\n").encode("latin-1", "replace")
        file = text_of(env["readings"], "").model_copy(update={"data": data})
        note = f"{env['readings']}.txt"
        text = (
            f"Columns: {', '.join(names)}\nStart at character 1, 14, 32, 46, 60; mark at 92.\n"
            "Encoding: ISO 8859-1, lines end with CR LF.\n"
        )
        return Fixture((file, text_of(note, text)))

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Widths and encoding."""
        path, names = view.env["readings"], ticks(view.raw)
        return (
            (
                f"A device wrote `{path}` in fixed columns (ISO 8859-1, lines end with CR LF); "
                f"`{path}.txt` beside it tells where the columns {names} begin.",
                f"`{path}` has fixed-width columns {names}, is encoded in ISO 8859-1 and has CR LF "
                f"line ends; see `{path}.txt` for the positions.",
            ),
            (
                "Empty lines mean nothing but count as lines. All results are UTF-8 with LF.",
                "Skip empty lines (they still count when lines are numbered); whatever you write "
                "is UTF-8 with LF line ends.",
            ),
        )

    def solve(self, view: View) -> str:
        """Slices."""
        return fill(
            """
READINGS = @path@
lines = Path(READINGS).read_bytes().decode("latin-1").split("\\r\\n")
names = [lines[0][a:b].strip() for a, b in ((0, 13), (13, 31), (31, 45), (45, 59), (59, 91))]
at = [names.index(name) for name in @names@]
for number, line in enumerate(lines[1:], start=2):
    if not line:
        continue
    parts = [line[a:b] for a, b in ((0, 13), (13, 31), (31, 45), (45, 59), (59, 91))]
    if parts[3].strip() == "-9999":
        refused.append((str(number), "sentinel"))
    elif line[91:].strip() == "T":
        refused.append((str(number), "test-run"))
    else:
        items.append((str(number), *(parts[i] for i in at)))
""",
            path=view.env["readings"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Bytes first."""
        return fill(
            """
def material():
    path = @path@
    assert os.path.isfile(path), f"{path} is missing"
    items, refused = [], []
    for number, line in enumerate(Path(path).read_bytes().split(b"\\r\\n"), start=1):
        if number == 1 or line == b"":
            continue
        text = line.decode("iso-8859-1")
        match = re.fullmatch(r"(.{13})(.{18})(.{14})(.{14})(.{32})(.*)", text)
        if match[4].split() == ["-9999"]:
            refused.append((str(number), "sentinel"))
        elif match[6][:1] == "T":
            refused.append((str(number), "test-run"))
        else:
            items.append((str(number), *match.groups()[:5]))
    return items, refused
""",
            path=view.env["readings"],
        )


def _line(values: tuple[str, str, str, str, str], mark: str) -> str:
    widths = (13, 18, 14, 14, 32)
    cells = [v[: w - 1].ljust(w) for v, w in zip(values, widths, strict=True)]
    return "".join(cells) + mark
