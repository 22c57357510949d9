"""A database made from a dump: entries, groups in a table of their own, void entries."""

from collections.abc import Mapping

from facet.author.choice import Choice, choice
from facet.author.dice import Dice
from facet.author.recipe import Fixture, Item, View, fill, text_of
from facet.author.themes import Theme


class Dump:
    """A database made from a dump: entries, groups in a table of their own, void entries."""

    reasons: tuple[tuple[str, str], ...] = (
        ("void", "its row in `entries` has `void` = 1"),
        ("no-place", "its `place` is not in `places`"),
    )
    ref = "the `seq` of its row"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """Name of the database; the dump lies beside it."""
        return (
            choice(
                "database",
                *(
                    (path, f"`{path}`")
                    for path in (f"{theme.folder}/inbox/{stem}.db" for stem in theme.stems)
                ),
            ),
        )

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """The dump, loaded when the image is built."""
        key, _, day, number, text = theme.fields.variants[int(env["raw"])]
        places = sorted({item.group.lower() for item in items})
        lines = [
            "BEGIN;",
            "CREATE TABLE places (id INTEGER PRIMARY KEY, label TEXT NOT NULL);",
            f'CREATE TABLE entries (seq INTEGER PRIMARY KEY, "{key}" TEXT, place INTEGER, '
            f'"{day}" TEXT, "{number}" TEXT, "{text}" TEXT, void INTEGER DEFAULT 0);',
        ]
        for serial, name in enumerate(places, start=1):
            label = name.title() if dice.chance(0.3) else name
            lines.append(f"INSERT INTO places VALUES ({serial}, {_quoted(label)});")
        seq = 100
        for index, item in enumerate(items):
            seq += dice.between(1, 3)
            place = places.index(item.group.lower()) + 1
            void = 1 if index in (4, 19) else 0
            if index in (7, 23):
                place = 77
            rest = ", ".join(_quoted(v) for v in (item.day, item.number, item.text))
            lines.append(
                f"INSERT INTO entries VALUES ({seq}, {_quoted(item.key)}, {place}, {rest}, {void});"
            )
        lines.append("COMMIT;")
        path = env["database"]
        return Fixture(
            (text_of(f"{path}.sql", "\n".join(lines) + "\n"),),
            setup=(f"sqlite3 {path} < {path}.sql",),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Tables and their columns."""
        key, _, day, number, text = view.raw
        path = view.env["database"]
        return (
            (
                f"The SQLite database `{path}` holds the {view.fields.plural} (its dump lies beside"
                f" it): table `entries` with `seq`, `{key}`, `place`, `{day}`, `{number}`, `{text}`"
                " and `void`.",
                f"Everything is in `{path}` (SQLite, loaded from the dump next to it). Table "
                f"`entries` has `seq`, `{key}`, `place`, `{day}`, `{number}`, `{text}`, `void`.",
                f"Source is the SQLite file `{path}` with its dump beside it; the table `entries` "
                f"has the columns `seq`, `{key}`, `place`, `{day}`, `{number}`, `{text}`, `void`.",
            ),
            (
                f"The {view.fields.words[1]} is the `label` in `places` that `place` points to. "
                "Read rows in the order of `seq`.",
                f"`place` refers to `places.id`, whose `label` is the {view.fields.words[1]}; "
                "`seq` is the order in which rows came in.",
                f"Join `places` (`id`, `label`) for the {view.fields.words[1]}; rows count in the "
                "order of `seq`.",
            ),
        )

    def solve(self, view: View) -> str:
        """One left join."""
        key, _, day, number, text = view.raw
        return fill(
            """
DATABASE = @path@
source = sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True)
query = @query@
for seq, void, label, *values in source.execute(query):
    if void:
        refused.append((str(seq), "void"))
    elif label is None:
        refused.append((str(seq), "no-place"))
    else:
        key, day, number, text = values
        items.append((str(seq), key, label, day, number, text))
source.close()
""",
            path=view.env["database"],
            query=f'SELECT seq, void, label, "{key}", "{day}", "{number}", "{text}" '
            "FROM entries LEFT JOIN places ON places.id = entries.place ORDER BY seq",
        )

    def expect(self, view: View) -> str:
        """From the dump, which a guard proves unchanged, loaded into memory."""
        return fill(
            """
def material():
    memory = sqlite3.connect(":memory:")
    memory.executescript(there(@path@ + ".sql"))
    label = dict(memory.execute("SELECT id, label FROM places"))
    items, refused = [], []
    for seq, key, place, day, number, text, void in memory.execute(
        "SELECT * FROM entries ORDER BY seq"
    ):
        if void == 1:
            refused.append((str(seq), "void"))
        elif place not in label:
            refused.append((str(seq), "no-place"))
        else:
            items.append((str(seq), key, label[place], day, number, text))
    memory.close()
    return items, refused
""",
            path=view.env["database"],
        )


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
