"""One Markdown page per group with front matter, and an index of links."""

from facet.author.choice import Choice, choice
from facet.author.recipe import (
    Check,
    NoMaterial,
    Raw,
    View,
    fill,
    outputs,
    ticks,
)
from facet.author.themes import Theme


class Pages(NoMaterial):
    """One Markdown page per group with front matter, and an index of links."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Folder, titles, front matter, order."""
        return (
            outputs("pages_folder", theme, "pages", "wiki", "handbook"),
            choice(
                "matter",
                ("title,items,sum", "front matter keys `title`, `items`, `sum`"),
                ("name,count,total", "front matter keys `name`, `count`, `total`"),
            ),
            choice(
                "page_order",
                ("day", "entries by day, then by identifier"),
                ("value", "entries by value, largest first, ties by identifier"),
                ("id", "entries by identifier"),
            ),
            choice(
                "index_name",
                ("index.md", "`index.md`"),
                ("README.md", "`README.md`"),
                ("contents.md", "`contents.md`"),
            ),
            choice(
                "index_order",
                ("name", "links in alphabetical order"),
                ("sum", "links by sum, largest first"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        matter = f"front matter keys {ticks(p['matter'].split(','))}"
        rows = {
            "day": "entries by day, then by identifier",
            "value": "entries by value, largest first, ties by identifier",
            "id": "entries by identifier",
        }[p["page_order"]]
        links = {"name": "links in alphabetical order", "sum": "links by sum, largest first"}
        return (
            (
                f"Write one Markdown page `NAME.md` per {f.words[1]} into `{p['pages_folder']}`.",
                f"Put Markdown pages into `{p['pages_folder']}`, one `NAME.md` per {f.words[1]}.",
            ),
            (
                f"A page begins with a block between two lines `---` that has the {matter}: the "
                f"{f.words[1]}, how many {f.plural}, and the sum of the {f.words[3]} with two "
                "decimals, each as `key: value`.",
                f"It opens with front matter (between `---` lines, `key: value`): the {matter}, "
                f"namely {f.words[1]}, number of {f.plural}, and sum of the {f.words[3]} with two "
                "decimals.",
            ),
            (
                f"After it come the heading `# NAME` and a Markdown table with the columns `id`, "
                f"`day`, `value`, `text` ({f.words[0]}, {f.words[2]} as `YYYY-MM-DD`, {f.words[3]} "
                f"with two decimals, {f.words[4]}); {rows}.",
                f"Then follow the heading `# NAME` and a table, columns `id`, `day` "
                f"(`YYYY-MM-DD`), `value` (two decimals), `text`; {rows}.",
            ),
            (
                f"`{p['index_name']}` in the same folder lists the pages as bullets "
                f"`- [NAME](NAME.md): COUNT`, {links[p['index_order']]}, and ends with the line "
                "`Total: SUM` (two decimals).",
                f"Add `{p['index_name']}` there: bullets `- [NAME](NAME.md): COUNT`, "
                f"{links[p['index_order']]}, and as the last line `Total: SUM` with two decimals.",
            ),
        )

    def solve(self, view: View) -> str:
        """Text per page."""
        p = view.pick
        title, count, total = p["matter"].split(",")
        order = {"day": "(r[2], r[0])", "value": "(-r[3], r[0])", "id": "r[0]"}[p["page_order"]]
        links = {"name": "name", "sum": "(-sum(r[3] for r in by_group[name]), name)"}
        return fill(
            """
PAGES = Path(@folder@)
PAGES.mkdir(parents=True, exist_ok=True)
by_group = defaultdict(list)
for row in rows:
    by_group[row[1]].append(row)
for name, chosen in by_group.items():
    lines = [
        "---",
        @title@ + f": {name}",
        @count@ + f": {len(chosen)}",
        @total@ + f": {decimal(sum(r[3] for r in chosen))}",
        "---",
        "",
        f"# {name}",
        "",
        "| id | day | value | text |",
        "| --- | --- | ---: | --- |",
    ]
    for key, _, day, value, text in sorted(chosen, key=lambda r: @order@):
        lines.append(f"| {key} | {day} | {decimal(value)} | {text} |")
    (PAGES / f"{name}.md").write_text("\\n".join(lines) + "\\n", encoding="utf-8")
names = sorted(by_group, key=lambda name: @links@)
bullets = [f"- [{name}]({name}.md): {len(by_group[name])}" for name in names]
end = f"Total: {decimal(sum(row[3] for row in rows))}"
(PAGES / @index@).write_text("\\n".join(["# Contents", "", *bullets, "", end]) + "\\n")
""",
            folder=p["pages_folder"],
            title=title,
            count=count,
            total=total,
            order=Raw(order),
            links=Raw(links[p["index_order"]]),
            index=p["index_name"],
        )

    def helpers(self, view: View) -> str:
        """Take pages apart."""
        p = view.pick
        return fill(
            """
PAGES = @folder@
INDEX = PAGES + "/" + @index@


def page(group):
    text = there(f"{PAGES}/{group}.md")
    parts = re.split(r"(?m)^---[ ]*$", text, maxsplit=2)
    assert len(parts) == 3 and parts[0].strip() == "", f"{PAGES}/{group}.md: no front matter"
    return parts[1], parts[2]


def matter(key):
    found = {}
    for group in GROUPS():
        pairs = [x.partition(":") for x in page(group)[0].splitlines() if x.strip()]
        found[group] = {k.strip(): v.strip().strip("'\\"") for k, _, v in pairs}.get(key)
    return found


def rows_of(group):
    lines = [x.strip() for x in page(group)[1].splitlines() if x.strip().startswith("|")]
    assert len(lines) > 2, f"{PAGES}/{group}.md: no table"
    cells = [[c.strip() for c in x.strip("|").split("|")] for x in lines]
    assert all(len(c) == 4 for c in cells), f"{PAGES}/{group}.md: rows have not four cells"
    return cells[0], cells[2:]


def cell(index):
    return {c[0]: c[index] for g in GROUPS() for c in rows_of(g)[1] if c[0] in truth()[0]}


def links():
    found = re.findall(r"(?m)^[-*] \\[([^]]+)\\]\\(([^)]+)\\): (\\d+)[ ]*$", there(INDEX))
    assert found, f"{INDEX} has no links"
    return found
""",
            folder=p["pages_folder"],
            index=p["index_name"],
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Front matter, table, index."""
        p, f = view.pick, view.fields
        title, count, total = p["matter"].split(",")
        order = {"day": "(r[2], r[0])", "value": "(-r[3], r[0])", "id": "r[0]"}[p["page_order"]]
        links = {
            "name": "GROUPS()",
            "sum": "sorted(GROUPS(), key=lambda g: (-sum(r[3] for r in ROWS() if r[1] == g), g))",
        }[p["index_order"]]
        matter = (
            (title, f"the {f.words[1]}", "g"),
            (count, f"how many {f.plural}", "str(sum(r[1] == g for r in ROWS()))"),
            (total, "the sum", "money(sum(r[3] for r in ROWS() if r[1] == g))"),
        )
        cells = (
            ("day", 1, f.words[2], "row[2]"),
            ("value", 2, f.words[3], "money(row[3])"),
            ("text", 3, f.words[4], "row[4]"),
        )
        return (
            Check(
                "pages-files",
                f"There is a page per {f.words[1]} and the index, no other page",
                "there(INDEX)\n"
                "actual = sorted(n for n in os.listdir(PAGES) if n.endswith('.md'))\n"
                f"expected = sorted([{p['index_name']!r}, *(g + '.md' for g in GROUPS())])\n"
                "assert actual == expected, f'pages in {PAGES}'",
            ),
            *(
                Check(
                    f"pages-matter-{number}",
                    f"The front matter names {what} as {key}",
                    f"expected = {{g: {value} for g in GROUPS()}}\n"
                    f"assert matter({key!r}) == expected, f'{key} in {{PAGES}}'",
                )
                for number, (key, what, value) in enumerate(matter, start=1)
            ),
            Check(
                "pages-heading",
                f"Each page has the {f.words[1]} as its heading",
                "actual = {g: re.findall(r'(?m)^# (.+?)[ ]*$', page(g)[1]) for g in GROUPS()}\n"
                "assert actual == {g: [g] for g in GROUPS()}, f'headings in {PAGES}'",
            ),
            Check(
                "pages-columns",
                "Each table has the columns id, day, value, text",
                "actual = {tuple(rows_of(g)[0]) for g in GROUPS()}\n"
                "assert actual == {('id', 'day', 'value', 'text')}, f'columns in {PAGES}'",
            ),
            Check(
                "pages-ids",
                f"Each page lists exactly the {f.plural} of its {f.words[1]}",
                "actual = {g: sorted(c[0] for c in rows_of(g)[1]) for g in GROUPS()}\n"
                "expected = {g: [r[0] for r in ROWS() if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'identifiers in {PAGES}'",
            ),
            *(
                Check(
                    f"pages-{name}",
                    f"The tables show the {word}",
                    f"actual = cell({index})\n"
                    f"expected = {{row[0]: {value} for row in ROWS() if row[0] in actual}}\n"
                    f"assert actual and actual == expected, f'{name} in {{PAGES}}'",
                )
                for name, index, word, value in cells
            ),
            Check(
                "pages-order",
                "The rows stand in the demanded order",
                "actual = {g: [c[0] for c in rows_of(g)[1]] for g in GROUPS()}\n"
                f"ordered = sorted(ROWS(), key=lambda r: {order})\n"
                "expected = {g: [r[0] for r in ordered if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'order of rows in {PAGES}'",
            ),
            Check(
                "index-links",
                "The index links every page, in the demanded order",
                f"expected = [(g, g + '.md') for g in {links}]\n"
                "assert [x[:2] for x in links()] == expected, f'links in {INDEX}'",
            ),
            Check(
                "index-counts",
                f"The index counts the {f.plural} of each page",
                "actual = {x[0]: int(x[2]) for x in links()}\n"
                "expected = {g: sum(r[1] == g for r in ROWS()) for g in GROUPS()}\n"
                "assert actual == expected, f'counts in {INDEX}'",
            ),
            Check(
                "index-total",
                "The index ends with the total",
                "lines = [x for x in there(INDEX).splitlines() if x.strip()]\n"
                "expected = 'Total: ' + money(sum(r[3] for r in ROWS()))\n"
                "assert lines and lines[-1].strip() == expected, f'last line of {INDEX}'",
            ),
        )
