"""The pytest plug-in that turns tests into checks: `reward.json` and `ctrf.json`.

Runs inside containers (Python 3.11, standard library and pytest only); `facet` itself never
imports it. A check is a test, marked or not:

    @pytest.mark.check(id="rows", title="keeps every order", weight=2, guard=False)

`reward` is 1 when every check passed, guards and unmarked tests included; a skipped check did not
pass. `fraction` is the weight passed over the weight of all checks that are not guards. Zero
checks, a collection error or a bad mark give no reward at all, only a report that says so.
"""

import json
import math
import os
import random
import re
import sys
import time

import pytest

LIMIT = 2000  # characters of a value or message kept
PATHS = 10  # paths kept of one failure
BROKEN = (NameError, ImportError, SyntaxError, AttributeError, TypeError, RecursionError)
"""Raised by a check, these speak of the check's own code: status error, not failed."""

_PATH = re.compile(r"(?<![\w/.:])(/[\w.@%+~-]+(?:/[\w.@%+~-]+)*)")


def steady(text, home=""):
    """The same text in every run: no object addresses, no random place of the runner."""
    text = re.sub(r" at 0x[0-9a-f]{4,}", " at 0x…", text)
    return text.replace(home, "<runner>/") if home else text


def cut(text, limit=LIMIT):
    """At most `limit` characters, with a note of how many were left out."""
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit} more characters)"


def shown(value):
    """A bounded repr that never raises."""
    try:
        return cut(repr(value))
    except Exception as error:  # a broken __repr__ must not break the report
        return f"<{type(value).__name__}: repr raised {type(error).__name__}>"


