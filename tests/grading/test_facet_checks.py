"""The plug-in that runs in containers, here on this machine's pytest in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from facet.config import data_dir
from facet.reports import Found, Left, Reading, read_left

RUNNER = data_dir() / "base/runner"

DRIVER = """
import sys
sys.path.insert(0, {runner!r})
import pytest
from facet_checks import Checks
checks = Checks({tests!r}, {logs!r}, {order!r}, {home!r})
code = pytest.main(
    ["-c", {ini!r}, "--rootdir", {tests!r}, "--noconftest", "-p", "no:cacheprovider",
     "--tb=short", "--strict-markers", {tests!r}],
    plugins=[checks],
)
sys.exit(checks.finish(code)[0])
"""


class Ran:
    """Exit code and reports of one run of the plug-in."""

    def __init__(self, exit_code: int, logs: Path) -> None:
        self.exit = exit_code
        self.files = {p.name: p.read_bytes() for p in logs.iterdir()}

    @property
    def rewards(self) -> dict[str, float]:
        value: dict[str, float] = json.loads(self.files["reward.json"])
        return value

    @property
    def tests(self) -> list[dict[str, Any]]:
        value: list[dict[str, Any]] = json.loads(self.files["ctrf.json"])["results"]["tests"]
        return value

    @property
    def reading(self) -> Reading:
        """What the product makes of these files."""
        files = {n: Found(state="read", data=d) for n, d in self.files.items()}
        return read_left(Left(files=files, exit=self.exit))


@pytest.fixture
def checks(tmp_path: Path) -> Any:
    """Run test files (name -> source) under the plug-in."""

    def run(order: str | None = None, **sources: str) -> Ran:
        tests, logs = tmp_path / "tests", tmp_path / "logs"
        tests.mkdir(exist_ok=True)
        logs.mkdir(exist_ok=True)
        for name, source in sources.items():
            (tests / f"{name}.py").write_text(source)
        script = DRIVER.format(
            runner=str(RUNNER),
            tests=str(tests),
            logs=str(logs),
            order=order,
            home=str(RUNNER) + "/",
            ini=str(RUNNER / "pytest.ini"),
        )
        env = {"PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(
            [sys.executable, "-B", "-c", script],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, logs)

    return run


GOOD = """
import pytest

@pytest.mark.check(id="rows", title="keeps every order", weight=3)
def test_rows():
    assert 2 == 2

@pytest.mark.check(id="input", title="input untouched", guard=True)
def test_input():
    assert "a" in "abc"

def test_plain():
    '''An unmarked test is a check too.'''
"""


def test_all_passed_gives_full_reward_and_one_key_per_check(checks: Any) -> None:
    ran = checks(test_state=GOOD)
    assert ran.exit == 0
    assert ran.rewards == {
        "reward": 1,
        "fraction": 1.0,
        "check.rows": 1,
        "check.input": 1,
        "check.test_plain": 1,
    }
    assert ran.reading.outcome == "graded"
    assert [c.title for c in ran.reading.checks] == [
        "keeps every order",
        "input untouched",
        "An unmarked test is a check too.",
    ]


def test_the_fraction_is_weighted_and_leaves_guards_out(checks: Any) -> None:
    source = GOOD.replace("2 == 2", "2 == 3")
    ran = checks(test_state=source)
    assert ran.exit == 1
    assert ran.rewards["reward"] == 0
    assert ran.rewards["fraction"] == 0.25
    broken_guard = checks(test_state=GOOD.replace('"abc"', '"xyz"')).rewards
    assert (broken_guard["reward"], broken_guard["fraction"]) == (0, 1.0)


FAILING = """
import json, pathlib, pytest

@pytest.mark.check(id="sums", title="sums add up")
def test_sums():
    actual = [1, 2]
    assert actual == [1, 2, 3], "totals in /app/out/totals.json are off"

@pytest.mark.check(id="word", title="mentions it")
def test_word():
    assert "needle" in "hay"

@pytest.mark.check(id="missing", title="is there")
def test_missing():
    pathlib.Path("/nowhere/report.json").read_text()

@pytest.mark.check(id="less", title="small enough")
def test_less():
    assert 7 <= 5

@pytest.mark.check(id="bug", title="a bug of the check")
def test_bug():
    undefined_name

@pytest.mark.check(id="bare", title="no values")
def test_bare():
    assert not True
"""


def test_a_failure_keeps_expected_actual_paths_and_line(checks: Any) -> None:
    found = {c.id: c for c in checks(test_state=FAILING).reading.checks}
    sums = found["sums"]
    assert (sums.status, sums.expected, sums.actual) == ("failed", "[1, 2, 3]", "[1, 2]")
    assert sums.message.splitlines()[0] == "totals in /app/out/totals.json are off"
    assert (sums.paths, sums.file, sums.line) == (("/app/out/totals.json",), "test_state.py", 7)
    assert (found["word"].expected, found["word"].actual) == ("contains 'needle'", "'hay'")
    assert (found["less"].expected, found["less"].actual) == ("<= 5", "7")
    assert (found["bare"].expected, found["bare"].actual) == ("", "")


def test_a_missing_file_fails_the_check_and_a_bug_of_the_check_is_an_error(checks: Any) -> None:
    found = {c.id: c for c in checks(test_state=FAILING).reading.checks}
    assert (found["missing"].status, found["missing"].paths) == (
        "failed",
        ("/nowhere/report.json",),
    )
    assert found["bug"].status == "error"
    assert found["bug"].message == "NameError: name 'undefined_name' is not defined"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "no check was collected"),
        ("import numpy_is_not_here\n", "numpy_is_not_here"),
        ("def test_a(:\n", "SyntaxError"),
        (
            "import pytest\n@pytest.mark.check(id='a', titel='x')\ndef test_a(): pass\n",
            "check() takes id, title, weight, guard by name",
        ),
        (
            "import pytest\n@pytest.mark.check(id='a', weight=0)\ndef test_a(): pass\n",
            "weight must be a finite number above 0",
        ),
        ("import pytest\n@pytest.mark.chek(id='a')\ndef test_a(): pass\n", "chek"),
        ("def test_a():\n    pass\nimport pytest\npytest.exit('enough')\n", "Exit: enough"),
    ],
    ids=["no test", "import", "syntax", "mark", "weight", "unknown mark", "exit"],
)
def test_what_cannot_be_run_gives_no_reward_but_a_report(
    checks: Any, source: str, words: str
) -> None:
    ran = checks(test_state=source)
    assert "reward.json" not in ran.files
    assert ran.exit not in (0, 1)
    assert ran.reading.outcome == "verifier_error"
    assert words in ran.reading.detail


def test_a_broken_fixture_is_an_error_of_its_check_only(checks: Any) -> None:
    source = """
