"""Python of a verifier that both halves share: expected rows its own way, checks of the table."""

from collections.abc import Mapping

from facet.author.contract import FORMATS
from facet.author.recipe import Check, Raw, View, fill

PREAMBLE = '''
import csv
import configparser
import hashlib
import html.parser
import io
import json
import os
import pwd
import re
import sqlite3
import stat
import subprocess
import tarfile
import tomllib
from collections import Counter, defaultdict
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

import pytest

INPUTS = @inputs@
TABLE = @table@
REFUSALS = @refusals@
COLUMNS = @columns@
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
MONTH = {name: number for number, name in enumerate(MONTHS.split(), 1)}
DAY_FORMS = (
    (r"(\\d{4})-(\\d\\d)-(\\d\\d)", (1, 2, 3)),
    (r"(\\d\\d)/(\\d\\d)/(\\d{4})", (3, 2, 1)),
    (r"(\\d{1,2}) (\\w{3}) (\\d{4})", (3, 2, 1)),
)


def there(path):
    """A regular file that is not a link, as text."""
    assert os.path.isfile(path) and not os.path.islink(path), f"{path} is missing or no plain file"
    with open(path, "rb") as source:
        data = source.read(5_000_000)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AssertionError(f"{path} is not UTF-8: {error}") from None


def run(*command, stdin=None, cwd="/", env=None):
    """A finished command; its output as text."""
    done = subprocess.run(
        command, input=stdin, cwd=cwd, env=env, capture_output=True, text=True, timeout=60,
        errors="replace",
    )
    return done.returncode, done.stdout, done.stderr


def real_day(text):
    """ISO form of a date, None where there is no such day."""
    for form, order in DAY_FORMS:
        match = re.fullmatch(form, text)
        if match:
            year, month, day = [match.group(n) for n in order]
            try:
                return str(date(int(year), MONTH.get(month) or int(month), int(day)))
            except ValueError:
                return None
    return None


def in_hundredths(text):
    """A number with at most two decimals in hundredths, None for anything else."""
    match = re.fullmatch(r"(\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.(\\d{1,2}))?", text)
    if not match:
        return None
    return int(match[1].replace(",", "")) * 100 + int((match[2] or "0").ljust(2, "0"))


def money(value):
    """Hundredths with two decimals."""
    return ("-" if value < 0 else "") + "%d.%02d" % divmod(abs(value), 100)


@material@

@lru_cache(maxsize=None)
def truth():
    """Expected rows per key, and refusals, straight from the material."""
    items, refused = material()
    refused, good = list(refused), defaultdict(list)
    for ref, *parts in items:
        key, group, day, number, text = [part.strip() for part in parts]
        faults = [
            why
            for why, wrong in (
                ("no-id", key == ""),
                ("bad-date", real_day(day) is None),
                ("bad-number", in_hundredths(number) is None),
            )
            if wrong
        ]
        if faults:
            refused.append((ref, faults[0]))
        else:
            row = (key, group.lower(), real_day(day), in_hundredths(number), text)
            good[key].append((ref, row))
    rows = {}
    for key, entries in good.items():
        winner = entries[@winner@]
        rows[key] = winner[1]
        refused += [(ref, "duplicate") for ref, _ in entries if ref != winner[0]]
    return rows, sorted(refused)


def ROWS():
    """Expected rows, by key."""
    return [row for _, row in sorted(truth()[0].items())]


def GROUPS():
    """Expected groups, sorted."""
    return sorted({row[1] for row in ROWS()})


def table_lines():
    """The table as written: header (or keys) and raw values."""
    text = there(TABLE)
@read@


def table_rows():
    """Table lines as dicts; the header must be right for the rest to mean anything."""
    header, lines = table_lines()
    assert lines, f"{TABLE} has no lines"
    assert all(len(line) == len(header) for line in lines), f"{TABLE}: lines of unequal length"
    return [dict(zip(header, line)) for line in lines]


def by_key(column):
    """One column by identifier, for identifiers that are expected."""
    rows = table_rows()
    assert all(COLUMNS[0] in r and column in r for r in rows), f"{TABLE}: no column {column}"
    found = {r[COLUMNS[0]]: r[column] for r in rows if r[COLUMNS[0]] in truth()[0]}
    assert found, f"{TABLE}: none of the expected identifiers"
    return found


def refusal_lines():
    lines = [line.split("\\t") for line in there(REFUSALS).splitlines() if line]
    assert lines, f"{REFUSALS} is empty"
    assert all(len(line) == 2 for line in lines), f"{REFUSALS}: lines are not two fields"
    return sorted(tuple(line) for line in lines)
'''
_READ = {
    "csv": """    try:
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise AssertionError(f"{TABLE} is no CSV: {error}") from None
    assert lines, f"{TABLE} is empty"
    return lines[0], lines[1:]
""",
    "tsv": """    if "\\r" in text:
        raise AssertionError(f"{TABLE} has CR in its line ends")
    lines = [line.split("\\t") for line in text.splitlines()]
    assert lines, f"{TABLE} is empty"
    return lines[0], lines[1:]
""",
    "jsonl": """    try:
        objects = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise AssertionError(f"{TABLE}: a line is not JSON: {error}") from None
    assert objects and all(isinstance(o, dict) for o in objects), f"{TABLE} holds no objects"
    return list(objects[0]), [[str(v) for v in o.values()] for o in objects]
""",
}
_SHOWN_DAY = {
    "YYYY-MM-DD": "row[2]",
    "DD.MM.YYYY": '"%s.%s.%s" % (row[2][8:], row[2][5:7], row[2][:4])',
    "YYYYMMDD": '"".join(c for c in row[2] if c.isdigit())',
}
_DAY_SHAPE = {
    "YYYY-MM-DD": r"\d{4}-\d{2}-\d{2}",
    "DD.MM.YYYY": r"\d{2}\.\d{2}\.\d{4}",
    "YYYYMMDD": r"\d{8}",
}
_SORTED = {
    "key": "sorted(rows)",
    "newest": "sorted(sorted(rows), key=lambda k: rows[k][2], reverse=True)",
    "largest": "sorted(sorted(rows), key=lambda k: rows[k][3], reverse=True)",
    "group": "sorted(sorted(rows), key=lambda k: rows[k][1])",
}


