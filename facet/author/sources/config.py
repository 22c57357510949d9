"""A folder of INI files in which later files override single keys of earlier ones."""

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


class DropIns:
    """A folder of INI files in which later files override single keys of earlier ones."""

    reasons: tuple[tuple[str, str], ...] = (("disabled", "after merging, `enabled` is `no`"),)
    ref = "the name of its section"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The folder."""
        return (spots("dropins", theme, ".d"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Three files; overrides and switched-off sections among them."""
        names = theme.fields.variants[int(env["raw"])]
        early: list[str] = [f"; {theme.place}, keys: {', '.join(names)}"]
        late: list[str] = ["; corrections"]
        last: list[str] = ["; switched off"]
        for number, item in enumerate(items, start=1):
            section = f"entry-{number:03d}"
            values = list(item.parts())
            lines = [f"[{section}]"]
            if number % 7 == 3:  # the first value is wrong and corrected later
                late += [f"[{section}]", f"{names[3]} = {values[3]}", ""]
                values[3] = f"{dice.between(1, 90)}.00"
            if number % 11 == 5:
                late += [f"[{section}]", f"{names[2]}={values[2]}", ""]
                values[2] = "2019-01-01"
            if number in (8, 23, 31):
                last += [f"[{section}]", "enabled = no", ""]
            if number in (12, 23):
                lines.append("enabled = yes")
            lines += [f"{n} = {v}".rstrip() for n, v in zip(names, values, strict=True)]
            early += [*lines, ""]
        folder = env["dropins"]
        parts = (("10-base.ini", early), ("20-corrections.ini", late), ("90-local.ini", last))
        return Fixture(
            tuple(text_of(f"{folder}/{name}", "\n".join(lines) + "\n") for name, lines in parts)
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """How the files go together."""
        folder, names, noun = view.env["dropins"], ticks(view.raw), view.fields.noun
        return (
            (
                f"`{folder}` holds INI files; each section is one {noun} with the keys {names}.",
                f"The {view.fields.plural} are sections of the INI files in `{folder}`, with the "
                f"keys {names}.",
                f"Every section of the INI files below `{folder}` describes a {noun} (keys "
                f"{names}).",
            ),
            (
                "The files are merged in the order of their names: a later file overrides single "
                "keys of a section. Sections count in the order in which they first appear.",
                "Merge them by file name, later files win key by key; the order of records is that "
                "of a section's first appearance.",
                "Later file names override earlier ones key by key, and a section stands where it "
                "was first seen.",
            ),
        )

    def solve(self, view: View) -> str:
        """configparser reads all files in turn."""
        return fill(
            """
import configparser

NAMES = @names@
merged = configparser.ConfigParser(interpolation=None, strict=False)
merged.optionxform = str
files = sorted(Path(@folder@).glob("*.ini"))
if not files:
    raise FileNotFoundError("no INI files in " + @folder@)
for path in files:
    merged.read(path, encoding="utf-8")
for section in merged.sections():
    entry = merged[section]
    if entry.get("enabled", "yes").strip() == "no":
        refused.append((section, "disabled"))
    else:
        items.append((section, *(entry[name] for name in NAMES)))
""",
            folder=view.env["dropins"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Lines by hand."""
        return fill(
            """
def material():
    sections = {}
    for name in sorted(n for n in os.listdir(@folder@) if n.endswith(".ini")):
        current = None
        for line in there(@folder@ + "/" + name).splitlines():
            line = line.strip()
            if line.startswith("[") and line.endswith("]"):
                current = sections.setdefault(line[1:-1], {})
            elif line and line[0] != ";":
                key, _, value = line.partition("=")
                current[key.strip()] = value.strip()
    items = [
        (name, *(part[n] for n in @names@))
        for name, part in sections.items()
        if part.get("enabled") != "no"
    ]
    refused = [(name, "disabled") for name, part in sections.items() if part.get("enabled") == "no"]
    return items, refused
""",
            folder=view.env["dropins"],
            names=list(view.raw),
        )