import pytest

@pytest.fixture
def state():
    raise RuntimeError("no state")

@pytest.mark.check(id="a", title="a")
def test_a(state): pass

@pytest.mark.check(id="b", title="b")
def test_b(): pass
"""
    ran = checks(test_state=source)
    assert [(c.id, c.status) for c in ran.reading.checks] == [("a", "error"), ("b", "passed")]
    assert ran.rewards["reward"] == 0


def test_a_failing_teardown_turns_a_pass_into_an_error(checks: Any) -> None:
    source = """
import pytest

@pytest.fixture
def state():
    yield
    raise OSError("cannot clean up")

def test_a(state): pass
"""
    ran = checks(test_state=source)
    assert [c.status for c in ran.reading.checks] == ["error"]
    assert ran.rewards == {"reward": 0, "fraction": 0.0, "check.test_a": 0}


def test_a_skipped_check_did_not_pass(checks: Any) -> None:
    ran = checks(test_state="import pytest\ndef test_a(): pytest.skip('no file')\n")
    assert ran.rewards == {"reward": 0, "fraction": 0.0, "check.test_a": 0}
    assert ran.reading.checks[0].status == "skipped"


def test_parametrised_names_with_spaces_and_newlines_stay_four_checks(checks: Any) -> None:
    source = """
import pytest

@pytest.mark.check(id="t", title="odd")
@pytest.mark.parametrize("v", ["1 + 1", "a - b", "PASSED", "x\\ny"])
def test_t(v): pass
"""
    ran = checks(test_state=source)
    assert len(ran.tests) == 4
    assert {k for k in ran.rewards if k.startswith("check.")} == {
        "check.t[1 + 1]",
        "check.t[a - b]",
        "check.t[PASSED]",
        "check.t[x\\ny]",
    }


def test_one_id_used_twice_stays_two_checks(checks: Any) -> None:
    mark = "@pytest.mark.check(id='a', title='a')\n"
    ran = checks(
        test_state=f"import pytest\n{mark}def test_x(): pass\n{mark}def test_y(): assert 0\n"
    )
    assert [(c.id, c.status) for c in ran.reading.checks] == [("a", "passed"), ("a'", "failed")]


def test_the_order_seed_shuffles_what_runs_but_not_what_is_said(checks: Any) -> None:
    source = "SEEN = []\n" + "".join(
        f"def test_{i}():\n    SEEN.append({i})\n    open('order', 'w').write(str(SEEN))\n"
        for i in range(8)
    )
    plain = checks(test_state=source)
    shuffled = checks(order="1", test_state=source)
    again = checks(order="1", test_state=source)
    assert plain.rewards == shuffled.rewards == again.rewards
    assert [t["name"] for t in plain.tests] == [t["name"] for t in shuffled.tests]


def test_shuffling_finds_a_check_that_leans_on_another(checks: Any) -> None:
    source = "SEEN = []\n" + "".join(
        f"def test_{i}():\n    assert len(SEEN) == {i}\n    SEEN.append({i})\n" for i in range(8)
    )
    assert checks(test_state=source).rewards["reward"] == 1
    assert checks(order="1", test_state=source).rewards["reward"] == 0


def test_huge_and_nasty_values_are_bounded(checks: Any) -> None:
    source = """
class Bad:
    def __repr__(self): raise ValueError("no")
    def __eq__(self, other): return False
    __hash__ = None

def test_long():
    assert "x" * 1_000_000 == "y" * 1_000_000

def test_bad():
    actual = Bad()
    assert actual == 1

def test_address():
    assert object() == 1, str(object())
"""
    ran = checks(test_state=source)
    assert len(ran.files["ctrf.json"]) < 100_000
    found = {c.id: c for c in ran.reading.checks}
    assert found["test_long"].status == "failed"
    assert "more characters" in found["test_long"].actual
    assert found["test_bad"].actual == "<Bad: repr raised ValueError>"
    assert "<object object at 0x…>" in found["test_address"].message


def test_a_conftest_and_a_planted_plug_in_are_not_loaded(checks: Any, tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    hook = "def pytest_runtest_makereport(item, call):\n    raise SystemExit('planted')\n"
    (tests / "conftest.py").write_text(hook)
    info = tmp_path / "evil-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[pytest11]\nevil = evil\n")
    (info / "METADATA").write_text("Name: evil\nVersion: 1\n")
    (tmp_path / "evil.py").write_text(hook)
    ran = checks(test_state="def test_a(): assert 0\n")
    assert [c.status for c in ran.reading.checks] == ["failed"]
