"""A local HTTP service that hands out records page by page, and is not always ready."""

import json
from collections.abc import Mapping

from facet.author.choice import Choice
from facet.author.dice import Dice
from facet.author.recipe import Fixture, Item, View, fill, spots, text_of, ticks
from facet.author.themes import Theme
from facet.types.manifest import Service

PORTS = (8087, 8093, 8112)
SERVER = """# Serves records.json in pages of ten; a page may not be ready at first.


import json
import pathlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HERE = pathlib.Path(__file__).resolve().parent
RECORDS = json.loads((HERE / "records.json").read_text(encoding="utf-8"))
SIZE, SEEN = 10, set()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urlsplit(self.path)
        number = parse_qs(parts.query).get("page", ["1"])[0]
        pages = -(-len(RECORDS) // SIZE)
        if parts.path == "/health":
            self.answer(200, {"status": "up"})
        elif parts.path != "/records" or not number.isdigit() or not 1 <= int(number) <= pages:
            self.answer(404, {"error": "no such page"})
        elif int(number) % 2 == 0 and number not in SEEN:
            SEEN.add(number)
            self.answer(503, {"error": "not ready, ask again"})
        else:
            page = int(number)
            found = RECORDS[(page - 1) * SIZE : page * SIZE]
            self.answer(200, {"page": page, "pages": pages, "records": found})

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", @port@), Handler).serve_forever()
"""


class Api:
    """Records come from a paginated service on this machine."""

    reasons: tuple[tuple[str, str], ...] = (("deleted", "its `deleted` is true"),)
    ref = "the `no` of the record"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The folder of the service; its port goes with it."""
        return (spots("api", theme, "_api"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Server, data, and the declared service."""
        names = theme.fields.variants[int(env["raw"])]
        records = []
        for number, item in enumerate(items, start=1):
            pairs = list(zip(names, item.parts(), strict=True))
            record: dict[str, object] = {"no": number}
            record.update(dice.shuffled(pairs) if dice.chance(0.3) else pairs)
            if number in (6, 17, 30):
                record["deleted"] = True
            elif dice.chance(0.2):
                record["deleted"] = False
            records.append(record)
        lines = ",\n".join(json.dumps(r, ensure_ascii=False) for r in records)
        folder, port = env["api"], _port(theme, env["api"])
        server = SERVER.replace("@port@", str(port))
        return Fixture(
            (
                text_of(f"{folder}/records.json", f"[\n{lines}\n]\n"),
                text_of(f"{folder}/server.py", server),
            ),
            services=(
                Service(name=f"{theme.slug}-api", command=f"python3 {folder}/server.py", port=port),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Address, pages, patience."""
        port, plural = _port(view.theme, view.env["api"]), view.fields.plural
        address = f"`http://127.0.0.1:{port}/records?page=1`"
        return (
            (
                f"A service on this machine (its files are in `{view.env['api']}`) hands out the "
                f"{plural}: {address} and so on, JSON with `page`, `pages` and `records`.",
                f"The {plural} come from the local API at {address} (installed in "
                f"`{view.env['api']}`); it answers in JSON with `page`, `pages`, `records`, so "
                "fetch page after page.",
            ),
            (
                f"A record has `no`, {ticks(view.raw)} and sometimes `deleted`. The service may "
                "answer 503 when a page is not ready; then ask again. Records count in the order "
                "of `no`.",
                f"Each record carries `no`, {ticks(view.raw)}, some also `deleted`; take them by "
                "`no`. An answer of 503 only means that you should ask once more.",
            ),
        )

    def solve(self, view: View) -> str:
        """urllib with retries."""
        return fill(
            """
import time
import urllib.error

BASE = @base@


def fetch(page):
    for attempt in range(20):
        try:
            with urllib.request.urlopen(f"{BASE}?page={page}", timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
        time.sleep(0.05)
    raise TimeoutError(f"page {page} never came")


records, page, pages = [], 1, 1
while page <= pages:
    answer = fetch(page)
    records += answer["records"]
    page, pages = page + 1, answer["pages"]
for record in sorted(records, key=lambda record: record["no"]):
    if record.get("deleted"):
        refused.append((str(record["no"]), "deleted"))
    else:
        items.append((str(record["no"]), *(record[name] for name in @names@)))
""",
            base=f"http://127.0.0.1:{_port(view.theme, view.env['api'])}/records",
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """From the file behind the service, which a guard proves unchanged."""
        return fill(
            """
def material():
    text = there(@path@)
    items, refused = [], []
    for line in text.splitlines():
        if line[:1] == "{":
            record = json.loads(line.rstrip(","))
            number = str(record.pop("no"))
            if record.pop("deleted", False):
                refused.append((number, "deleted"))
            else:
                items.append((number, *map(record.__getitem__, @names@)))
    return items, refused
""",
            path=view.env["api"] + "/records.json",
            names=list(view.raw),
        )


def _port(theme: Theme, folder: str) -> int:
    stem = folder.rpartition("/")[2].removesuffix("_api")
    return PORTS[theme.stems.index(stem)]
