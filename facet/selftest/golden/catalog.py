"""Mirror a catalogue from a local HTTP service with a script that can be run again."""

from facet.selftest.golden.build import golden
from facet.types.manifest import Manifest, PlannedFile, Service
from facet.types.task import Task

ITEMS = b"""[{"sku": "A-1", "name": "Bolt", "stock": 12}, {"sku": "B-2", "name": "Nut", "stock": 0},
 {"sku": "C-3", "name": "Gear", "stock": 4}, {"sku": "D-4", "name": "Cam", "stock": 7}]
"""
PRICES = b"""{"A-1": 0.25, "B-2": 0.1, "C-3": 12.5, "X-9": 1.0}
"""

INSTRUCTION = """
A catalogue service answers on http://127.0.0.1:8099 with `/items.json` (a list of items with
`sku`, `name` and `stock`) and `/prices.json` (an object: sku to price).

Write `/app/bin/sync.sh`, an executable script that takes a target folder as its only argument,
makes it if needed, and writes there:

* `catalog.csv`: header `sku,name,stock,price`, one line per item that has a price, sorted by
  `sku`, prices with two decimals.
* `unpriced.txt`: the skus of items without a price, one per line, sorted.
* `unknown.txt`: the skus of prices without an item, one per line, sorted.
* `value.json`: `{"value": <sum of stock times price, rounded to two decimals>,
  "out_of_stock": <number of lines of catalog.csv with stock 0>}`.

Without an argument it must exit with code 2 and write a line to standard error. Run again on the
same folder it leaves the same bytes; files of other names in the folder are left alone. Then run
it once for `/app/mirror`.
"""

SOLVE = """#!/bin/bash
set -euo pipefail
mkdir -p /app/bin
cat > /app/bin/sync.sh <<'SYNC'
#!/bin/bash
set -euo pipefail
if [ $# -ne 1 ]; then
  echo "usage: sync.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl -fsS http://127.0.0.1:8099/items.json -o "$work/items"
curl -fsS http://127.0.0.1:8099/prices.json -o "$work/prices"
python3 - "$work" "$1" <<'PY'
import json, sys
work, target = sys.argv[1:]
items = sorted(json.load(open(f"{work}/items")), key=lambda i: i["sku"])
prices = json.load(open(f"{work}/prices"))
priced = [i for i in items if i["sku"] in prices]
with open(f"{target}/catalog.csv", "w") as out:
    out.write("sku,name,stock,price\\n")
    for i in priced:
        out.write(f"{i['sku']},{i['name']},{i['stock']},{prices[i['sku']]:.2f}\\n")
skus = {i["sku"] for i in items}
for name, found in (("unpriced", skus - set(prices)), ("unknown", set(prices) - skus)):
    with open(f"{target}/{name}.txt", "w") as out:
        out.writelines(f"{s}\\n" for s in sorted(found))
value = round(sum(i["stock"] * prices[i["sku"]] for i in priced), 2)
gone = sum(i["stock"] == 0 for i in priced)
json.dump({"value": value, "out_of_stock": gone}, open(f"{target}/value.json", "w"))
PY
SYNC
chmod 0755 /app/bin/sync.sh
/app/bin/sync.sh /app/mirror
"""

