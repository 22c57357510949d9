"""A register kept elsewhere is compared with the table."""

from collections.abc import Mapping

from facet.author.choice import Choice, choice
from facet.author.dice import Dice
from facet.author.fixtures import decimal
from facet.author.recipe import (
    Check,
    Fixture,
    Raw,
    Record,
    View,
    fill,
    outputs,
    text_of,
)
from facet.author.themes import Theme


class Register:
    """A register kept elsewhere is compared with the table."""

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The register."""
        folder = theme.folder
        return (
            choice(
                "register",
                *(
                    (path, f"`{path}`")
                    for path in (f"{folder}/{n}.csv" for n in ("register", "second_book", "bank"))
                ),
            ),
        )

    def build(
        self, theme: Theme, env: Mapping[str, str], rows: list[Record], dice: Dice
    ) -> Fixture:
        """Most records with their number, some changed, some missing, some unknown."""
        lines = []
        for index, row in enumerate(sorted(rows, key=lambda r: r.key)):
            value = row.number
            if index % 9 == 2:
                continue
            if index % 6 == 4:
                value += dice.pick((-1, 1)) * dice.between(1, 60)
            elif index % 8 == 5:
                value += dice.pick((-100, 130)) * dice.between(1, 9)
            lines.append(f"{row.key},{decimal(max(1, value))}")
        lines += [f"{theme.prefix}-{8800 + n},{decimal(dice.between(500, 9000))}" for n in range(3)]
        text = "reference,booked\n" + "\n".join(dice.shuffled(lines)) + "\n"
        return Fixture((text_of(env["register"], text),))

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, tolerance, names, order."""
        return (
            outputs("differences", theme, "differences.csv", "deviations.csv", "open_items.csv"),
            outputs("balance", theme, "balance.json", "totals.json", "result.json"),
            choice(
                "tolerance",
                ("0", "exactly equal"),
                ("25", "at most 0.25 apart"),
                ("50", "at most 0.50 apart"),
            ),
            choice(
                "kinds",
                ("missing,unknown,differs", "`missing`, `unknown`, `differs`"),
                ("not-booked,extra,deviates", "`not-booked`, `extra`, `deviates`"),
            ),
            choice(
                "difference_order",
                ("id", "lines by reference"),
                ("size", "lines by size of the difference, largest first, ties by reference"),
            ),
            choice(
                "sign",
                ("ours", "ours minus theirs"),
                ("theirs", "theirs minus ours"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f, path = view.pick, view.fields, view.env["register"]
        missing, unknown, differs = p["kinds"].split(",")
        tolerance = {
            "0": "exactly equal",
            "25": "at most 0.25 apart",
            "50": "at most 0.50 apart",
        }[p["tolerance"]]
        order = {
            "id": "lines by reference",
            "size": "lines by size of the difference, largest first, ties by reference",
        }[p["difference_order"]]
        sign = {"ours": "ours minus theirs", "theirs": "theirs minus ours"}[p["sign"]]
        return (
            (
                f"The register `{path}` (CSV, `reference` and `booked`) has its own figures for "
                f"the same {f.plural}. Compare the table with it and write `{p['differences']}`.",
                f"Compare the table with the register `{path}`, a CSV with `reference` (the "
                f"{f.words[0]}) and `booked` (the {f.words[3]}), and report in "
                f"`{p['differences']}`.",
            ),
            (
                f"That CSV has the columns `reference`, `kind`, `ours`, `theirs`, `difference`; "
                f"the kinds are `{missing}`, `{unknown}`, `{differs}`: in the table only, in the "
                "register only, in both with another figure.",
                f"Columns: `reference`, `kind`, `ours`, `theirs`, `difference`. A kind is one of "
                f"`{missing}`, `{unknown}`, `{differs}` (only in the table, only in the register, "
                "in both but not the same).",
            ),
            (
                f"Figures count as the same if they are {tolerance}; what agrees is not listed.",
                f"Leave out what agrees, that is figures {tolerance}.",
            ),
            (
                f"Figures have two decimals, a side without one stays empty and counts as 0 in the "
                f"difference, which is {sign} (a minus in front of negative ones); {order}, the "
                "size being taken without its sign.",
                f"The difference is {sign}, with two decimals like all figures and a leading minus "
                "where negative; a missing side is left empty and counts as 0. "
                f"Put the {order} (size without sign).",
            ),
            (
                f"`{p['balance']}` is a JSON object with `ours`, `theirs`, `difference` (sums over "
                f"everything, as strings with two decimals, {sign}), `agreed` (how many "
                "references agree) and `kinds` (an object with the number of lines of each kind).",
                f"Also write `{p['balance']}`: JSON with the sums of everything, `ours`, `theirs` "
                f"and `difference` ({sign}; strings with two decimals), with `agreed`, the number "
                "of references that agree, and `kinds`, an object giving the lines of each kind.",
            ),
        )

    def solve(self, view: View) -> str:
        """Two dicts."""
        p = view.pick
        missing, unknown, differs = p["kinds"].split(",")
        order = {"id": "line[0]", "size": "(-abs(line[4]), line[0])"}[p["difference_order"]]
        sign = {"ours": "ours - theirs", "theirs": "theirs - ours"}[p["sign"]]
        return fill(
            """
REGISTER = @register@
DIFFERENCES = Path(@differences@)
BALANCE = Path(@balance@)
TOLERANCE = @tolerance@
for path in (DIFFERENCES, BALANCE):
    path.parent.mkdir(parents=True, exist_ok=True)


def apart(ours, theirs):
    return @sign@


table = {row[0]: row[3] for row in rows}
with open(REGISTER, encoding="utf-8", newline="") as source:
    register = {
        line["reference"]: int(line["booked"].replace(".", "")) for line in csv.DictReader(source)
    }
lines = []
for key in sorted(table.keys() | register.keys()):
    ours, theirs = table.get(key), register.get(key)
    if theirs is None:
        kind = @missing@
    elif ours is None:
        kind = @unknown@
    elif abs(ours - theirs) > TOLERANCE:
        kind = @differs@
    else:
        continue
    lines.append((key, kind, ours, theirs, apart(ours or 0, theirs or 0)))
lines.sort(key=lambda line: @order@)
with DIFFERENCES.open("w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(["reference", "kind", "ours", "theirs", "difference"])
    for key, kind, *figures in lines:
        writer.writerow([key, kind, *("" if x is None else decimal(x) for x in figures)])
kinds = {kind: sum(line[1] == kind for line in lines) for kind in @kinds@}
ours, theirs = sum(table.values()), sum(register.values())
balance = {
    "ours": decimal(ours),
    "theirs": decimal(theirs),
    "difference": decimal(apart(ours, theirs)),
    "agreed": len(table.keys() | register.keys()) - len(lines),
    "kinds": kinds,
}
BALANCE.write_text(json.dumps(balance, indent=2) + "\\n", encoding="utf-8")
""",
            register=view.env["register"],
            differences=p["differences"],
            balance=p["balance"],
            tolerance=int(p["tolerance"]),
            missing=missing,
            unknown=unknown,
            differs=differs,
            kinds=[missing, unknown, differs],
            order=Raw(order),
            sign=Raw(sign),
        )

    def helpers(self, view: View) -> str:
        """Expected lines by set algebra."""
        p = view.pick
        missing, unknown, differs = p["kinds"].split(",")
        return fill(
            """
REGISTER = @register@
DIFFERENCES = @differences@
BALANCE = @balance@


def sides():
    theirs = {}
    for line in there(REGISTER).splitlines()[1:]:
        key, _, figure = line.partition(",")
        theirs[key] = in_hundredths(figure)
    return {row[0]: row[3] for row in ROWS()}, theirs


def apart(ours, theirs):
    return (ours - theirs) * @factor@


def expected_lines():
    ours, theirs = sides()
    lines = {k: (@missing@, ours[k], None) for k in ours.keys() - theirs.keys()}
    lines.update({k: (@unknown@, None, theirs[k]) for k in theirs.keys() - ours.keys()})
    for key in ours.keys() & theirs.keys():
        if not -@tolerance@ <= ours[key] - theirs[key] <= @tolerance@:
            lines[key] = (@differs@, ours[key], theirs[key])
    return lines


def size(key):
    kind, ours, theirs = expected_lines()[key]
    return abs((ours or 0) - (theirs or 0))


def differences():
    lines = list(csv.reader(io.StringIO(there(DIFFERENCES))))
    assert len(lines) > 1, f"{DIFFERENCES} has no lines"
    return lines[0], lines[1:]


def column(index):
    return {x[0]: x[index] for x in differences()[1] if len(x) == 5}


def balance():
    try:
        return json.loads(there(BALANCE))
    except ValueError as error:
        raise AssertionError(f"{BALANCE} is no JSON: {error}") from None


def figure(value):
    return "" if value is None else money(value)
""",
            register=view.env["register"],
            differences=p["differences"],
            balance=p["balance"],
            factor=1 if p["sign"] == "ours" else -1,
            tolerance=int(p["tolerance"]),
            missing=missing,
            unknown=unknown,
            differs=differs,
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Lines by part, order, balance."""
        p = view.pick
        missing, unknown, differs = p["kinds"].split(",")
        order = {"id": "sorted(known)", "size": "sorted(known, key=lambda k: (-size(k), k))"}
        kinds = (("missing", missing), ("unknown", unknown), ("differs", differs))
        return (
            Check(
                "differences-header",
                "The report of differences has the demanded columns",
                "expected = ['reference', 'kind', 'ours', 'theirs', 'difference']\n"
                "assert differences()[0] == expected, f'header of {DIFFERENCES}'",
            ),
            *(
                Check(
                    f"differences-{name}",
                    f"Exactly the right references are reported as {kind}",
                    f"actual = sorted(k for k, v in column(1).items() if v == {kind!r})\n"
                    f"expected = sorted(k for k, v in expected_lines().items() if v[0] == {kind!r})"
                    f"\nassert actual == expected, f'{kind} in {{DIFFERENCES}}'",
                )
                for name, kind in kinds
            ),
            *(
                Check(
                    f"differences-{name}",
                    f"Each line shows our figure and theirs: {name}",
                    f"actual = column({index})\n"
                    f"expected = {{k: figure(v[{index - 1}]) for k, v in expected_lines().items() "
                    "if k in actual}\n"
                    f"assert actual and actual == expected, f'{name} in {{DIFFERENCES}}'",
                )
                for name, index in (("ours", 2), ("theirs", 3))
            ),
            Check(
                "differences-difference",
                "Each line shows the difference with the demanded sign",
                "actual = column(4)\n"
                "expected = {k: money(apart(v[1] or 0, v[2] or 0)) "
                "for k, v in expected_lines().items() if k in actual}\n"
                "assert actual and actual == expected, f'differences in {DIFFERENCES}'",
            ),
            Check(
                "differences-order",
                "The lines stand in the demanded order",
                "known = set(expected_lines())\n"
                "actual = [x[0] for x in differences()[1] if x[0] in known]\n"
                f"expected = [k for k in {order[p['difference_order']]} if k in actual]\n"
                "assert actual and actual == expected, f'order of {DIFFERENCES}'",
            ),
            Check(
                "balance-sums",
                "The balance sums both sides",
                "ours, theirs = sides()\n"
                "found = balance()\n"
                "actual = [found.get('ours'), found.get('theirs')]\n"
                "expected = [money(sum(ours.values())), money(sum(theirs.values()))]\n"
                "assert actual == expected, f'sums in {BALANCE}'",
            ),
            Check(
                "balance-difference",
                "The balance shows the difference of the sums",
                "ours, theirs = sides()\n"
                "expected = money(apart(sum(ours.values()), sum(theirs.values())))\n"
                "assert balance().get('difference') == expected, f'difference in {BALANCE}'",
            ),
            Check(
                "balance-agreed",
                "The balance counts what agrees",
                "ours, theirs = sides()\n"
                "expected = len(set(ours) | set(theirs)) - len(expected_lines())\n"
                "assert balance().get('agreed') == expected, f'agreed in {BALANCE}'",
            ),
            Check(
                "balance-kinds",
                "The balance counts the lines of each kind",
                "count = Counter(v[0] for v in expected_lines().values())\n"
                f"expected = {{k: count[k] for k in {[missing, unknown, differs]!r}}}\n"
                "assert balance().get('kinds') == expected, f'kinds in {BALANCE}'",
            ),
        )