def preamble(view: View, inputs: Mapping[str, str], material: str) -> str:
    """Imports, helpers and the expected rows; `inputs` maps a path to the SHA-256 it must keep."""
    ending = view.pick["table"].rpartition(".")[2]
    return fill(
        PREAMBLE,
        inputs=dict(sorted(inputs.items())),
        table=view.pick["table"],
        refusals=view.pick["refusals"],
        columns=list(view.columns),
        material=Raw(material),
        winner=0 if view.pick["repeats"] == "first" else -1,
        read=Raw(_READ[ending]),
    )


def table_checks(view: View) -> tuple[Check, ...]:
    """Checks of the clean table and the refusals."""
    noun, plural = view.fields.noun, view.fields.plural
    key, group, day, number, text = view.fields.words
    ending = view.pick["table"].rpartition(".")[2]
    whole = view.pick["numbers"] == "whole"
    show = "str(row[3])" if whole else "money(row[3])"
    header = "set(header)" if ending == "jsonl" else "header"
    wanted = "set(COLUMNS)" if ending == "jsonl" else "COLUMNS"
    values = (
        ("group", group, 1, "row[1]"),
        ("day", day, 2, _SHOWN_DAY[view.pick["dates"]]),
        ("number", number, 3, show),
        ("text", text, 4, "row[4]"),
    )
    checks = [
        Check(
            "table-columns",
            f"The table has the fields it should have ({FORMATS[ending]})",
            fill(
                """
header, lines = table_lines()
assert @header@ == @wanted@, f"fields of {TABLE}"
""",
                header=Raw(header),
                wanted=Raw(wanted),
            ),
        ),
        Check(
            "table-count",
            f"The table has one line per good {noun}",
            "header, lines = table_lines()\n"
            'assert len(lines) == len(ROWS()), f"number of lines in {TABLE}"\n',
        ),
        Check(
            "table-keys",
            f"Exactly the good {plural} are in the table",
            "actual = sorted(r.get(COLUMNS[0], '') for r in table_rows())\n"
            "assert actual == sorted(truth()[0]), f'identifiers in {TABLE}'\n",
        ),
    ]
    for name, word, index, expression in values:
        checks.append(
            Check(
                f"table-{name}",
                f"The {word} of each {noun} is right",
                fill(
                    """
actual = by_key(COLUMNS[@index@])
expected = {key: @show@ for key, row in truth()[0].items() if key in actual}
assert actual == expected, f"{COLUMNS[@index@]} by identifier in {TABLE}"
""",
                    index=index,
                    show=Raw(expression),
                ),
            )
        )
    checks += [
        Check(
            "table-repeats",
            f"Of {plural} with the same {key} the {view.pick['repeats']} one is kept",
            fill(
                """
items, refused = material()
count = Counter(item[1].strip() for item in items)
again = [key for key in truth()[0] if count[key] > 1]
assert again, "the material repeats identifiers"
actual = by_key(COLUMNS[3])
expected = {row[0]: @show@ for row in ROWS() if row[0] in again}
assert {k: actual.get(k) for k in again} == expected, f"repeated identifiers in {TABLE}"
""",
                show=Raw(show),
            ),
        ),
        Check(
            "table-order",
            "The table is sorted as demanded",
            fill(
                """
rows = truth()[0]
actual = [r.get(COLUMNS[0]) for r in table_rows()]
actual = [key for key in actual if key in rows]
expected = [key for key in @sorted@ if key in actual]
assert actual == expected, f"order of {TABLE}"
""",
                sorted=Raw(_SORTED[view.pick["order"]]),
            ),
        ),
        Check(
            "table-forms",
            "Dates and numbers in the table have the demanded form",
            fill(
                """
odd = [r for r in table_rows() if not re.fullmatch(@day@, r.get(COLUMNS[2], ""))]
assert odd == [], f"dates in {TABLE}"
odd = [r for r in table_rows() if not re.fullmatch(@number@, r.get(COLUMNS[3], ""))]
assert odd == [], f"numbers in {TABLE}"
""",
                day=_DAY_SHAPE[view.pick["dates"]],
                number=r"\d+" if whole else r"\d+\.\d{2}",
            ),
        ),
        Check(
            "refusals-refs",
            f"Every refused {noun} is listed once",
            "actual = [ref for ref, why in refusal_lines()]\n"
            'assert actual == [ref for ref, why in truth()[1]], f"references in {REFUSALS}"\n',
        ),
        Check(
            "refusals-reasons",
            "Every refusal has the right reason",
            "actual = refusal_lines()\n"
            "known = {ref for ref, why in truth()[1]}\n"
            "actual = [line for line in actual if line[0] in known]\n"
            "expected = [line for line in truth()[1] if line[0] in {a[0] for a in actual}]\n"
            "assert actual and actual == expected, f'reasons in {REFUSALS}'\n",
        ),
        Check(
            "refusals-duplicates",
            f"{plural.capitalize()} that repeat a {key} are refused as duplicates",
            "actual = [ref for ref, why in refusal_lines() if why == 'duplicate']\n"
            "expected = [ref for ref, why in truth()[1] if why == 'duplicate']\n"
            "assert actual == expected, f'duplicates in {REFUSALS}'\n",
        ),
        Check(
            "inputs-unchanged",
            "The material that was handed over is unchanged",
            "found = {}\n"
            "for path in INPUTS:\n"
            "    there_is = os.path.isfile(path) and not os.path.islink(path)\n"
            "    data = Path(path).read_bytes() if there_is else b''\n"
            "    found[path] = hashlib.sha256(data).hexdigest()\n"
            'assert found == INPUTS, "SHA-256 of the inputs"\n',
            guard=True,
        ),
    ]
    return tuple(checks)


def test_of(check: Check) -> str:
    """Source of one pytest function."""
    mark = f"id={check.id!r}, title={check.title!r}" + (", guard=True" if check.guard else "")
    body = "".join(f"    {line}\n" if line else "\n" for line in check.body.strip().split("\n"))
    return f"\n\n@pytest.mark.check({mark})\ndef test_{check.id.replace('-', '_')}():\n{body}"