class Checks:
    """Collects results; registered as one plug-in object by `main.py`."""

    def __init__(self, tests, logs, order=None, home=""):
        self.tests, self.logs, self.order, self.home = tests, logs, order, home
        self.started = time.time()
        self.results = {}  # nodeid -> dict
        self.errors = []  # whole-run faults: no reward is written
        self.compared = None  # (op, left, right) of the last failing comparison

    # -- collection ---------------------------------------------------------------------

    def pytest_configure(self, config):
        config.addinivalue_line("markers", "check(id, title, weight=1, guard=False): one check")

    def pytest_collectreport(self, report):
        if report.failed:
            self.errors.append(f"collection of {report.nodeid or '.'}: {cut(report.longreprtext)}")

    def pytest_collection_modifyitems(self, items):
        taken = set()
        for item in items:
            mark = item.get_closest_marker("check")
            given = dict(mark.kwargs) if mark else {}
            entry = self.entry(item, given, mark)
            while entry["id"] in taken:
                entry["id"] += "'"
            taken.add(entry["id"])
            self.results[item.nodeid] = entry
        if self.order is not None:
            random.Random(self.order).shuffle(items)

    def entry(self, item, given, mark):
        """A result not run yet, from a test's mark."""
        unknown = set(given) - {"id", "title", "weight", "guard"}
        if (mark and mark.args) or unknown:
            self.errors.append(f"{item.nodeid}: check() takes id, title, weight, guard by name")
        weight, guard = given.get("weight", 1), given.get("guard", False)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            weight = math.nan
        if not (math.isfinite(weight) and weight > 0):
            self.errors.append(f"{item.nodeid}: weight must be a finite number above 0")
            weight = 1
        callspec = getattr(item, "callspec", None)
        name = str(given.get("id") or item.originalname)
        doc = (getattr(item.obj, "__doc__", None) or "").strip().split("\n")[0]
        return {
            "id": f"{name}[{callspec.id}]" if callspec else name,
            "title": str(given.get("title") or doc or name),
            "weight": float(weight),
            "guard": bool(guard),
            "status": "error",
            "message": "did not run to its end",
            "expected": "",
            "actual": "",
            "paths": [],
            "file": self.relative(str(item.path)),
            "line": None,
            "duration": 0.0,
            "trace": "",
            "ran": False,
        }

    def relative(self, path):
        return os.path.relpath(path, self.tests)

    # -- running ------------------------------------------------------------------------

    def pytest_runtest_setup(self, item):
        self.compared = None

    def pytest_assertrepr_compare(self, config, op, left, right):
        self.compared = (op, left, right)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        entry = self.results[item.nodeid]
        entry["duration"] += call.duration
        if report.when == "call" and report.passed and not entry["ran"]:
            entry.update(status="passed", message="", ran=True)
        elif report.skipped and not entry["ran"]:
            entry.update(status="skipped", message=cut(str(call.excinfo.value)), ran=True)
        elif report.failed:
            self.failure(entry, report, call)

    def failure(self, entry, report, call):
        """Record why; the first failure of a test stays."""
        if entry["ran"] and entry["status"] != "passed":
            return
        value = call.excinfo.value if call.excinfo else None
        failed = report.when == "call" and not isinstance(value, BROKEN)
        plain = isinstance(value, (AssertionError, pytest.fail.Exception))
        text = str(value) if plain else f"{type(value).__name__}: {value}"
        entry.update(status="failed" if failed else "error", ran=True)
        entry["message"] = cut(text if value is not None else report.longreprtext)
        entry["trace"] = cut(report.longreprtext, 4 * LIMIT)
        if self.compared and isinstance(value, AssertionError):
            op, left, right = self.compared
            if op in ("in", "not in"):
                word = "contains" if op == "in" else "does not contain"
                entry["expected"], entry["actual"] = f"{word} {shown(left)}", shown(right)
            else:
                entry["expected"] = (op + " " if op != "==" else "") + shown(right)
                entry["actual"] = shown(left)
        for spot in reversed(call.excinfo.traceback if call.excinfo else []):
            path = str(spot.path)
            if path.startswith(self.tests + os.sep):
                entry["file"], entry["line"] = self.relative(path), spot.lineno + 1
                break
        named = getattr(value, "filename", None)
        spoken = [named] if isinstance(named, str) and named.startswith("/") else []
        spoken += _PATH.findall(" ".join((text, entry["expected"], entry["actual"])))
        kept = [p for p in dict.fromkeys(spoken) if not p.startswith((self.tests + "/", self.home))]
        entry["paths"] = kept[:PATHS]
        for key in ("message", "trace", "expected", "actual"):
            entry[key] = steady(entry[key], self.home)

    def pytest_internalerror(self, excrepr):
        self.errors.append(f"pytest broke: {cut(str(excrepr))}")

    # -- reports ------------------------------------------------------------------------

    def finish(self, exit_code):
        """Write the reports, once, after pytest has ended: (exit code, reports by name)."""
        results = list(self.results.values())
        if not results and not self.errors:
            self.errors.append("no check was collected")
        if exit_code not in (0, 1) and not self.errors:
            self.errors.append(f"pytest ended with exit code {int(exit_code)}")
        reports = {"ctrf.json": self.ctrf(results)}
        if not self.errors:
            reports["reward.json"] = rewards(results)
        written = {name: json.dumps(value, indent=1).encode() for name, value in reports.items()}
        for name, data in written.items():
            write(os.path.join(self.logs, name), data)
        for line in self.errors:
            print(f"facet: no reward: {line.splitlines()[0]}", file=sys.stderr)
        failed = bool(self.errors) and exit_code in (0, 1)
        return (3 if failed else int(exit_code)), written

    def ctrf(self, results):
        """The Common Test Report Format."""
        status = [r["status"] for r in results]
        return {
            "reportFormat": "CTRF",
            "specVersion": "0.0.0",
            "results": {
                "tool": {"name": "facet_checks"},
                "summary": {
                    "tests": len(results),
                    "passed": status.count("passed"),
                    "failed": status.count("failed") + status.count("error"),
                    "skipped": status.count("skipped"),
                    "pending": 0,
                    "other": 0,
                    "start": int(self.started * 1000),
                    "stop": int(time.time() * 1000),
                },
                "tests": [test(r) for r in results],
                "extra": {"errors": self.errors},
            },
        }


def test(result):
    """One result as a CTRF test; what CTRF has no field for lies in `extra`."""
    status = result["status"]
    extra = ("id", "title", "weight", "guard", "expected", "actual", "paths")
    return {
        "name": result["title"],
        "status": "failed" if status == "error" else status,
        "rawStatus": status,
        "duration": round(result["duration"] * 1000),
        "message": result["message"],
        "trace": result["trace"],
        "filePath": result["file"],
        "line": result["line"],
        "extra": {key: result[key] for key in extra},
    }


def rewards(results):
    """Flat numbers: reward, fraction, one key per check."""
    passed = [r["status"] == "passed" for r in results]
    counted = [(r["weight"], ok) for r, ok in zip(results, passed, strict=True) if not r["guard"]]
    whole = sum(weight for weight, _ in counted)
    won = sum(weight for weight, ok in counted if ok)
    reward = int(all(passed))
    out = {"reward": reward, "fraction": round(won / whole, 6) if whole else float(reward)}
    for result, ok in zip(results, passed, strict=True):
        out["check." + result["id"]] = int(ok)
    return out


def write(path, data):
    """Write a report and rename it into place: a reader never sees half a file."""
    part = f"{path}.{os.getpid()}.part"
    with open(part, "wb") as file:
        file.write(data)
    os.replace(part, path)
