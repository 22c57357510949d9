"""A gapless daily series with a moving mean, a running sum, and notable days."""

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


class Daily(NoMaterial):
    """A gapless daily series with a moving mean, a running sum, and notable days."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, window, rounding, limit, week."""
        return (
            outputs("series_path", theme, "daily.csv", "series.csv", "days.csv"),
            outputs("notable", theme, "notable.json", "peaks.json", "facts.json"),
            choice(
                "window",
                *((n, f"the last {n} days") for n in ("3", "5", "7")),
            ),
            choice(
                "mean_rounding",
                ("half", "a mean is rounded half up"),
                ("down", "a mean is cut off"),
            ),
            choice(
                "gap",
                ("0.00", "a day without any has `0.00`"),
                ("", "a day without any has an empty sum, counting as 0"),
            ),
            choice(
                "quiet",
                ("longest", "the longest run of days without any"),
                ("last", "the last run of days without any"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        rounding = {"half": "a mean is rounded half up", "down": "a mean is cut off"}
        gap = {
            "0.00": "a day without any has `0.00`",
            "": "a day without any has an empty sum, counting as 0",
        }
        quiet = {
            "longest": "the longest run of days without any",
            "last": "the last run of days without any",
        }[p["quiet"]]
        earliest = " (the earliest of several)" if p["quiet"] == "longest" else ""
        return (
            (
                f"Make a daily series of the {f.words[3]}: `{p['series_path']}`, CSV with `day`, "
                "`count`, `sum`, `mean`, `running`, one line for every calendar day from the "
                f"first to the last {f.words[2]}.",
                f"From the table derive the CSV `{p['series_path']}` with `day`, `count`, `sum`, "
                f"`mean`, `running`: a line per calendar day, without gaps, from the first "
                f"{f.words[2]} to the last.",
            ),
            (
                f"`count` and `sum` are those of the day ({gap[p['gap']]}); `mean` is the mean of "
                f"the daily sums over the last {p['window']} days including this one (fewer at the "
                "beginning); `running` is the sum since the first day.",
                f"Per day give how many {f.plural} (`count`), their `sum` ({gap[p['gap']]}), the "
                f"`mean` of daily sums over the last {p['window']} days up to this day, fewer at "
                "the start, and the `running` sum.",
            ),
            (
                f"Days are `YYYY-MM-DD`, figures have two decimals; {rounding[p['mean_rounding']]} "
                "after the second.",
                f"All figures but the count have two decimals ({rounding[p['mean_rounding']]} "
                "after the second), days are `YYYY-MM-DD`.",
            ),
            (
                f"`{p['notable']}` is a JSON object with `peak_day` and `peak_sum` (the day with "
                "the largest sum, the earliest of several), `busiest` (the day with the most "
                f"{f.plural}, the earliest of several), `weekdays` (an object from `Mon` to `Sun` "
                "with the sum per weekday, all seven), and `quiet`.",
                f"A JSON object `{p['notable']}` names `peak_day` and `peak_sum` (largest daily "
                f"sum, earliest wins), `busiest` (most {f.plural}, earliest wins), `weekdays` "
                "(sums from `Mon` to `Sun`, always seven) and `quiet`.",
            ),
            (
                f"`quiet` is an object with `from`, `to`, `days` for {quiet}{earliest}. Sums in "
                "it are strings with two decimals.",
                f"In it, sums are strings with two decimals, and `quiet` describes {quiet}"
                f"{earliest} by `from`, `to` and `days`.",
            ),
        )

    def solve(self, view: View) -> str:
        """A loop over days."""
        p = view.pick
        mean = {"half": "(2 * total + size) // (2 * size)", "down": "total // size"}
        choose = {
            "longest": "max(runs, key=lambda run: len(run))",
            "last": "runs[-1]",
        }[p["quiet"]]
        return fill(
            """
SERIES = Path(@series@)
NOTABLE = Path(@notable@)
WINDOW = @window@
for path in (SERIES, NOTABLE):
    path.parent.mkdir(parents=True, exist_ok=True)

sums, counts = defaultdict(int), defaultdict(int)
for row in rows:
    sums[row[2]] += row[3]
    counts[row[2]] += 1
first, last = date.fromisoformat(min(sums)), date.fromisoformat(max(sums))
days = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
running, out = 0, []
for index, day in enumerate(days):
    running += sums[day] if day in sums else 0
    window = days[max(0, index - WINDOW + 1) : index + 1]
    total, size = sum(sums.get(d, 0) for d in window), len(window)
    shown = decimal(sums[day]) if day in counts else @gap@
    out.append([day, counts.get(day, 0), shown, decimal(@mean@), decimal(running)])
with SERIES.open("w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file, lineterminator="\\n")
    writer.writerow(["day", "count", "sum", "mean", "running"])
    writer.writerows(out)

runs, run = [], []
for day in days:
    if day in counts:
        if run:
            runs.append(run)
        run = []
    else:
        run.append(day)
quiet = @choose@
names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
weekdays = dict.fromkeys(names, 0)
for day in counts:
    weekdays[names[date.fromisoformat(day).weekday()]] += sums[day]
peak = min(counts, key=lambda day: (-sums[day], day))
notable = {
    "peak_day": peak,
    "peak_sum": decimal(sums[peak]),
    "busiest": min(counts, key=lambda day: (-counts[day], day)),
    "weekdays": {name: decimal(value) for name, value in weekdays.items()},
    "quiet": {"from": quiet[0], "to": quiet[-1], "days": len(quiet)},
}
NOTABLE.write_text(json.dumps(notable, indent=2) + "\\n", encoding="utf-8")
""",
            series=p["series_path"],
            notable=p["notable"],
            window=int(p["window"]),
            gap=p["gap"],
            mean=Raw(mean[p["mean_rounding"]]),
            choose=Raw(choose),
        )

    def helpers(self, view: View) -> str:
        """Expected values by date arithmetic."""
        p = view.pick
        return fill(
            """
SERIES = @series@
NOTABLE = @notable@


def all_days():
    first, last = (date.fromisoformat(f(r[2] for r in ROWS())).toordinal() for f in (min, max))
    return [str(date.fromordinal(n)) for n in range(first, last + 1)]


def on(day):
    return [r[3] for r in ROWS() if r[2] == day]


@lru_cache(maxsize=None)
def sums():
    return {day: sum(on(day)) for day in all_days()}


def mean(day):
    days = [d for d in all_days() if d <= day][-@window@:]
    whole, rest = divmod(sum(sums()[d] for d in days), len(days))
    return money(whole + (1 if @up@ and 2 * rest >= len(days) else 0))


def gaps():
    found, busy = [], [date.fromisoformat(d).toordinal() for d in all_days() if on(d)]
    for before, after in zip(busy, busy[1:]):
        if after - before > 1:
            days = (str(date.fromordinal(before + 1)), str(date.fromordinal(after - 1)))
            found.append({"from": days[0], "to": days[1], "days": after - before - 1})
    return found


def series():
    lines = list(csv.reader(io.StringIO(there(SERIES))))
    assert len(lines) > 1, f"{SERIES} has no lines"
    return lines[0], lines[1:]


def column(index):
    found = {x[0]: x[index] for x in series()[1] if len(x) == 5}
    assert found, f"{SERIES} has no lines of five values"
    return {day: value for day, value in found.items() if day in sums()}


def notable(key):
    try:
        return json.loads(there(NOTABLE)).get(key)
    except ValueError as error:
        raise AssertionError(f"{NOTABLE} is no JSON: {error}") from None
""",
            series=p["series_path"],
            notable=p["notable"],
            window=int(p["window"]),
            up=p["mean_rounding"] == "half",
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Columns of the series, keys of the facts."""
        p, f = view.pick, view.fields
        columns = (
            ("count", 1, f"how many {f.plural}", "str(len(on(d)))"),
            ("sum", 2, "the sum", f"money(sums()[d]) if on(d) else {p['gap']!r}"),
            ("mean", 3, f"the mean over {p['window']} days", "mean(d)"),
            ("running", 4, "the running sum", "money(sum(v for k, v in sums().items() if k <= d))"),
        )
        quiet = {
            "longest": "max(gaps(), key=lambda g: g['days'])",
            "last": "gaps()[-1]",
        }[p["quiet"]]
        return (
            Check(
                "series-header",
                "The series has the demanded columns",
                "expected = ['day', 'count', 'sum', 'mean', 'running']\n"
                "assert series()[0] == expected, f'header of {SERIES}'",
            ),
            Check(
                "series-days",
                "The series has every calendar day once, in order",
                "assert [x[0] for x in series()[1]] == all_days(), f'days in {SERIES}'",
            ),
            *(
                Check(
                    f"series-{name}",
                    f"Each day shows {what}",
                    f"actual = column({index})\n"
                    f"expected = {{d: {value} for d in actual}}\n"
                    f"assert actual and actual == expected, f'{name} in {{SERIES}}'",
                )
                for name, index, what, value in columns
            ),
            Check(
                "notable-peak",
                "The day with the largest sum is named",
                "peak = max(sums().values())\n"
                "expected = [min(d for d, v in sums().items() if v == peak), money(peak)]\n"
                "assert [notable('peak_day'), notable('peak_sum')] == expected, "
                "f'peak in {NOTABLE}'",
            ),
            Check(
                "notable-busiest",
                f"The day with the most {f.plural} is named",
                "most = max(len(on(d)) for d in all_days())\n"
                "expected = next(d for d in all_days() if len(on(d)) == most)\n"
                "assert notable('busiest') == expected, f'busiest in {NOTABLE}'",
            ),
            Check(
                "notable-weekdays",
                "The sums per weekday are right",
                "names = 'Mon Tue Wed Thu Fri Sat Sun'.split()\n"
                "expected = {n: money(sum(v for d, v in sums().items() "
                "if date.fromisoformat(d).isoweekday() == i)) for i, n in enumerate(names, 1)}\n"
                "assert notable('weekdays') == expected, f'weekdays in {NOTABLE}'",
            ),
            Check(
                "notable-quiet",
                "The quiet days are the demanded ones",
                f"assert notable('quiet') == {quiet}, f'quiet in {{NOTABLE}}'",
            ),
        )
