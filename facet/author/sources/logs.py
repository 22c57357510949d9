"""Two log files in which bookings are lost among other lines."""

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


class Rotated:
    """Two log files in which bookings are lost among other lines."""

    reasons: tuple[tuple[str, str], ...] = (("incomplete", "the line lacks one of the five pairs"),)
    ref = "file name and line number joined by a colon, such as `x.log:12`"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The current log; the older one has `.1` at its end."""
        return (spots("log", theme, ".log"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Lines in logfmt with noise between them."""
        names = theme.fields.variants[int(env["raw"])]
        lines = []
        for number, item in enumerate(items):
            stamp = f"2025-01-{number // 4 + 2:02d}T{number % 24:02d}:{dice.between(10, 59)}:07Z"
            pairs = [f'{n}="{v}"' for n, v in zip(names, item.parts(), strict=True)]
            if dice.chance(0.2):
                lines.append(f"{stamp} DEBUG cache hit ratio=0.{dice.between(11, 98)}")
            if dice.chance(0.12):
                lines.append(f'{stamp} WARN slow query {names[0]}="{item.key}" took=3.1s')
                lines.append("    at store.find (store.py:41)")
            if number in (6, 25):
                lines.append(f"{stamp} INFO booked " + " ".join(pairs[:3]))
            if dice.chance(0.3):
                pairs = dice.shuffled(pairs)
            lines.append(f"{stamp} INFO booked " + " ".join(pairs))
        cut = len(lines) // 2
        first = f"# {theme.place}: fields {' '.join(names)}\n"
        return Fixture(
            (
                text_of(env["log"] + ".1", first + "\n".join(lines[:cut]) + "\n"),
                text_of(env["log"], first + "\n".join(lines[cut:]) + "\n"),
            )
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Which lines matter."""
        log, noun = view.env["log"], view.fields.noun
        names = ticks(view.raw)
        return (
            (
                f"The service wrote `{log}.1` (older) and then `{log}`; read them in this order.",
                f"There are two logs, `{log}.1` with the older lines and `{log}`.",
                f"Look into `{log}.1` first and then into `{log}`, which goes on where it ends.",
            ),
            (
                f"Only lines with `INFO booked` right after the time hold a {noun}: five pairs "
                f'`name="value"` in any order, named {names}. All other lines mean nothing here.',
                f"A {noun} is a line whose time is followed by `INFO booked`, with the pairs "
                f'{names} (`name="value"`) in whatever order; ignore the rest.',
                f'`INFO booked` after the time marks a {noun}; its pairs `name="value"` are {names}'
                ", not always in this order. Everything else is noise.",
            ),
        )

    def solve(self, view: View) -> str:
        """One regular expression for pairs."""
        return fill(
            """
LOG = @log@
NAMES = @names@
for path in (Path(LOG + ".1"), Path(LOG)):
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\\n"), start=1):
        words = line.split(" ", 3)
        if words[1:3] != ["INFO", "booked"]:
            continue
        ref = f"{path.name}:{number}"
        pairs = dict(re.findall(r'(\\w+)="([^"]*)"', line))
        if any(name not in pairs for name in NAMES):
            refused.append((ref, "incomplete"))
        else:
            items.append((ref, *(pairs[name] for name in NAMES)))
if not items:
    raise ValueError("none of the lines holds " + ", ".join(NAMES))
""",
            log=view.env["log"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Cut each line at its quotes."""
        return fill(
            """
def material():
    items, refused = [], []
    for path in (@log@ + ".1", @log@):
        name = path.rpartition("/")[2]
        for number, line in enumerate(there(path).splitlines(), start=1):
            if line[20:].startswith(" INFO booked "):
                pieces = line[len("2025-01-01T00:00:00Z INFO booked ") :].split('"')
                pairs = {}
                for label, value in zip(pieces[0::2], pieces[1::2]):
                    pairs[label.strip().rstrip("=")] = value
                if set(@names@) <= set(pairs):
                    items.append((f"{name}:{number}", *(pairs[n] for n in @names@)))
                else:
                    refused.append((f"{name}:{number}", "incomplete"))
    return items, refused
""",
            log=view.env["log"],
            names=list(view.raw),
        )
