"""Saved pages with a table of records, entities, a legend, withdrawn rows."""

import html
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

PER_PAGE = 20


class Saved:
    """Saved pages with a table of records, entities, a legend, withdrawn rows."""

    reasons: tuple[tuple[str, str], ...] = (
        ("withdrawn", "its row has the class `withdrawn`, alone or among others"),
    )
    ref = "the `data-no` of its row"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The folder of pages."""
        return (spots("site", theme, "_site"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Pages of twenty rows."""
        names = theme.fields.variants[int(env["raw"])]
        head = "".join(f"<th>{n}</th>" for n in names)
        files = []
        for page in range(0, len(items), PER_PAGE):
            number = page // PER_PAGE + 1
            out = [
                "<!DOCTYPE html>",
                f'<html lang="en"><head><meta charset="utf-8"><title>Page {number}</title></head>',
                f'<body><table class="records"><tr>{head}</tr>',
            ]
            for index, item in enumerate(items[page : page + PER_PAGE], start=page + 1):
                kind = ' class="odd withdrawn"' if index in (5, 18, 29, 41) else ""
                if not kind and dice.chance(0.3):
                    kind = ' class="odd"'
                cells = "".join(
                    f"<td>{_dressed(html.escape(v, quote=False), dice)}</td>" for v in item.parts()
                )
                out.append(f'<tr data-no="{index}"{kind}>{cells}</tr>')
            out += [
                "</table>",
                '<table class="legend"><tr data-no="0"><td>A</td><td>B</td><td>C</td><td>D</td>'
                "<td>E</td></tr></table>",
                "<!-- <tr data-no='999'><td>none</td></tr> -->",
                f"<p>Printed for {html.escape(theme.person)}</p></body></html>",
            ]
            files.append(text_of(f"{env['site']}/page-{number:02d}.html", "\n".join(out) + "\n"))
        return Fixture(tuple(files))

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Which table."""
        folder, names = view.env["site"], ticks(view.raw)
        return (
            (
                f"The {view.fields.plural} survive only as saved web pages `page-*.html` in "
                f"`{folder}`.",
                f"All there is are HTML pages, `page-*.html` in `{folder}`.",
                f"Scrape the pages `page-*.html` that were saved in `{folder}`.",
            ),
            (
                f"Each has a table of class `records` with the columns {names} and a row with "
                f"`data-no` per {view.fields.noun}; cells may hold entities and inner tags, of "
                "which only the text counts. Other tables and comments do not matter. Pages go by "
                "name.",
                f"In the table of class `records` (columns {names}) each row with a `data-no` is a "
                f"{view.fields.noun}. Take the plain text of cells (decode entities, drop tags), "
                "page by page in the order of names, and nothing from other tables or comments.",
            ),
        )

    def solve(self, view: View) -> str:
        """html.parser."""
        return fill(
            """
from html.parser import HTMLParser

SITE = Path(@path@)
NAMES = @names@


class Records(HTMLParser):
    def __init__(self):
        super().__init__()
        self.table, self.header, self.rows, self.row, self.cell = False, [], [], None, None

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "table":
            self.table = given.get("class") == "records"
        elif tag == "tr" and self.table:
            self.row = (given.get("data-no"), (given.get("class") or "").split(), [])
        elif tag in ("td", "th") and self.row:
            self.cell = []

    def handle_data(self, data):
        if self.cell is not None:
            self.cell.append(data)

    def handle_endtag(self, tag):
        if tag == "td" and self.cell is not None:
            self.row[2].append("".join(self.cell))
        elif tag == "th" and self.cell is not None:
            self.header.append("".join(self.cell))
        elif tag == "tr" and self.row:
            if self.row[0]:
                self.rows.append(self.row)
            self.row = None
        if tag in ("td", "th"):
            self.cell = None


pages = sorted(SITE.glob("page-*.html"))
if not pages:
    raise FileNotFoundError(f"no pages in {SITE}")
for path in pages:
    page = Records()
    page.feed(path.read_text(encoding="utf-8"))
    at = [page.header.index(name) for name in NAMES]
    for number, kinds, cells in page.rows:
        if "withdrawn" in kinds:
            refused.append((number, "withdrawn"))
        else:
            items.append((number, *(cells[i] for i in at)))
""",
            path=view.env["site"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Regular expressions on the one shape these pages have."""
        return fill(
            """
def material():
    import html as entities

    items, refused = [], []
    for name in sorted(n for n in os.listdir(@path@) if n.startswith("page-")):
        text = there(@path@ + "/" + name)
        text = re.sub(r"(?s)<!--.*?-->", "", text)
        table = text.split('<table class="records">')[1].split("</table>")[0]
        for number, kind, row in re.findall(r'<tr data-no="(\\d+)"([^>]*)>(.*?)</tr>', table):
            if "withdrawn" in kind:
                refused.append((number, "withdrawn"))
                continue
            cells = re.findall(r"<td>(.*?)</td>", row)
            plain = [entities.unescape(re.sub(r"<[^>]+>", "", cell)) for cell in cells]
            items.append((number, *plain))
    return items, refused
""",
            path=view.env["site"],
        )


def _dressed(text: str, dice: Dice) -> str:
    """Sometimes an inner tag or an entity."""
    if text and dice.chance(0.12):
        return f"<b>{text}</b>"
    return text.replace("é", "&eacute;").replace("-", "&#45;" if dice.chance(0.1) else "-")
