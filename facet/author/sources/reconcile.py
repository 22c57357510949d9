"""Pipe-separated entries, and the list of a second system that confirms or cancels them."""

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


class Confirmed:
    """Pipe-separated entries, and the list of a second system that confirms or cancels them."""

    reasons: tuple[tuple[str, str], ...] = (
        ("unconfirmed", "its non-empty identifier is not in the confirmations"),
        ("cancelled", "its confirmation has the status `cancelled`"),
    )
    ref = "the entry's running number, its first value"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """Entries; the confirmations lie beside them with `.status` at the end."""
        return (spots("entries", theme, "_entries.psv"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Both lists."""
        names = theme.fields.variants[int(env["raw"])]
        lines: list[str] = []
        status: dict[str, str] = {}
        for number, item in enumerate(items, start=1):
            lines.append("|".join((str(number), *item.parts())))
            key = item.key.strip()
            if key and number not in (7, 22):
                cancelled = number in (10, 18, 33)
                status.setdefault(key, "cancelled" if cancelled else dice.pick(("ok", "paid")))
        confirmations = [f"{key} {word}" for key, word in dice.shuffled(sorted(status.items()))]
        confirmations.insert(3, f"{theme.prefix}-0001 ok")
        return Fixture(
            (
                text_of(env["entries"], "\n".join(["|".join(("no", *names)), *lines]) + "\n"),
                text_of(env["entries"] + ".status", "\n".join(confirmations) + "\n"),
            )
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Both lists."""
        path, names = view.env["entries"], ticks(("no", *view.raw))
        key = view.fields.words[0]
        return (
            (
                f"`{path}` has the {view.fields.plural} with values between `|`; its header is "
                f"{names}.",
                f"The entries are in `{path}`, one per line, `|` between values, header {names}.",
            ),
            (
                f"A second system wrote `{path}.status`: lines with a {key} and a status. Only what"
                " it confirms may be used.",
                f"Confirmations are in `{path}.status`, each a {key}, a space and a status; an "
                "entry without one may not be used.",
                f"Reconcile them with `{path}.status`, which gives a status for each {key} known "
                "to the second system.",
            ),
        )

    def solve(self, view: View) -> str:
        """A dict of statuses."""
        return fill(
            """
ENTRIES = @path@
NAMES = @names@
with open(ENTRIES + ".status", encoding="utf-8") as source:
    status = dict(line.split() for line in source)
with open(ENTRIES, encoding="utf-8") as source:
    header = source.readline().rstrip("\\n").split("|")
    at = [header.index(name) for name in NAMES]
    for line in source:
        values = line.rstrip("\\n").split("|")
        key = values[at[0]].strip()
        if key and key not in status:
            refused.append((values[0], "unconfirmed"))
        elif status.get(key) == "cancelled":
            refused.append((values[0], "cancelled"))
        else:
            items.append((values[0], *(values[i] for i in at)))
""",
            path=view.env["entries"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Sets of confirmed and cancelled identifiers."""
        return fill(
            """
def material():
    lines = there(@path@ + ".status").splitlines()
    cancelled = {x[: -len(" cancelled")] for x in lines if x.endswith(" cancelled")}
    known = {x.partition(" ")[0] for x in lines}
    items, refused = [], []
    for number, *parts in csv.reader(
        there(@path@).splitlines()[1:], delimiter="|", quoting=csv.QUOTE_NONE
    ):
        key = parts[0].strip()
        if key in cancelled:
            refused.append((number, "cancelled"))
        elif key == "" or key in known:
            items.append((number, *parts))
        else:
            refused.append((number, "unconfirmed"))
    return items, refused
""",
            path=view.env["entries"],
        )
