"""A database with keys, checks, an index and a view."""

from facet.author.choice import Choice, choice
from facet.author.recipe import Check, NoMaterial, Raw, View, fill
from facet.author.themes import Theme


class Load(NoMaterial):
    """A database with keys, checks, an index and a view."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Path, names, storage of numbers, version."""
        tables = (f"{theme.stems[0]}_ledger", "ledger", f"all_{theme.stems[0]}")
        return (
            choice(
                "store",
                *(
                    (f"{o}/{n}", f"`{o}/{n}`")
                    for o in theme.outs
                    for n in ("ledger.db", "store.sqlite", f"{theme.slug}.db")
                ),
            ),
            choice("store_table", *((t, f"table `{t}`") for t in tables)),
            choice(
                "store_numbers",
                ("integer", "as INTEGER hundredths"),
                ("real", "as REAL with its decimals"),
            ),
            choice(
                "store_view",
                ("totals", "view `totals`"),
                ("by_group", "view `by_group`"),
                ("overview", "view `overview`"),
            ),
            choice("store_version", *((v, f"`user_version` {v}") for v in ("3", "7", "12"))),
            choice(
                "store_floor",
                ("0", "refuses negative numbers"),
                ("100", "refuses numbers below 1.00"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        group, number = f.words[1], f.words[3]
        numbers = {"integer": "as INTEGER hundredths", "real": "as REAL with its decimals"}
        floor = {"0": "refuses negative numbers", "100": "refuses numbers below 1.00"}
        names = ", ".join(f"`{n}`" for n in view.columns)
        return (
            (
                f"Load the table into a new SQLite database `{p['store']}`, table "
                f"`{p['store_table']}`, with the same fields ({names}); the {f.words[0]} is the "
                "primary key.",
                f"Put the result into SQLite: `{p['store']}`, table `{p['store_table']}`, fields "
                f"{names} as in the table, primary key the {f.words[0]}.",
                f"The second deliverable is a SQLite file `{p['store']}`. Its table "
                f"`{p['store_table']}` has the fields {names} and the {f.words[0]} as primary key.",
            ),
            (
                f"Days are stored as `YYYY-MM-DD` text, the {number} {numbers[p['store_numbers']]}."
                " Every column is NOT NULL.",
                f"Store the {number} {numbers[p['store_numbers']]} and days as text `YYYY-MM-DD`; "
                "no column may be NULL.",
                f"All columns NOT NULL, days `YYYY-MM-DD`, the {number} "
                f"{numbers[p['store_numbers']]}.",
            ),
            (
                f"A CHECK on the {number} {floor[p['store_floor']]}, and there is an index on the "
                f"{group}.",
                f"The table itself {floor[p['store_floor']]} (CHECK on the {number}); index the "
                f"{group}.",
                f"Index the {group}; a CHECK constraint on the {number} {floor[p['store_floor']]}.",
            ),
            (
                f"Add a view `{p['store_view']}` with `name`, `items`, `hundredths` per {group}: "
                f"its name, how many {f.plural}, their sum as whole hundredths; it must follow "
                f"later changes of the table. Set `user_version` {p['store_version']}.",
                f"The view `{p['store_view']}` shows per {group} `name`, `items` (count) and "
                "`hundredths` (sum in whole hundredths) and reflects later inserts; the database "
                f"carries `user_version` {p['store_version']}.",
                f"Also wanted: `user_version` {p['store_version']} and a view `{p['store_view']}` "
                f"(`name`, `items`, `hundredths`: {group}, count, sum in whole hundredths) that "
                "stays right when rows are added.",
            ),
        )

    def solve(self, view: View) -> str:
        """Create, fill, index."""
        p = view.pick
        key, group, day, number, text = view.columns
        real = p["store_numbers"] == "real"
        floor = f"{int(p['store_floor']) / 100:.2f}" if real else p["store_floor"]
        total = f'CAST(ROUND(SUM("{number}") * 100) AS INTEGER)' if real else f'SUM("{number}")'
        kind = "REAL" if real else "INTEGER"
        schema = f"""
CREATE TABLE "{p["store_table"]}" (
  "{key}" TEXT PRIMARY KEY NOT NULL,
  "{group}" TEXT NOT NULL,
  "{day}" TEXT NOT NULL,
  "{number}" {kind} NOT NULL CHECK ("{number}" >= {floor}),
  "{text}" TEXT NOT NULL
);
CREATE INDEX by_{group.lower()}_index ON "{p["store_table"]}" ("{group}");
CREATE VIEW {p["store_view"]} AS
  SELECT "{group}" AS name, COUNT(*) AS items, {total} AS hundredths
  FROM "{p["store_table"]}" GROUP BY "{group}";
PRAGMA user_version = {p["store_version"]};
"""
        return fill(
            """
STORE = Path(@store@)
STORE.parent.mkdir(parents=True, exist_ok=True)
STORE.unlink(missing_ok=True)
base = sqlite3.connect(STORE)
base.executescript(
    '''@schema@'''
)
with base:
    base.executemany(
        @insert@,
        [(key, group, day, @value@, text) for key, group, day, value, text in rows],
    )
base.close()
""",
            store=p["store"],
            schema=Raw(schema),
            insert=f'INSERT INTO "{p["store_table"]}" VALUES (?, ?, ?, ?, ?)',
            value=Raw("value / 100" if real else "value"),
        )

    def helpers(self, view: View) -> str:
        """Open a copy, so that no test writes to the real one."""
        return fill(
            """
STORE = @store@


def base():
    assert os.path.isfile(STORE) and not os.path.islink(STORE), f"{STORE} is missing"
    copy = sqlite3.connect(":memory:")
    try:
        with sqlite3.connect(f"file:{STORE}?mode=ro", uri=True) as real:
            real.backup(copy)
    except sqlite3.Error as error:
        raise AssertionError(f"{STORE} cannot be read: {error}") from None
    return copy


def ask(query, *values):
    try:
        return base().execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise AssertionError(f"{STORE}: {query}: {error}") from None
""",
            store=view.pick["store"],
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Schema, content, behaviour."""
        p, f = view.pick, view.fields
        key, group, day, number, text = view.columns
        table = p["store_table"]
        real = p["store_numbers"] == "real"
        floor = int(p["store_floor"])
        below, at = (floor - 1, floor) if not real else ((floor - 1) / 100, floor / 100)
        shown = "row[3] / 100" if real else "row[3]"
        columns = (
            ("group", f.words[1], group, "row[1]"),
            ("day", f.words[2], day, "row[2]"),
            ("number", f.words[3], number, shown),
            ("text", f.words[4], text, "row[4]"),
        )
        return (
            Check(
                "store-columns",
                f"The table {table} has the fields of the clean table, in order",
                f"actual = [r[1] for r in ask('PRAGMA table_info(\"{table}\")')]\n"
                'assert actual == COLUMNS, f"columns in {STORE}"',
            ),
            Check(
                "store-key",
                f"The {f.words[0]} is the primary key",
                f"actual = [r[1] for r in ask('PRAGMA table_info(\"{table}\")') if r[5]]\n"
                f'assert actual == [{key!r}], f"primary key in {{STORE}}"',
            ),
            Check(
                "store-not-null",
                "No column may be NULL",
                f"actual = [r[1] for r in ask('PRAGMA table_info(\"{table}\")') if r[3]]\n"
                'assert actual == COLUMNS, f"NOT NULL columns in {STORE}"',
            ),
            Check(
                "store-rows",
                f"Exactly the good {f.plural} are in the database",
                f'actual = [r[0] for r in ask(\'SELECT "{key}" FROM "{table}" ORDER BY 1\')]\n'
                'assert actual == [r[0] for r in ROWS()], f"identifiers in {STORE}"',
            ),
            *(
                Check(
                    f"store-{name}",
                    f"The database stores the {word} of every {f.noun}",
                    f'actual = dict(ask(\'SELECT "{key}", "{column}" FROM "{table}"\'))\n'
                    f"expected = {{row[0]: {value} for row in ROWS() if row[0] in actual}}\n"
                    f'assert actual and actual == expected, f"{column} in {{STORE}}"',
                )
                for name, word, column, value in columns
            ),
            Check(
                "store-type",
                f"The {f.words[3]} is stored as {'REAL' if real else 'INTEGER'}",
                f'actual = {{r[0] for r in ask(\'SELECT typeof("{number}") FROM "{table}"\')}}\n'
                f'assert actual == {{{("real" if real else "integer")!r}}}, f"types in {{STORE}}"',
            ),
            Check(
                "store-index",
                f"There is an index on the {f.words[1]}",
                f"indexes = [r[1] for r in ask('PRAGMA index_list(\"{table}\")')]\n"
                "first = [ask(f'PRAGMA index_info(\"{name}\")')[0][2] for name in indexes]\n"
                f'assert {group!r} in first, f"indexed columns in {{STORE}}: {{first}}"',
            ),
            Check(
                "store-check",
                f"The table refuses a {f.words[3]} below {floor / 100:.2f}, and only that",
                fill(
                    """
ask(@count@)
copy = base()
insert = @insert@
copy.execute(insert, ("p1", "g", "2024-01-01", @at@, "t"))
refused = False
try:
    copy.execute(insert, ("p2", "g", "2024-01-01", @below@, "t"))
except sqlite3.IntegrityError:
    refused = True
assert refused, f"{STORE} takes {@below@} although it must not"
""",
                    count=f'SELECT COUNT(*) FROM "{table}"',
                    insert=f'INSERT INTO "{table}" VALUES (?, ?, ?, ?, ?)',
                    at=at,
                    below=below,
                ),
            ),
            Check(
                "store-view",
                f"The view gives count and sum per {f.words[1]}",
                fill(
                    """
actual = ask(@query@)
expected = [
    (g, sum(r[1] == g for r in ROWS()), sum(r[3] for r in ROWS() if r[1] == g)) for g in GROUPS()
]
assert actual == expected, f"view in {STORE}"
""",
                    query=f"SELECT name, items, hundredths FROM {p['store_view']} ORDER BY name",
                ),
            ),
            Check(
                "store-view-live",
                "The view follows a row that is added later",
                fill(
                    """
ask(@query@)
copy = base()
copy.execute(@insert@, ("p1", "zz", "2024-01-01", @value@, "t"))
actual = copy.execute(@query@ + " WHERE name = 'zz'").fetchall()
assert actual == [("zz", 1, 1250)], f"view of {STORE} after an insert"
""",
                    query=f"SELECT name, items, hundredths FROM {p['store_view']}",
                    insert=f'INSERT INTO "{table}" VALUES (?, ?, ?, ?, ?)',
                    value=12.5 if real else 1250,
                ),
            ),
            Check(
                "store-version",
                f"The database carries user_version {p['store_version']}",
                "actual = ask('PRAGMA user_version')[0][0]\n"
                f'assert actual == {p["store_version"]}, f"user_version of {{STORE}}"',
            ),
        )
