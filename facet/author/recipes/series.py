"""Time series: add up partial readings with gaps and sentinels; make a daily series."""

from collections.abc import Mapping

from facet.author.choice import Choice, choice
from facet.author.dice import Dice
from facet.author.recipe import (
    Check,
    Fixture,
    Item,
    NoMaterial,
    Raw,
    Recipe,
    View,
    fill,
    outputs,
    spots,
    text_of,
    ticks,
)
from facet.author.themes import Theme


class Readings:
    """Fixed-width lines in an old encoding; a device writes -9999 when it has no reading."""

    reasons: tuple[tuple[str, str], ...] = (
        ("sentinel", "the number is the sentinel `-9999`"),
        ("test-run", "the line ends with `T`, the mark of a test run"),
    )
    ref = "the line number in the file, the header being line 1"

    def places(self, theme: Theme) -> tuple[Choice, ...]:
        """The file."""
        return (spots("readings", theme, "_readings.dat"),)

    def build(self, theme: Theme, env: Mapping[str, str], items: list[Item], dice: Dice) -> Fixture:
        """Columns of fixed width, Latin-1."""
        names = theme.fields.variants[int(env["raw"])]
        lines = [_line(names, "")]
        for index, item in enumerate(items):
            values = list(item.parts())
            mark = ""
            if index in (4, 22):
                values[3] = "-9999"
            if index in (10, 22, 30):
                mark = "T"
            lines.append(_line((values[0], values[1], values[2], values[3], values[4]), mark))
            if index in (14, 27):
                lines.append("")
        data = ("\r\n".join(lines) + "\r\n").encode("latin-1", "replace")
        file = text_of(env["readings"], "").model_copy(update={"data": data})
        note = f"{env['readings']}.txt"
        text = (
            f"Columns: {', '.join(names)}\nStart at character 1, 14, 32, 46, 60; mark at 92.\n"
            "Encoding: ISO 8859-1, lines end with CR LF.\n"
        )
        return Fixture((file, text_of(note, text)))

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """Widths and encoding."""
        path, names = view.env["readings"], ticks(view.raw)
        return (
            (
                f"A device wrote `{path}` in fixed columns (ISO 8859-1, lines end with CR LF); "
                f"`{path}.txt` beside it tells where the columns {names} begin.",
                f"`{path}` has fixed-width columns {names}, is encoded in ISO 8859-1 and has CR LF "
                f"line ends; see `{path}.txt` for the positions.",
            ),
            (
                "Empty lines mean nothing but count as lines. All results are UTF-8 with LF.",
                "Skip empty lines (they still count when lines are numbered); whatever you write "
                "is UTF-8 with LF line ends.",
            ),
        )

    def solve(self, view: View) -> str:
        """Slices."""
        return fill(
            """
READINGS = @path@
lines = Path(READINGS).read_bytes().decode("latin-1").split("\\r\\n")
names = [lines[0][a:b].strip() for a, b in ((0, 13), (13, 31), (31, 45), (45, 59), (59, 91))]
at = [names.index(name) for name in @names@]
for number, line in enumerate(lines[1:], start=2):
    if not line:
        continue
    parts = [line[a:b] for a, b in ((0, 13), (13, 31), (31, 45), (45, 59), (59, 91))]
    if parts[3].strip() == "-9999":
        refused.append((str(number), "sentinel"))
    elif line[91:].strip() == "T":
        refused.append((str(number), "test-run"))
    else:
        items.append((str(number), *(parts[i] for i in at)))
""",
            path=view.env["readings"],
            names=list(view.raw),
        )

    def expect(self, view: View) -> str:
        """Bytes first."""
        return fill(
            """
def material():
    path = @path@
    assert os.path.isfile(path), f"{path} is missing"
    items, refused = [], []
    for number, line in enumerate(Path(path).read_bytes().split(b"\\r\\n"), start=1):
        if number == 1 or line == b"":
            continue
        text = line.decode("iso-8859-1")
        match = re.fullmatch(r"(.{13})(.{18})(.{14})(.{14})(.{32})(.*)", text)
        if match[4].split() == ["-9999"]:
            refused.append((str(number), "sentinel"))
        elif match[6][:1] == "T":
            refused.append((str(number), "test-run"))
        else:
            items.append((str(number), *match.groups()[:5]))
    return items, refused
""",
            path=view.env["readings"],
        )


def _line(values: tuple[str, str, str, str, str], mark: str) -> str:
    widths = (13, 18, 14, 14, 32)
    cells = [v[: w - 1].ljust(w) for v, w in zip(values, widths, strict=True)]
    return "".join(cells) + mark


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


SERIES = Recipe(
    name="series",
    title="clean and resample time series",
    family="time series",
    patterns=(
        r"\btime[- ]?series\b",
        r"\b(moving average|rolling (mean|window)|resampl\w+|daily (totals|figures|series))\b",
        r"\b(sensor|telemetry|metrics?|weather|temperature|price|usage|heart rate|sleep)\b.{0,40}"
        r"\b(data|history|readings?|trends?|log|values)\b",
        r"\b(trend|anomal\w+|forecast\w*|track\w*)\b.{0,40}\b(over time|daily|history|metrics)\b",
    ),
    source=Readings(),
    sink=Daily(),
    source_title="decode the device's readings",
    sink_title="make a gapless daily series",
)
