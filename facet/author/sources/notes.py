"""Entries as headings with bullets, between prose; examples in code fences are none."""

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


class Notebook:
    """Entries as headings with bullets, between prose; examples in code fences are none."""

    reasons: tuple[tuple[str, str], ...] = (("struck", "its heading is struck through (`~~`)"),)
    ref = "the number in its heading"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The notebook."""
        return (spots("notebook", theme, "_notes.md"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Markdown by hand."""
        names = theme.fields.variants[int(env["raw"])]
        lines = [f"# Notes of {theme.person}", "", f"Bullets: {', '.join(names)}.", ""]
        for number, item in enumerate(items, start=1):
            if number in (6, 19):
                lines += ["```", f"## Entry {number}00", f"- **{names[0]}**: {item.key}", "```", ""]
            if dice.chance(0.15):
                lines += [f"Rang {dice.pick(theme.groups)}; nothing new.", ""]
            title = f"~~Entry {number}~~" if number in (9, 21, 34) else f"Entry {number}"
            bullets = [
                f"{dice.pick(('-', '*'))} **{n}**: {v}".rstrip()
                for n, v in zip(names, item.parts(), strict=True)
            ]
            if dice.chance(0.2):
                bullets.insert(dice.between(0, 5), "- see also the folder on the shelf")
            lines += [f"## {title}", "", *bullets, ""]
        return Fixture((text_of(env["notebook"], "\n".join(lines)),))

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """What an entry is."""
        path, names, noun = view.env["notebook"], ticks(view.raw), view.fields.noun
        return (
            (
                f"The {view.fields.plural} stand in the Markdown file `{path}` under headings "
                "`## Entry NUMBER`.",
                f"`{path}` is a Markdown notebook; every heading `## Entry NUMBER` opens one "
                f"{noun}.",
            ),
            (
                f"Below such a heading the bullets `**name**: value` give {names}; other bullets "
                "and prose mean nothing, and what stands in a code fence is only an example.",
                f"Its values are bullets `**name**: value` named {names}. Ignore prose, other "
                "bullets and everything inside code fences.",
            ),
        )

    def solve(self, view: View) -> str:
        """Line by line with a state."""
        return fill(
            """
NOTEBOOK = @path@
NAMES = @names@
entry, fenced, entries = None, False, []
for line in Path(NOTEBOOK).read_text(encoding="utf-8").splitlines():
    if line.startswith("```"):
        fenced = not fenced
    if fenced:
        continue
    heading = re.fullmatch(r"## (~~)?Entry (\\d+)(~~)?", line)
    if heading:
        entry = {"struck": bool(heading[1])}
        entries.append((heading[2], entry))
    bullet = re.fullmatch(r"[-*] \\*\\*([^*]+)\\*\\*:(.*)", line)
    if bullet and entry is not None:
        entry[bullet[1]] = bullet[2]
for number, entry in entries:
    if entry["struck"]:
        refused.append((number, "struck"))
    else:
        items.append((number, *(entry[name] for name in NAMES)))
""",
            path=view.env["notebook"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Cut the text at headings."""
        return fill(
            """
def material():
    text = "".join(there(@path@).split("```")[::2])
    items, refused = [], []
    for part in text.split("\\n## ")[1:]:
        title, _, body = part.partition("\\n")
        number = "".join(c for c in title if c.isdigit())
        if "~" in title:
            refused.append((number, "struck"))
            continue
        values = [
            re.search(r"(?m)^[-*] [*]{2}%s[*]{2}:(.*)$" % re.escape(name), body)[1]
            for name in @names@
        ]
        items.append((number, *values))
    return items, refused
""",
            path=view.env["notebook"],
            names=list(view.raw),
        )
