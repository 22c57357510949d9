"""Clean a CSV file of orders and report on it: files only."""

import hashlib

from facet.selftest.golden.build import golden
from facet.types.manifest import Manifest, PlannedFile
from facet.types.task import Task

ORDERS = b"""order_id,region,amount,currency
1001,North,120.50,EUR
1002, south ,80.00,EUR
1003,NORTH,15.25,EUR
1002,South,80.00,EUR
1004,east,,EUR
1005,West,-5.00,EUR
1006,West,44.75,EUR
1007,South,abc,EUR
1008,north,200.00,EUR
"""
ORDERS_DIGEST = hashlib.sha256(ORDERS).hexdigest()

INSTRUCTION = """
The file `/app/data/orders.csv` holds orders as they were typed in. Clean it and report on it:

1. `/app/out/clean.csv`: header `order_id,region,amount`, one line per valid order, sorted by
   `order_id`. A region is written in lower case without surrounding blanks, an amount with two
   decimals. Of orders with the same `order_id` the first is kept.
2. `/app/out/rejected.csv`: header `order_id,reason`, sorted by `order_id`; `reason` is `missing`
   for an empty amount, `negative` for one below zero, `invalid` for one that is no number, and
   `duplicate` for a repeated `order_id`.
3. `/app/out/report.json`: an object with `orders` (number of valid orders), `rejected` (number of
   lines of rejected.csv without its header), `total` (sum of valid amounts, a number), and
   `regions` (an object: region to its sum).

Leave `/app/data/orders.csv` as it is. The files must be readable by everyone (mode 0644).
"""

HEAD = """#!/bin/bash
set -euo pipefail
mkdir -p /app/out
python3 - <<'PY'
import csv, json
from decimal import Decimal, InvalidOperation
good, bad, seen = [], [], set()
for row in csv.DictReader(open("/app/data/orders.csv", newline="")):
    ident, amount = row["order_id"].strip(), row["amount"].strip()
    region = row["region"].strip().lower()
"""

BODY = """
    if ident in seen:
        bad.append((ident, "duplicate"))
        continue
    seen.add(ident)
    try:
        value = Decimal(amount) if amount else None
    except InvalidOperation:
        bad.append((ident, "invalid"))
        continue
    if value is None or value < 0:
        bad.append((ident, "missing" if value is None else "negative"))
        continue
    good.append((ident, region, value))
good.sort()
bad.sort()
"""

CLEAN = """
with open("/app/out/clean.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(["order_id", "region", "amount"])
    writer.writerows((i, r, f"{a:.2f}") for i, r, a in good)
"""

REJECTED = """
with open("/app/out/rejected.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(["order_id", "reason"])
    writer.writerows(bad)
"""

REPORT = """
regions = {}
for _, region, amount in good:
    regions[region] = regions.get(region, 0) + float(amount)
report = {"orders": len(good), "rejected": len(bad),
          "total": float(sum(a for _, _, a in good)), "regions": regions}
json.dump(report, open("/app/out/report.json", "w"), indent=2)
"""

FOOT = """
PY
chmod 0644 /app/out/*
"""

KEEPS_DUPLICATES = BODY.replace('bad.append((ident, "duplicate"))\n        continue', "pass")