TESTS = """
import json
import os
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

SCRIPT = Path("/app/bin/sync.sh")
MIRROR = Path("/app/mirror")


def text(name, folder=MIRROR):
    path = Path(folder) / name
    assert path.is_file(), f"{path} is missing"
    return path.read_text()


def run(*words):
    assert SCRIPT.is_file(), f"{SCRIPT} is missing"
    assert os.access(SCRIPT, os.X_OK), f"{SCRIPT} is not executable"
    return subprocess.run([str(SCRIPT), *words], capture_output=True, text=True, timeout=30)


def lines(name):
    return text(name).splitlines()


def value(key):
    return json.loads(text("value.json")).get(key)


@pytest.mark.check(id="catalog.header", title="catalog.csv has its header")
def test_header():
    assert lines("catalog.csv")[0] == "sku,name,stock,price", "header"


@pytest.mark.check(id="catalog.skus", title="catalog.csv has every priced item, sorted")
def test_skus():
    assert [x.split(",")[0] for x in lines("catalog.csv")[1:]] == ["A-1", "B-2", "C-3"], "skus"


@pytest.mark.check(id="catalog.prices", title="prices have two decimals")
def test_prices():
    assert [x.split(",")[3] for x in lines("catalog.csv")[1:]] == ["0.25", "0.10", "12.50"]


@pytest.mark.check(id="catalog.names", title="names are taken from the items")
def test_names():
    assert [x.split(",")[1] for x in lines("catalog.csv")[1:]] == ["Bolt", "Nut", "Gear"], "names"


@pytest.mark.check(id="catalog.stock", title="stocks are taken from the items")
def test_stock():
    assert [x.split(",")[2] for x in lines("catalog.csv")[1:]] == ["12", "0", "4"], "stocks"


@pytest.mark.check(id="unpriced", title="items without a price are listed")
def test_unpriced():
    assert lines("unpriced.txt") == ["D-4"], "unpriced"


@pytest.mark.check(id="unknown", title="prices without an item are listed")
def test_unknown():
    assert lines("unknown.txt") == ["X-9"], "unknown"


@pytest.mark.check(id="value.value", title="the value of the stock is right")
def test_value():
    assert value("value") == 53.0, "value"


@pytest.mark.check(id="value.gone", title="items out of stock are counted")
def test_gone():
    assert value("out_of_stock") == 1, "out of stock"


@pytest.mark.check(id="script.executable", title="sync.sh is executable")
def test_executable():
    assert SCRIPT.is_file() and os.access(SCRIPT, os.X_OK), "sync.sh is not an executable file"


@pytest.mark.check(id="script.usage", title="without an argument it exits with 2")
def test_usage():
    assert run().returncode == 2, "exit code"


@pytest.mark.check(id="script.message", title="without an argument it says why on standard error")
def test_message():
    assert run().stderr.strip() != "", "standard error is empty"


@pytest.mark.check(id="script.elsewhere", title="it fills any folder it is given")
def test_elsewhere(tmp_path):
    done = run(str(tmp_path / "new" / "deep"))
    assert done.returncode == 0, done.stderr
    assert text("catalog.csv", tmp_path / "new" / "deep") == text("catalog.csv"), "catalog.csv"


@pytest.mark.check(id="script.again", title="a second run leaves the same bytes")
def test_again(tmp_path):
    contents = []
    for _ in range(2):
        done = run(str(tmp_path / "out"))
        assert done.returncode == 0, done.stderr
        contents.append({p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()})
    assert contents[0] == contents[1], "files differ"


@pytest.mark.check(id="script.alone", title="files of other names are left alone")
def test_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    done = run(str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine", "mine.txt"


@pytest.mark.check(id="script.complete", title="exactly the four files are written")
def test_complete(tmp_path):
    done = run(str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    found = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert found == ["catalog.csv", "unknown.txt", "unpriced.txt", "value.json"], "files"


@pytest.mark.check(id="service.up", title="the service still answers", guard=True)
def test_service():
    with urlopen("http://127.0.0.1:8099/items.json", timeout=10) as answer:
        assert len(json.load(answer)) == 4, "items served"


@pytest.mark.check(id="service.kept", title="the served prices are as they were", guard=True)
def test_kept():
    assert len(json.loads(Path("/srv/catalog/prices.json").read_text())) == 4, "prices"
"""


def task() -> Task:
    """The task, valid as it is."""
    return golden(
        "catalog",
        manifest=Manifest(
            files=(
                PlannedFile(path="/srv/catalog/items.json", data=ITEMS),
                PlannedFile(path="/srv/catalog/prices.json", data=PRICES),
            ),
            services=(
                Service(
                    name="catalog",
                    command="exec python3 -m http.server 8099 --bind 127.0.0.1"
                    " --directory /srv/catalog",
                    port=8099,
                    health="curl -fsS http://127.0.0.1:8099/items.json -o /dev/null",
                ),
            ),
        ),
        instruction=INSTRUCTION,
        solve=SOLVE,
        partials={
            "ignores-argument": SOLVE.replace('"$1" <<', "/app/mirror <<"),
            "one-decimal": SOLVE.replace(":.2f}", ":.1f}"),
            "no-usage": SOLVE.replace("exit 2", "exit 1"),
        },
        tests=TESTS,
    )
