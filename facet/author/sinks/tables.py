"""Figures per group, a month pivot, and the largest records."""

from facet.author.choice import Choice, choice
from facet.author.recipe import Check, NoMaterial, Raw, View, fill
from facet.author.themes import Theme

_SUMMARIES = ("summary.csv", "by_group.csv", "figures.csv")
_PIVOTS = ("months.csv", "pivot.csv", "by_month.csv")


class Summary(NoMaterial):
    """Figures per group, a month pivot, and the largest records."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, names, rounding, order, length."""
        out = theme.outs
        return (
            choice("summary", *((f"{o}/{n}", f"`{o}/{n}`") for o in out for n in _SUMMARIES)),
            choice("pivot", *((f"{o}/{n}", f"`{o}/{n}`") for o in out for n in _PIVOTS)),
            choice(
                "summary_names",
                ("count,sum,mean,last", "`count`, `sum`, `mean`, `last`"),
                ("n,total,average,latest", "`n`, `total`, `average`, `latest`"),
                ("number,amount,avg,newest", "`number`, `amount`, `avg`, `newest`"),
            ),
            choice(
                "summary_order",
                ("name", "in alphabetical order of their names"),
                ("sum", "by their sum, largest first"),
            ),
            choice(
                "rounding",
                ("half", "rounded half up to two decimals"),
                ("down", "cut off after two decimals, not rounded"),
            ),
            choice("top", *((n, f"the {n} largest") for n in ("3", "5", "8"))),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        group, day, number = f.words[1], f.words[2], f.words[3]
        names = ", ".join(f"`{n}`" for n in p["summary_names"].split(","))
        order = {
            "name": "in alphabetical order of their names",
            "sum": "by their sum, largest first",
        }[p["summary_order"]]
        rounding = {
            "half": "rounded half up to two decimals",
            "down": "cut off after two decimals, not rounded",
        }[p["rounding"]]
        return (
            (
                f"Then summarise it by {group} in `{p['summary']}` (CSV): columns `{f.noun}_group`"
                f", {names}, that is the {group}, how many {f.plural}, sum and mean of the "
                f"{number}, and the latest {day}.",
                f"A CSV summary `{p['summary']}` has one line per {group} with the columns "
                f"`{f.noun}_group`, {names}: name, how many {f.plural}, sum and mean of the "
                f"{number}, latest {day}.",
                f"`{p['summary']}` is a CSV with `{f.noun}_group`, {names} for each {group} "
                f"(its name, the count of {f.plural}, sum and mean of the {number}, and the most "
                f"recent {day}).",
            ),
            (
                f"Sums have two decimals, the mean is {rounding}, days are `YYYY-MM-DD`.",
                f"In the summary a day is `YYYY-MM-DD`, a sum has two decimals and the mean is "
                f"{rounding}.",
                f"Two decimals for the sum; the mean is {rounding}; the day as `YYYY-MM-DD`.",
            ),
            (
                f"The lines come {order}; a last line named `ALL` gives the same figures over "
                "everything.",
                f"List the groups {order} and close with a line `ALL` over all of them.",
                f"Groups stand {order}, followed by one line `ALL` for the whole.",
            ),
            (
                f"`{p['pivot']}` (CSV) shows sums by month: first column `month` (`YYYY-MM`, "
                f"ascending, only months that occur), then one column per {group} in alphabetical "
                "order, two decimals, `0.00` where there is nothing.",
                f"Also a month table `{p['pivot']}` in CSV: `month` as `YYYY-MM`, then a column "
                f"for every {group} (alphabetical) with the sum, two decimals, `0.00` for none; "
                "months ascending, those without data left out.",
                f"And `{p['pivot']}`, CSV: a line per month that occurs (`month`, as `YYYY-MM`, "
                f"ascending), a column per {group} in alphabetical order, sums with two decimals, "
                "`0.00` if nothing fell into it.",
            ),
            (
                f"Beside it, `{_top(p['pivot'])}` names {f'the {p["top"]} largest'} {f.plural} by "
                f"{number}, one {f.words[0]} per line, largest first, ties by {f.words[0]}.",
                f"Write the {f.words[0]}s of {f'the {p["top"]} largest'} {f.plural} ({number}) to "
                f"`{_top(p['pivot'])}`, one a line, largest first, ties by {f.words[0]}.",
            ),
        )

    def solve(self, view: View) -> str:
        """Sums with defaultdict."""
        p = view.pick
        mean = {
            "half": "(2 * total + count) // (2 * count)",
            "down": "total // count",
        }[p["rounding"]]
        order = {"name": "name", "sum": "(-sum(r[3] for r in rows if r[1] == name), name)"}
        return fill(
            """
SUMMARY = @summary@
PIVOT = @pivot@
TOP = @top@
for path in (SUMMARY, PIVOT, TOP):
    Path(path).parent.mkdir(parents=True, exist_ok=True)


def figures(name, chosen):
    count, total = len(chosen), sum(row[3] for row in chosen)
    mean = @mean@
    return [name, count, decimal(total), decimal(mean), max(row[2] for row in chosen)]


with open(SUMMARY, "w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(@header@)
    for name in sorted(groups, key=lambda name: @order@):
        writer.writerow(figures(name, [row for row in rows if row[1] == name]))
    writer.writerow(figures("ALL", rows))

cells = defaultdict(int)
for key, group, day, value, text in rows:
    cells[day[:7], group] += value
with open(PIVOT, "w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(["month", *groups])
    for month in sorted({month for month, _ in cells}):
        writer.writerow([month, *(decimal(cells[month, group]) for group in groups)])

largest = sorted(rows, key=lambda row: (-row[3], row[0]))[:@count@]
Path(TOP).write_text("".join(row[0] + "\\n" for row in largest), encoding="utf-8")
""",
            summary=p["summary"],
            pivot=p["pivot"],
            top=_top(p["pivot"]),
            header=[f"{view.fields.noun}_group", *p["summary_names"].split(",")],
            mean=Raw(mean),
            order=Raw(order[p["summary_order"]]),
            count=int(p["top"]),
        )

    def helpers(self, view: View) -> str:
        """Read both tables."""
        p = view.pick
        return fill(
            """
SUMMARY = @summary@
PIVOT = @pivot@
TOP = @top@
HEADER = @header@


def summary():
    lines = list(csv.reader(io.StringIO(there(SUMMARY))))
    assert len(lines) > 1, f"{SUMMARY} has no lines"
    return lines[0], lines[1:]


def figure(index):
    found = {line[0]: line[index] for line in summary()[1] if len(line) == 5 and line[0] != "ALL"}
    assert found, f"{SUMMARY} has no groups"
    return found


def members(group):
    return [row for row in ROWS() if row[1] == group]


def mean(rows):
    whole, rest = divmod(sum(row[3] for row in rows), len(rows))
    return money(whole + (1 if @up@ and 2 * rest >= len(rows) else 0))


def pivot():
    lines = list(csv.reader(io.StringIO(there(PIVOT))))
    assert len(lines) > 1, f"{PIVOT} has no lines"
    return lines
""",
            summary=p["summary"],
            pivot=p["pivot"],
            top=_top(p["pivot"]),
            header=[f"{view.fields.noun}_group", *p["summary_names"].split(",")],
            up=p["rounding"] == "half",
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Each column, the order, the closing line, the pivot, the largest."""
        p, f = view.pick, view.fields
        group = f.words[1]
        order = {
            "name": "GROUPS()",
            "sum": "sorted(GROUPS(), key=lambda g: (-sum(r[3] for r in members(g)), g))",
        }[p["summary_order"]]
        columns = (
            ("count", 1, f"how many {f.plural}", "str(len(members(g)))"),
            ("sum", 2, f"the sum of the {f.words[3]}", "money(sum(r[3] for r in members(g)))"),
            ("mean", 3, f"the mean {f.words[3]}", "mean(members(g))"),
            ("latest", 4, f"the latest {f.words[2]}", "max(r[2] for r in members(g))"),
        )
        return (
            Check(
                "summary-header",
                "The summary has the columns that were asked for",
                'assert summary()[0] == HEADER, f"header of {SUMMARY}"',
            ),
            *(
                Check(
                    f"summary-{name}",
                    f"The summary gives {what} per {group}",
                    f"actual = figure({index})\nexpected = {{g: {value} for g in GROUPS()}}\n"
                    f'assert actual == expected, f"column {index + 1} of {{SUMMARY}}"',
                )
                for name, index, what, value in columns
            ),
            Check(
                "summary-order",
                "The groups of the summary stand in the demanded order",
                fill(
                    """
actual = [line[0] for line in summary()[1] if line[0] != "ALL"]
assert actual == @order@, f"order of {SUMMARY}"
""",
                    order=Raw(order),
                ),
            ),
            Check(
                "summary-all",
                "The last line of the summary, ALL, covers everything",
                "actual = summary()[1][-1]\n"
                "expected = ['ALL', str(len(ROWS())), money(sum(r[3] for r in ROWS())), "
                "mean(ROWS()), max(r[2] for r in ROWS())]\n"
                'assert actual == expected, f"last line of {SUMMARY}"',
            ),
            Check(
                "pivot-header",
                f"The month table has a column per {group}",
                'assert pivot()[0] == ["month", *GROUPS()], f"header of {PIVOT}"',
            ),
            Check(
                "pivot-months",
                "The month table has the months that occur, ascending",
                "actual = [line[0] for line in pivot()[1:]]\n"
                'assert actual == sorted({r[2][:7] for r in ROWS()}), f"months in {PIVOT}"',
            ),
            Check(
                "pivot-cells",
                "Every cell of the month table is right",
                """
lines = pivot()
actual = {(line[0], g): v for line in lines[1:] for g, v in zip(lines[0][1:], line[1:])}
expected = {}
for month in {r[2][:7] for r in ROWS()}:
    for g in GROUPS():
        expected[month, g] = money(sum(r[3] for r in members(g) if r[2].startswith(month)))
assert actual == expected, f"cells of {PIVOT}"
""",
            ),
            Check(
                "largest",
                f"The largest {f.plural} are listed, largest first",
                fill(
                    """
expected = sorted(ROWS(), key=lambda r: r[0])
expected = sorted(expected, key=lambda r: r[3], reverse=True)[:@count@]
assert there(TOP).split("\\n")[:-1] == [r[0] for r in expected], f"lines of {TOP}"
""",
                    count=int(p["top"]),
                ),
            ),
        )


def _top(pivot: str) -> str:
    return pivot.rpartition("/")[0] + "/largest.txt"
