"""A page with a section per group, and a page of totals."""

from facet.author.choice import Choice, choice
from facet.author.recipe import (
    Check,
    NoMaterial,
    Raw,
    View,
    fill,
    outputs,
)
from facet.author.themes import Theme


class Rendered(NoMaterial):
    """A page with a section per group, and a page of totals."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, title, anchors, order, marks."""
        return (
            outputs("page", theme, "report.html", "overview.html", "index.html"),
            choice(
                "page_title",
                *((t, f"title `{t}`") for t in ("Overview", "Records", f"All {theme.slug}")),
            ),
            choice(
                "anchor",
                ("g-", "the id `g-NAME`"),
                ("sec-", "the id `sec-NAME`"),
                ("", "the id `NAME`"),
            ),
            choice(
                "row_order",
                ("day", "table rows by day, then by identifier"),
                ("id", "table rows by identifier"),
            ),
            choice(
                "high",
                *((str(n * 100), f"{n}.00 and more") for n in (150, 220, 310)),
            ),
            choice("high_class", *((c, f"class `{c}`") for c in ("high", "big", "mark"))),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        rows = {
            "day": "table rows by day, then by identifier",
            "id": "table rows by identifier",
        }[p["row_order"]]
        return (
            (
                f"Render the table as an HTML page `{p['page']}` (UTF-8) with the title "
                f"`{p['page_title']}`.",
                f"Make an HTML page of it, `{p['page']}`, in UTF-8 and with the title "
                f"`{p['page_title']}`.",
            ),
            (
                f"It has a `<section>` per {f.words[1]} with the id `{p['anchor']}NAME`, in "
                "alphabetical order; a section has an `<h2>` with the name and a table.",
                f"For every {f.words[1]}, alphabetically, there is a `<section>` with the id "
                f"`{p['anchor']}NAME`, holding an `<h2>` with the name and one table.",
            ),
            (
                f"Each {f.noun} is a table row of four `<td>`: {f.words[0]}, {f.words[2]} "
                f"(`YYYY-MM-DD`), {f.words[3]} (two decimals), {f.words[4]}; {rows}. A header row, "
                "if any, uses `<th>`.",
                f"A row has four `<td>` for {f.words[0]}, {f.words[2]} as `YYYY-MM-DD`, "
                f"{f.words[3]} with two decimals, and {f.words[4]}; {rows}. Headers, if you want "
                "them, are `<th>`.",
            ),
            (
                f"Rows with a {f.words[3]} of {int(p['high']) // 100}.00 and more have the class "
                f"`{p['high_class']}`, no others do.",
                f"Give the class `{p['high_class']}` to rows whose {f.words[3]} is "
                f"{int(p['high']) // 100}.00 and more, and to no other.",
            ),
            (
                f'Each section ends with `<p class="sum">` holding the sum of its {f.words[3]} '
                "(two decimals, nothing else), and a `<nav>` on top links to each section by its "
                "id, in the same order. Text must be escaped properly.",
                "On top a `<nav>` has a link to every section (by id, same order); at the end of a "
                f'section `<p class="sum">` shows only the sum of its {f.words[3]}, with two '
                "decimals. Mind the escaping of text.",
            ),
        )

    def solve(self, view: View) -> str:
        """html.escape and strings."""
        p = view.pick
        order = {"day": "(r[2], r[0])", "id": "r[0]"}[p["row_order"]]
        return fill(
            """
from html import escape

PAGE = Path(@page@)
HIGH = @high@
PAGE.parent.mkdir(parents=True, exist_ok=True)


def anchor(name):
    return escape(@anchor@ + name)


out = [
    "<!DOCTYPE html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    "<title>" + escape(@title@) + "</title>",
    "</head>",
    "<body>",
    "<nav>",
]
out += [f'<a href="#{anchor(name)}">{escape(name)}</a>' for name in groups]
out.append("</nav>")
for name in groups:
    chosen = sorted((r for r in rows if r[1] == name), key=lambda r: @order@)
    out += [f'<section id="{anchor(name)}">', f"<h2>{escape(name)}</h2>", "<table>"]
    for key, _, day, value, text in chosen:
        mark = ' class="' + @mark@ + '"' if value >= HIGH else ""
        cells = "".join(f"<td>{escape(v)}</td>" for v in (key, day, decimal(value), text))
        out.append(f"<tr{mark}>{cells}</tr>")
    out += ["</table>", f'<p class="sum">{decimal(sum(r[3] for r in chosen))}</p>', "</section>"]
out += ["</body>", "</html>"]
PAGE.write_text("\\n".join(out) + "\\n", encoding="utf-8")
""",
            page=p["page"],
            high=int(p["high"]),
            anchor=p["anchor"],
            title=p["page_title"],
            order=Raw(order),
            mark=p["high_class"],
        )

    def helpers(self, view: View) -> str:
        """Parse the page once."""
        p = view.pick
        return fill(
            """
PAGE = @page@
ANCHOR = @anchor@


def attribute(given, name):
    return next((value or "" for key, value in given if key == name), "")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.stack, self.title, self.links, self.sections = [], "", [], []

    def handle_starttag(self, tag, attributes):
        if tag == "section":
            name = attribute(attributes, "id")
            self.sections.append({"id": name, "h2": "", "rows": [], "sum": ""})
        elif tag == "a" and "nav" in self.stack:
            self.links.append(attribute(attributes, "href"))
        elif tag == "tr" and self.sections:
            kinds = attribute(attributes, "class").split()
            self.sections[-1]["rows"].append((kinds, []))
        elif tag == "td" and self.sections and self.sections[-1]["rows"]:
            self.sections[-1]["rows"][-1][1].append("")
        if tag == "p" and "sum" in attribute(attributes, "class").split():
            tag = "sum"
        if tag not in ("meta", "br", "hr", "link", "img", "input", "col"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if tag == "p" and "sum" in self.stack:
            tag = "sum"
        if tag in self.stack:
            while self.stack.pop() != tag:
                pass

    def handle_data(self, data):
        if "title" in self.stack:
            self.title += data
        elif self.sections and "section" in self.stack:
            section = self.sections[-1]
            if "h2" in self.stack:
                section["h2"] += data.strip()
            elif "td" in self.stack and section["rows"] and section["rows"][-1][1]:
                section["rows"][-1][1][-1] += data
            elif "sum" in self.stack:
                section["sum"] += data.strip()


def page():
    found = Page()
    found.feed(there(PAGE))
    assert found.sections, f"{PAGE} has no sections"
    return found


def lines(section):
    return [(kinds, [c.strip() for c in cells]) for kinds, cells in section["rows"] if cells]


def cell(index):
    found = {}
    for section in page().sections:
        for _, cells in lines(section):
            assert len(cells) == 4, f"{PAGE}: a row has {len(cells)} cells"
            found[cells[0]] = cells[index]
    return {key: value for key, value in found.items() if key in truth()[0]}
""",
            page=p["page"],
            anchor=p["anchor"],
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Structure, content, marks."""
        p, f = view.pick, view.fields
        order = {"day": "(r[2], r[0])", "id": "r[0]"}[p["row_order"]]
        cells = (
            ("day", 1, f.words[2], "row[2]"),
            ("value", 2, f.words[3], "money(row[3])"),
            ("text", 3, f"{f.words[4]}, properly escaped", "row[4]"),
        )
        return (
            Check(
                "page-title",
                "The page has the demanded title",
                f"assert page().title.strip() == {p['page_title']!r}, f'title of {{PAGE}}'",
            ),
            Check(
                "page-sections",
                f"There is a section per {f.words[1]} with the demanded id, alphabetically",
                "actual = [s['id'] for s in page().sections]\n"
                "assert actual == [ANCHOR + g for g in GROUPS()], f'sections of {PAGE}'",
            ),
            Check(
                "page-headings",
                f"Each section is headed by the {f.words[1]}",
                "actual = [s['h2'] for s in page().sections]\n"
                "assert actual == GROUPS(), f'headings of {PAGE}'",
            ),
            Check(
                "page-links",
                "The navigation links every section in order",
                "assert page().links == ['#' + ANCHOR + g for g in GROUPS()], f'links of {PAGE}'",
            ),
            Check(
                "page-ids",
                f"Each section lists exactly the {f.plural} of its {f.words[1]}",
                "actual = {s['h2']: sorted(c[0] for _, c in lines(s)) for s in page().sections}\n"
                "expected = {g: [r[0] for r in ROWS() if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'identifiers in {PAGE}'",
            ),
            *(
                Check(
                    f"page-{name}",
                    f"Rows show the {word}",
                    f"actual = cell({index})\n"
                    f"expected = {{row[0]: {value} for row in ROWS() if row[0] in actual}}\n"
                    f"assert actual and actual == expected, f'{name} in {{PAGE}}'",
                )
                for name, index, word, value in cells
            ),
            Check(
                "page-order",
                "The rows stand in the demanded order",
                "actual = {s['h2']: [c[0] for _, c in lines(s)] for s in page().sections}\n"
                f"ordered = sorted(ROWS(), key=lambda r: {order})\n"
                "expected = {g: [r[0] for r in ordered if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'order of rows in {PAGE}'",
            ),
            Check(
                "page-marks",
                f"Exactly the rows of {int(p['high']) // 100}.00 and more are marked",
                "actual = sorted(c[0] for s in page().sections for kinds, c in lines(s) "
                f"if {p['high_class']!r} in kinds)\n"
                f"expected = [r[0] for r in ROWS() if r[3] >= {int(p['high'])}]\n"
                "assert actual == expected, f'marked rows in {PAGE}'",
            ),
            Check(
                "page-sums",
                "Each section ends with its sum",
                "actual = {s['h2']: s['sum'] for s in page().sections}\n"
                "expected = {g: money(sum(r[3] for r in ROWS() if r[1] == g)) for g in GROUPS()}\n"
                "assert actual == expected, f'sums in {PAGE}'",
            ),
        )
