"""One log per month in logfmt, a list of alerts, an index."""

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


class Events(NoMaterial):
    """One log per month in logfmt, a list of alerts, an index."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Folder, level names, limit, index."""
        return (
            outputs("events_folder", theme, "events", "eventlog", "monthly"),
            outputs("alerts_path", theme, "alerts.txt", "watch.txt", "high.txt"),
            choice(
                "levels",
                ("WARN", "level `WARN`, all others `INFO`"),
                ("ALERT", "level `ALERT`, all others `NOTE`"),
                ("HIGH", "level `HIGH`, all others `LOW`"),
            ),
            choice(
                "limit",
                *((str(n * 100), f"{n}.00 or more") for n in (200, 250, 300)),
            ),
            choice(
                "alert_order",
                ("old", "oldest first"),
                ("high", "highest first"),
            ),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        folder, limit = p["events_folder"], int(p["limit"]) // 100
        low = {"WARN": "INFO", "ALERT": "NOTE", "HIGH": "LOW"}[p["levels"]]
        order = {"old": "oldest first", "high": "highest first"}[p["alert_order"]]
        return (
            (
                f"From the table make one log per month below `{folder}`, named like `2024-03.log`"
                f", with a line per {f.noun}.",
                f"`{folder}` gets a file per month that occurs (`2024-03.log` and so on), a line "
                f"for each {f.noun}.",
                f"Turn the table into monthly logs `{folder}` (files such as `2024-03.log`), one "
                f"line per {f.noun}.",
            ),
            (
                f'A line reads `DAY LEVEL id=ID group=GROUP value=VALUE text="TEXT"`, with the '
                f"{f.words[2]} as `YYYY-MM-DD` and the {f.words[3]} with two decimals; lines go by "
                f"day, then by {f.words[0]}.",
                f'Each line is `DAY LEVEL id=ID group=GROUP value=VALUE text="TEXT"` (day as '
                f"`YYYY-MM-DD`, value with two decimals), ordered by day and {f.words[0]}.",
            ),
            (
                f"A {f.words[3]} of {limit}.00 or more makes the level `{p['levels']}`, all "
                f"others `{low}`.",
                f"Where the {f.words[3]} is {limit}.00 or more, write level `{p['levels']}`, all "
                f"others `{low}`.",
            ),
            (
                f"`{p['alerts_path']}` repeats the lines of the upper level, {order} (ties by "
                f"{f.words[0]}).",
                f"Copy the lines of the upper level to `{p['alerts_path']}`, {order}; ties by "
                f"{f.words[0]}.",
            ),
            (
                f"`{folder}/index.tsv` has a line per log: file name, number of lines, sum of the "
                "values with two decimals, separated by tabs, by name, no header.",
                f"Add `{folder}/index.tsv`: for every log its name, its number of lines and the "
                "sum of its values (two decimals), tab-separated and sorted by name, without "
                "header.",
            ),
        )

    def solve(self, view: View) -> str:
        """Group by month."""
        p = view.pick
        low = {"WARN": "INFO", "ALERT": "NOTE", "HIGH": "LOW"}[p["levels"]]
        order = {"old": "(row[2], row[0])", "high": "(-row[3], row[0])"}[p["alert_order"]]
        return fill(
            """
EVENTS = Path(@folder@)
ALERTS = Path(@alerts@)
LIMIT = @limit@
EVENTS.mkdir(parents=True, exist_ok=True)
ALERTS.parent.mkdir(parents=True, exist_ok=True)


def line(row):
    key, group, day, value, text = row
    level = @high@ if value >= LIMIT else @low@
    return f'{day} {level} id={key} group={group} value={decimal(value)} text="{text}"\\n'


months = defaultdict(list)
for row in sorted(rows, key=lambda row: (row[2], row[0])):
    months[row[2][:7]].append(row)
index = []
for month in sorted(months):
    chosen = months[month]
    (EVENTS / f"{month}.log").write_text("".join(map(line, chosen)), encoding="utf-8")
    index.append(f"{month}.log\\t{len(chosen)}\\t{decimal(sum(r[3] for r in chosen))}\\n")
(EVENTS / "index.tsv").write_text("".join(index), encoding="utf-8")
alerts = sorted((row for row in rows if row[3] >= LIMIT), key=lambda row: @order@)
ALERTS.write_text("".join(map(line, alerts)), encoding="utf-8")
""",
            folder=p["events_folder"],
            alerts=p["alerts_path"],
            limit=int(p["limit"]),
            high=p["levels"],
            low=low,
            order=Raw(order),
        )

    def helpers(self, view: View) -> str:
        """Parse the logs."""
        p = view.pick
        return fill(
            """
EVENTS = @folder@
ALERTS = @alerts@
LINE = re.compile(
    r'(?P<day>\\S+) (?P<level>\\S+) id=(?P<id>\\S+) group=(?P<group>\\S+) value=(?P<value>\\S+) '
    r'text="(?P<text>.*)"'
)


def months():
    return sorted({row[2][:7] for row in ROWS()})


def events():
    assert os.path.isdir(EVENTS), f"{EVENTS} is no folder"
    found = []
    for month in months():
        for line in there(f"{EVENTS}/{month}.log").splitlines():
            match = LINE.fullmatch(line)
            assert match, f"{EVENTS}/{month}.log: a line has another form: {line[:80]}"
            found.append((month, match))
    return found


def event(part):
    found = {e.group("id"): e.group(part) for _, e in events()}
    found = {key: value for key, value in found.items() if key in truth()[0]}
    assert found, f"{EVENTS}: none of the expected identifiers"
    return found


def upper():
    return {row[0] for row in ROWS() if row[3] >= @limit@}
""",
            folder=p["events_folder"],
            alerts=p["alerts_path"],
            limit=int(p["limit"]),
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Parts of lines, order, files, alerts, index."""
        p, f = view.pick, view.fields
        low = {"WARN": "INFO", "ALERT": "NOTE", "HIGH": "LOW"}[p["levels"]]
        order = {
            "old": "sorted(upper(), key=lambda k: (truth()[0][k][2], k))",
            "high": "sorted(upper(), key=lambda k: (-truth()[0][k][3], k))",
        }[p["alert_order"]]
        level = f"({p['levels']!r} if row[0] in upper() else {low!r})"
        parts = (
            ("group", f"the {f.words[1]}", "row[1]"),
            ("value", f"the {f.words[3]} with two decimals", "money(row[3])"),
            ("text", f"the {f.words[4]}", "row[4]"),
            ("level", "the level its value demands", level),
            ("day", f"the {f.words[2]}", "row[2]"),
        )
        return (
            Check(
                "events-files",
                "There is exactly one log per month that occurs",
                "there(EVENTS + '/' + months()[0] + '.log')\n"
                "actual = sorted(n for n in os.listdir(EVENTS) if n.endswith('.log'))\n"
                "assert actual == [m + '.log' for m in months()], f'logs in {EVENTS}'",
            ),
            Check(
                "events-ids",
                f"Every {f.noun} has one line, in the log of its month",
                "actual = sorted((m, e.group('id')) for m, e in events())\n"
                "expected = sorted((r[2][:7], r[0]) for r in ROWS())\n"
                "assert actual == expected, f'identifiers in {EVENTS}'",
            ),
            *(
                Check(
                    f"events-{part}",
                    f"Each line shows {what}",
                    f"actual = event({part!r})\n"
                    f"expected = {{row[0]: {value} for row in ROWS() if row[0] in actual}}\n"
                    f"assert actual == expected, f'{part} in {{EVENTS}}'",
                )
                for part, what, value in parts
            ),
            Check(
                "events-order",
                f"Lines go by day, then by {f.words[0]}",
                "actual = [e.group('id') for _, e in events()]\n"
                "expected = [r[0] for r in sorted(ROWS(), key=lambda r: (r[2], r[0]))]\n"
                "assert actual == expected, f'order of lines in {EVENTS}'",
            ),
            Check(
                "alerts-lines",
                "The alerts repeat exactly the lines of the upper level",
                "text = there(ALERTS)\n"
                "events()\n"
                "actual = sorted(LINE.fullmatch(x).group('id') for x in text.splitlines() "
                "if LINE.fullmatch(x))\n"
                "assert actual == sorted(upper()), f'lines of {ALERTS}'",
            ),
            Check(
                "alerts-order",
                "The alerts stand in the demanded order",
                "found = [LINE.fullmatch(x) for x in there(ALERTS).splitlines()]\n"
                "actual = [m.group('id') for m in found if m]\n"
                f"expected = [k for k in {order} if k in actual]\n"
                "assert actual and actual == expected, f'order of {ALERTS}'",
            ),
            Check(
                "index-counts",
                "The index counts the lines of each log",
                "lines = [x.split('\\t') for x in there(EVENTS + '/index.tsv').splitlines()]\n"
                "actual = [x[:2] for x in lines]\n"
                "expected = [[m + '.log', str(sum(r[2][:7] == m for r in ROWS()))] "
                "for m in months()]\n"
                "assert actual == expected, f'{EVENTS}/index.tsv'",
            ),
            Check(
                "index-sums",
                "The index sums the values of each log",
                "lines = [x.split('\\t') for x in there(EVENTS + '/index.tsv').splitlines()]\n"
                "actual = {x[0]: x[-1] for x in lines}\n"
                "expected = {m + '.log': money(sum(r[3] for r in ROWS() if r[2][:7] == m)) "
                "for m in months()}\n"
                "assert actual == expected, f'{EVENTS}/index.tsv'",
            ),
        )