TESTS = """
import csv
import hashlib
import json
from pathlib import Path

import pytest

OUT = Path("/app/out")


def rows(name):
    path = OUT / name
    assert path.is_file(), f"{path} is missing"
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def report():
    path = OUT / "report.json"
    assert path.is_file(), f"{path} is missing"
    return json.loads(path.read_text())


def reason(ident):
    return [r["reason"] for r in rows("rejected.csv") if r["order_id"] == ident]


@pytest.mark.check(id="clean.header", title="clean.csv has the columns asked for")
def test_clean_header():
    path = OUT / "clean.csv"
    assert path.is_file(), "clean.csv is missing"
    assert path.read_text().splitlines()[0] == "order_id,region,amount", "header of clean.csv"


@pytest.mark.check(id="clean.ids", title="exactly the valid orders are kept")
def test_clean_ids():
    found = sorted(r["order_id"] for r in rows("clean.csv"))
    assert found == ["1001", "1002", "1003", "1006", "1008"], "orders kept"


@pytest.mark.check(id="clean.sorted", title="clean.csv is sorted by order_id")
def test_clean_sorted():
    found = [r["order_id"] for r in rows("clean.csv")]
    assert found == sorted(found), "order of lines"


@pytest.mark.check(id="clean.regions", title="regions are lower case without blanks")
def test_clean_regions():
    found = sorted({r["region"] for r in rows("clean.csv")})
    assert found == ["north", "south", "west"], "regions"


@pytest.mark.check(id="clean.amounts", title="amounts have two decimals")
def test_clean_amounts():
    found = sorted(r["amount"] for r in rows("clean.csv"))
    assert found == ["120.50", "15.25", "200.00", "44.75", "80.00"], "amounts"


@pytest.mark.check(id="clean.first", title="the first of two equal orders is kept")
def test_clean_first():
    found = [r["amount"] for r in rows("clean.csv") if r["order_id"] == "1002"]
    assert found == ["80.00"], "order 1002"


@pytest.mark.check(id="rejected.header", title="rejected.csv has the columns asked for")
def test_rejected_header():
    path = OUT / "rejected.csv"
    assert path.is_file(), "rejected.csv is missing"
    assert path.read_text().splitlines()[0] == "order_id,reason", "header of rejected.csv"


@pytest.mark.check(id="rejected.ids", title="exactly the bad lines are rejected")
def test_rejected_ids():
    found = [r["order_id"] for r in rows("rejected.csv")]
    assert found == ["1002", "1004", "1005", "1007"], "rejected orders"


@pytest.mark.check(id="rejected.missing", title="an empty amount is `missing`")
def test_missing():
    assert reason("1004") == ["missing"], "order 1004"


@pytest.mark.check(id="rejected.negative", title="an amount below zero is `negative`")
def test_negative():
    assert reason("1005") == ["negative"], "order 1005"


@pytest.mark.check(id="rejected.invalid", title="an amount that is no number is `invalid`")
def test_invalid():
    assert reason("1007") == ["invalid"], "order 1007"


@pytest.mark.check(id="rejected.duplicate", title="a repeated order is `duplicate`")
def test_duplicate():
    assert reason("1002") == ["duplicate"], "order 1002"


@pytest.mark.check(id="report.orders", title="the report counts valid orders")
def test_orders():
    assert report()["orders"] == 5, "orders"


@pytest.mark.check(id="report.rejected", title="the report counts rejected lines")
def test_rejected():
    assert report()["rejected"] == 4, "rejected"


@pytest.mark.check(id="report.total", title="the report holds the total")
def test_total():
    assert round(report()["total"], 2) == 460.5, "total"


@pytest.mark.check(id="report.regions", title="the report has one sum per region")
def test_regions():
    found = {k: round(v, 2) for k, v in report()["regions"].items()}
    assert found == {"north": 335.75, "south": 80.0, "west": 44.75}, "regions"


@pytest.mark.check(id="modes", title="all three files are readable by everyone")
def test_modes():
    found = {}
    for name in ("clean.csv", "rejected.csv", "report.json"):
        path = OUT / name
        found[name] = oct(path.stat().st_mode & 0o777) if path.is_file() else "missing"
    assert set(found.values()) == {"0o644"}, f"modes: {found}"


@pytest.mark.check(id="input.kept", title="the input is as it was", guard=True)
def test_input():
    data = Path("/app/data/orders.csv").read_bytes()
    assert hashlib.sha256(data).hexdigest() == "%DIGEST%", "orders.csv"
"""


def task() -> Task:
    """The task, valid as it is."""
    return golden(
        "orders",
        manifest=Manifest(files=(PlannedFile(path="/app/data/orders.csv", data=ORDERS),)),
        instruction=INSTRUCTION,
        solve=HEAD + BODY + CLEAN + REJECTED + REPORT + FOOT,
        partials={
            "keeps-duplicates": HEAD + KEEPS_DUPLICATES + CLEAN + REJECTED + REPORT + FOOT,
            "no-report": HEAD + BODY + CLEAN + REJECTED + FOOT,
        },
        tests=TESTS.replace("%DIGEST%", ORDERS_DIGEST),
    )
