"""An executable that turns any table of this form into a report, run by cron."""

from facet.author.choice import Choice, choice
from facet.author.recipe import Check, NoMaterial, Raw, View, fill, outputs
from facet.author.themes import Theme

_READERS = {
    "csv": "list(csv.DictReader(open(sys.argv[1], encoding='utf-8', newline='')))",
    "tsv": "[dict(zip(head, line)) for line in body]",
    "jsonl": "[json.loads(line) for line in open(sys.argv[1], encoding='utf-8') if line.strip()]",
}


class Job(NoMaterial):
    """An executable that turns any table of this form into a report, run by cron."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, hours, form of the report, exit codes."""
        return (
            outputs("job", theme, "bin/refresh", "bin/nightly", "jobs/report"),
            outputs("job_report", theme, "report.txt", "latest.txt", "figures.txt"),
            choice(
                "hours",
                ("15 2 * * *", "every day at 02:15"),
                ("30 6 * * 1-5", "at 06:30 from Monday to Friday"),
                ("0 */4 * * *", "every four hours on the hour, beginning at midnight"),
                ("45 23 * * 0", "on Sundays at 23:45"),
            ),
            choice(
                "report_order",
                ("name", "report lines in alphabetical order"),
                ("sum", "report lines by sum, largest first, ties by name"),
            ),
            choice(
                "bad_exit",
                *((n, f"exit code {n}") for n in ("3", "4", "66")),
            ),
            choice("cron_file", *((n, f"`/etc/cron.d/{n}`") for n in _files(theme))),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        hours = {
            "15 2 * * *": "every day at 02:15",
            "30 6 * * 1-5": "at 06:30 from Monday to Friday",
            "0 */4 * * *": "every four hours on the hour, beginning at midnight",
            "45 23 * * 0": "on Sundays at 23:45",
        }[p["hours"]]
        order = {
            "name": "report lines in alphabetical order",
            "sum": "report lines by sum, largest first, ties by name",
        }[p["report_order"]]
        return (
            (
                f"Write an executable `{p['job']}` that is called with two arguments, a table of "
                "exactly this form and the path of a report, and makes the report from that table.",
                f"Provide the program `{p['job']}` (executable). Its arguments are a table in the "
                "same form and the path of the report it has to write.",
            ),
            (
                f"The report has a line `NAME COUNT SUM` per {f.words[1]} (SUM of the "
                f"{f.words[3]}, two decimals), {order}, and a last line `TOTAL COUNT SUM`.",
                f"A report line reads `NAME COUNT SUM` for a {f.words[1]}, with the sum of the "
                f"{f.words[3]} and two decimals: {order}. The last line is `TOTAL COUNT SUM`.",
            ),
            (
                "A table without records gives only `TOTAL 0 0.00`. The program makes a missing "
                f"folder of the report, and a missing table means exit code {p['bad_exit']}, with "
                "the report left as it was.",
                f"If the table does not exist it ends with exit code {p['bad_exit']} and does not "
                "touch the report; a table without records makes `TOTAL 0 0.00`; folders on the "
                "way to the report are made.",
            ),
            (
                f"Run it once on the table, so that `{p['job_report']}` exists.",
                f"Let it make `{p['job_report']}` from the table now.",
            ),
            (
                f"Schedule the same call with `/etc/cron.d/{p['cron_file']}` as root, {hours}; the "
                "file has exactly one job line (five time fields, `root`, the command with full "
                "paths), mode 0644, and sets `SHELL=/bin/sh`.",
                f"The file `/etc/cron.d/{p['cron_file']}` (mode 0644) runs that call as root "
                f"{hours}. It sets `SHELL=/bin/sh` and has just one job line, with five time "
                "fields, `root` and the command in full paths.",
            ),
        )

    def solve(self, view: View) -> str:
        """The job is a Python program of its own."""
        p = view.pick
        ending = p["table"].rpartition(".")[2]
        order = {"name": "name", "sum": "(-sums[name], name)"}[p["report_order"]]
        value = (
            "int(record[NUMBER])"
            if p["numbers"] == "whole"
            else 'int(record[NUMBER].replace(".", ""))'
        )
        lines = ""
        if ending == "tsv":
            lines = (
                "with open(sys.argv[1], encoding='utf-8') as source:\n"
                "    head, *body = [line.rstrip('\\n').split('\\t') for line in source]\n"
            )
        program = fill(
            """
#!/usr/bin/env python3
import csv
import json
import os
import sys
from collections import Counter

GROUP, NUMBER = @group@, @number@

if len(sys.argv) != 3 or not os.path.isfile(sys.argv[1]):
    print("usage: TABLE REPORT; the table must exist", file=sys.stderr)
    sys.exit(@exit@)
@lines@records = @reader@
counts, sums = Counter(), Counter()
for record in records:
    counts[record[GROUP]] += 1
    sums[record[GROUP]] += @value@
names = sorted(counts, key=lambda name: @order@)
out = [f"{name} {counts[name]} {sums[name] // 100}.{sums[name] % 100:02d}" for name in names]
total = sum(sums.values())
out.append(f"TOTAL {sum(counts.values())} {total // 100}.{total % 100:02d}")
os.makedirs(os.path.dirname(os.path.abspath(sys.argv[2])), exist_ok=True)
with open(sys.argv[2], "w", encoding="utf-8") as report:
    report.write("\\n".join(out) + "\\n")
""",
            group=view.columns[1],
            number=view.columns[3],
            exit=int(p["bad_exit"]),
            lines=Raw(lines),
            reader=Raw(_READERS[ending]),
            value=Raw(value),
            order=Raw(order),
        )
        lossy = "lose_group" in view.slips
        return fill(
            """
JOB = Path(@job@)
REPORT = Path(@report@)
CRON = Path(@cron@)
PROGRAM = @program@
JOB.parent.mkdir(parents=True, exist_ok=True)
JOB.write_text(PROGRAM, encoding="utf-8")
JOB.chmod(0o755)
subprocess.run([str(JOB), TABLE, str(REPORT)], check=True)
@lossy@CRON.write_text(
    f"SHELL=/bin/sh\\n{@hours@} root {JOB} {TABLE} {REPORT}\\n", encoding="utf-8"
)
CRON.chmod(0o644)
""",
            job=p["job"],
            report=p["job_report"],
            cron=f"/etc/cron.d/{p['cron_file']}",
            program=program,
            lossy=Raw(
                "REPORT.write_text(REPORT.read_text().split('\\n', 1)[1])  # a group is lost\n"
                if lossy
                else ""
            ),
            hours=p["hours"],
        )

    def helpers(self, view: View) -> str:
        """Run the job on tables of the test's own."""
        p = view.pick
        ending = p["table"].rpartition(".")[2]
        number = "str(value)" if p["numbers"] == "whole" else "money(value)"
        day = {"YYYY-MM-DD": "2024-05-17", "DD.MM.YYYY": "17.05.2024", "YYYYMMDD": "20240517"}
        return fill(
            """
JOB = @job@
REPORT = @report@
CRON = @cron@
FRESH = [("a-1", "zeta", 1250), ("a-2", "beta", 99), ("a-3", "zeta", 1), ("a-4", "gamma", 5000)]


def table_text(records):
    lines = [[key, group, @day@, @shown@, "x, y"] for key, group, value in records]
    if @ending@ == "jsonl":
        return "".join(json.dumps(dict(zip(COLUMNS, line))) + "\\n" for line in lines)
    out = io.StringIO()
    if @ending@ == "csv":
        writer = csv.writer(out, lineterminator="\\n")
        writer.writerow(COLUMNS)
        writer.writerows(lines)
    else:
        for line in [COLUMNS, *lines]:
            out.write("\\t".join(line) + "\\n")
    return out.getvalue()


def job(table, report):
    assert os.path.isfile(JOB) and os.access(JOB, os.X_OK), f"{JOB} is no executable file"
    return run(JOB, str(table), str(report), env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})


def report_of(records):
    sums, counts = defaultdict(int), Counter(r[1] for r in records)
    for r in records:
        sums[r[1]] += r[-1]
    names = @order@
    lines = [f"{n} {counts[n]} {money(sums[n])}" for n in names]
    return [*lines, f"TOTAL {len(records)} {money(sum(sums.values()))}"]


def tmp():
    import tempfile

    return tempfile.mkdtemp(prefix="check-")


def fresh(tmp_path, records):
    table, report = tmp_path / "fresh.table", tmp_path / "deep" / "er" / "report.txt"
    table.write_text(table_text(records), encoding="utf-8")
    code, out, err = job(table, report)
    assert code == 0, f"{JOB} on fresh input: {err[-300:]}"
    return there(report).splitlines()


def jobs():
    lines = [x.strip() for x in there(CRON).splitlines()]
    return [x for x in lines if x and not x.startswith("#") and not re.match(r"\\w+ *=", x)]
""",
            job=p["job"],
            report=p["job_report"],
            cron=f"/etc/cron.d/{p['cron_file']}",
            ending=ending,
            day=day[p["dates"]],
            shown=Raw(number),
            order=Raw(
                "sorted(counts)"
                if p["report_order"] == "name"
                else "sorted(counts, key=lambda n: (-sums[n], n))"
            ),
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Behaviour on other input, the report now, the crontab."""
        p, f = view.pick, view.fields
        return (
            Check(
                "report-groups",
                f"The report counts the {f.plural} of each {f.words[1]}",
                "actual = sorted(x.split(' ')[:2] for x in there(REPORT).splitlines()[:-1])\n"
                "expected = [[g, str(sum(r[1] == g for r in ROWS()))] for g in GROUPS()]\n"
                "assert actual == expected, f'counts in {REPORT}'",
            ),
            Check(
                "report-sums",
                f"The report sums the {f.words[3]} of each {f.words[1]}",
                "actual = {x.split(' ')[0]: x.split(' ')[-1] "
                "for x in there(REPORT).splitlines()[:-1]}\n"
                "expected = {g: money(sum(r[3] for r in ROWS() if r[1] == g)) for g in GROUPS()}\n"
                "assert actual == expected, f'sums in {REPORT}'",
            ),
            Check(
                "report-lines",
                "The report has the demanded order and total",
                "expected = report_of([(r[0], r[1], r[3]) for r in ROWS()])\n"
                "assert there(REPORT).splitlines() == expected, f'lines of {REPORT}'",
            ),
            Check(
                "job-fresh",
                "On a table it has never seen the program reports correctly",
                "assert fresh(Path(tmp()), FRESH) == report_of(FRESH), f'{JOB} on fresh input'",
            ),
            Check(
                "job-one",
                "On a table with one record the program reports correctly",
                "one = FRESH[3:]\n"
                "assert fresh(Path(tmp()), one) == report_of(one), f'{JOB} on one record'",
            ),
            Check(
                "job-empty",
                "A table without records gives a total of nothing",
                "assert fresh(Path(tmp()), []) == ['TOTAL 0 0.00'], f'{JOB} on no records'",
            ),
            Check(
                "job-missing",
                f"A missing table means exit code {p['bad_exit']}",
                "code, out, err = job('/nonexistent/table', Path(tmp()) / 'r.txt')\n"
                f"assert code == {p['bad_exit']}, f'exit code of {{JOB}} without a table'",
            ),
            Check(
                "job-keeps",
                "A missing table leaves an existing report alone",
                "report = Path(tmp()) / 'kept.txt'\n"
                "report.write_text('before\\n')\n"
                "job('/nonexistent/table', report)\n"
                "assert report.read_text() == 'before\\n', f'{JOB} changed a report'",
            ),
            Check(
                "job-repeat",
                "Run twice, the program gives the same report",
                "folder = Path(tmp())\n"
                "once = fresh(folder, FRESH)\n"
                "assert fresh(folder, FRESH) == once, f'{JOB} run twice'",
            ),
            Check(
                "cron-hours",
                "The job is scheduled at the demanded times as root",
                "lines = jobs()\n"
                "assert len(lines) == 1, f'{CRON} has {len(lines)} job lines'\n"
                f"assert lines[0].split()[:6] == {[*p['hours'].split(), 'root']!r}, "
                "f'times in {CRON}'",
            ),
            Check(
                "cron-command",
                "The scheduled command calls the program with table and report",
                "actual = jobs()[0].split()[6:9] if jobs() else []\n"
                "assert actual == [JOB, TABLE, REPORT], f'command in {CRON}'",
            ),
            Check(
                "cron-file",
                "The crontab has mode 0644 and sets the shell",
                "lines = [x.replace(' ', '') for x in there(CRON).splitlines()]\n"
                "actual = ('%04o' % stat.S_IMODE(os.stat(CRON).st_mode), "
                "'SHELL=/bin/sh' in lines)\n"
                "assert actual == ('0644', True), f'mode and shell of {CRON}'",
            ),
        )


def _files(theme: Theme) -> tuple[str, str, str]:
    return (theme.slug, f"{theme.slug}-report", "nightly-report")
