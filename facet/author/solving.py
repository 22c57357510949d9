"""Python of a solution that both halves share: cleaning, writing the table, reading it back."""

from facet.author.recipe import Raw, View, fill

ORDERS = {
    "key": "row[0]",
    "newest": "(-int(row[2].replace('-', '')), row[0])",
    "largest": "(-row[3], row[0])",
    "group": "(row[1], row[0])",
}
DATE_OUT = {
    "YYYY-MM-DD": "day",
    "DD.MM.YYYY": '".".join(reversed(day.split("-")))',
    "YYYYMMDD": 'day.replace("-", "")',
}
DATE_IN = {
    "YYYY-MM-DD": "text",
    "DD.MM.YYYY": '"-".join(reversed(text.split(".")))',
    "YYYYMMDD": 'f"{text[:4]}-{text[4:6]}-{text[6:]}"',
}

_CLEAN = """
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def iso(text):
    try:
        if re.fullmatch(r"\\d{4}-\\d{2}-\\d{2}", text):
            return date.fromisoformat(text).isoformat()
        if re.fullmatch(r"\\d{2}/\\d{2}/\\d{4}", text):
            day, month, year = text.split("/")
            return date(int(year), int(month), int(day)).isoformat()
        day, month, year = text.split()
        return date(int(year), MONTHS.index(month) + 1, int(day)).isoformat()
    except ValueError:
        return ""


def hundredths(text):
    text = text.replace(",", "")
    if not re.fullmatch(r"\\d+(\\.\\d{1,2})?", text):
        return None
    return int(Decimal(text) * 100)


kept = {}
for ref, key, group, day, number, text in items:
    key, group, text = key.strip(), group.strip().lower(), text.strip()
    when, value = iso(day.strip()), hundredths(number.strip())
    if not key:
        refused.append((ref, "no-id"))
    elif not when:
        refused.append((ref, "bad-date"))
    elif value is None:
        refused.append((ref, "bad-number"))
@repeats@
rows = [row for _, row in kept.values()]
rows.sort(key=lambda row: @order@)
"""
_REPEATS = {
    "first": """    elif key in kept:
        refused.append((ref, "duplicate"))
    else:
        kept[key] = (ref, (key, group, when, value, text))
""",
    "last": """    else:
        if key in kept:
            refused.append((kept[key][0], "duplicate"))
        kept[key] = (ref, (key, group, when, value, text))
""",
}
_WRITE = {
    "csv": """with table.open("w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(COLUMNS)
    writer.writerows(shown(row) for row in rows)
""",
    "tsv": """with table.open("w", encoding="utf-8") as out:
    for line in [COLUMNS, *(shown(row) for row in rows)]:
        out.write("\\t".join(line) + "\\n")
""",
    "jsonl": """with table.open("w", encoding="utf-8") as out:
    for row in rows:
        out.write(json.dumps(dict(zip(COLUMNS, shown(row))), ensure_ascii=False) + "\\n")
""",
}
_READ = {
    "csv": """with open(TABLE, encoding="utf-8", newline="") as source:
    records = list(csv.DictReader(source))
""",
    "tsv": """with open(TABLE, encoding="utf-8") as source:
    lines = [line.rstrip("\\n").split("\\t") for line in source]
records = [dict(zip(lines[0], line)) for line in lines[1:]]
""",
    "jsonl": """with open(TABLE, encoding="utf-8") as source:
    records = [json.loads(line) for line in source if line.strip()]
""",
}


def first_block(view: View, extract: str) -> str:
    """Python of the first half, with the slips that concern it."""
    ending = view.pick["table"].rpartition(".")[2]
    clean = fill(
        _CLEAN, repeats=Raw(_REPEATS[view.pick["repeats"]]), order=Raw(ORDERS[view.pick["order"]])
    )
    drop = "rows = rows[1:]  # the header\n" if "off_by_one" in view.slips else ""
    number = "f'{value // 100}.{value % 100:02d}'"
    if view.pick["numbers"] == "whole":
        number = "str(value)"
    folders = "table.parent.mkdir(parents=True, exist_ok=True)\n"
    more = "Path(REFUSALS).parent.mkdir(parents=True, exist_ok=True)\n"
    if "no_folder" in view.slips:
        folders = more = ""
    refusals = "" if "no_refusals" in view.slips else 'f"{ref}\\t{why}\\n" for ref, why in refused'
    return fill(
        """
import csv
import json
import os
import re
import sqlite3
import tarfile
import urllib.request
from datetime import date
from decimal import Decimal
from pathlib import Path

TABLE = @table@
REFUSALS = @refusals@
COLUMNS = @columns@

items, refused = [], []
@extract@
@clean@@drop@

def shown(row):
    key, group, day, value, text = row
    return [key, group, @date@, @number@, text]


table = Path(TABLE)
@folders@@more@@write@
Path(REFUSALS).write_text("".join([@lines@]), encoding="utf-8")
""",
        table=view.pick["table"],
        refusals=view.pick["refusals"],
        columns=list(view.columns),
        extract=Raw(extract),
        clean=Raw(clean),
        drop=Raw(drop),
        date=Raw(DATE_OUT[view.pick["dates"]]),
        number=Raw(number),
        folders=Raw(folders),
        more=Raw(more),
        write=Raw(_WRITE[ending]),
        lines=Raw(refusals),
    )


def second_block(view: View, make: str) -> str:
    """Python of the second half: `rows` from the table, then the product."""
    ending = view.pick["table"].rpartition(".")[2]
    value = "int(text)" if view.pick["numbers"] == "whole" else "int(text.replace('.', ''))"
    slip = ""
    if "lose_group" in view.slips:
        slip = "rows = [row for row in rows if row[1] != max(row[1] for row in rows)]\n"
    return fill(
        """
import csv
import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tarfile
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

TABLE = @table@
KEY, GROUP, DAY, NUMBER, TEXT = @columns@


def day_of(text):
    return @date@


def hundredths(text):
    return @value@


def decimal(value):
    sign = "-" if value < 0 else ""
    return f"{sign}{abs(value) // 100}.{abs(value) % 100:02d}"


@read@
rows = [
    (r[KEY], r[GROUP], day_of(r[DAY]), hundredths(r[NUMBER]), r[TEXT]) for r in records
]
@slip@groups = sorted({row[1] for row in rows})

@make@
""",
        table=view.pick["table"],
        columns=tuple(view.columns),
        date=Raw(DATE_IN[view.pick["dates"]]),
        value=Raw(value),
        read=Raw(_READ[ending]),
        slip=Raw(slip),
        make=Raw(make),
    )
