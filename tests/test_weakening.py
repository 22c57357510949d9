"""A repair may not make the verifier easier: seen in its source and in what ran."""

import pytest

from facet.check_source import check_sources, find_check, strings
from facet.types.task import FileSet, text_file
from facet.types.verdict import Judgement
from facet.weakening import revived, strictness, weakened
from tests.judging import PARTIAL, TESTS, make_task, results, trial

BEFORE = make_task()


def after(old: str, new: str):
    assert old in TESTS
    return make_task(tests=TESTS.replace(old, new))


def test_the_same_verifier_is_not_weaker() -> None:
    assert weakened(BEFORE, BEFORE) == ()
    assert weakened(BEFORE, make_task(tests=TESTS + "\n# a remark\n")) == ()


def test_more_checks_are_not_weaker() -> None:
    more = (
        TESTS + '\n\n@pytest.mark.check(id="new", title="n")\ndef test_new():\n    assert 1 == 2\n'
    )
    assert weakened(BEFORE, make_task(tests=more)) == ()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('@pytest.mark.check(id="log"', '@pytest.mark.check(id="logs"', "log was removed"),
        ('assert totals()["total"] == 60', "assert totals()", "loosened"),
        ('assert totals()["total"] == 60', 'assert totals()["total"] >= 0', "loosened"),
        (
            'assert totals()["total"] == 60',
            'assert totals()["total"] == 60 or True',
            "asserts noth",
        ),
        ('assert totals()["total"] == 60, "total"', "pass", "asserts nothing"),
        ('title="total is right"', 'title="total is right", guard=True', "made a guard"),
        ('title="total is right"', 'title="total is right", weight=0.1', "weighs 0.1"),
        ("def test_total():\n", "def test_total():\n    return\n", "way out"),
        ("def test_total():\n", "def test_total():\n    pytest.skip('x')\n", "way out"),
        (
            '@pytest.mark.check(id="total"',
            '@pytest.mark.xfail\n@pytest.mark.check(id="total"',
            "way",
        ),
        (
            'assert totals()["total"] == 60, "total"',
            'try:\n        assert totals()["total"] == 60\n    except Exception:\n        pass',
            "way out",
        ),
    ],
)
def test_each_way_of_loosening_is_named(old: str, new: str, reason: str) -> None:
    found = weakened(BEFORE, after(old, new))
    assert any(reason in line for line in found), found


def test_a_check_that_is_complained_of_may_change_its_manner_but_must_still_assert() -> None:
    loose = after('assert totals()["total"] == 60', 'assert int(totals()["total"])')
    assert weakened(BEFORE, loose, {"total"}) == ()
    empty = after('assert totals()["total"] == 60, "total"', "pass")
    assert weakened(BEFORE, empty, {"total"})


def test_asserts_in_helpers_count_for_the_checks_that_use_them() -> None:
    helper = "def totals():\n    return"
    strict = after(helper, "def totals():\n    assert Path('/app/out').is_dir()\n    return")
    assert any("asserts" in line for line in weakened(strict, BEFORE))


def test_dropping_a_partial_solution_is_weaker() -> None:
    assert weakened(BEFORE, make_task(partials={}))
    two = make_task(partials={"partials/a.sh": PARTIAL, "partials/b.sh": PARTIAL})
    assert weakened(BEFORE, two) == ()


def test_a_probe_that_failed_and_now_passes_is_revived() -> None:
    bad = trial("partial", label="p", checks=results("failed"))
    good = trial("partial", label="p", checks=results("passed"))
    crashed = trial("partial", label="p", outcome="verifier_error")
    one, two, three = (
        Judgement(task_digest="x", gates=(), trials=(t,)) for t in (bad, good, crashed)
    )
    assert revived(one, two) == ("partial p used to fail and now scores full reward",)
    assert revived(two, one) == ()
    assert revived(three, two) == ()  # a crash proved nothing


def test_the_oracle_may_of_course_start_to_pass() -> None:
    one = Judgement(task_digest="x", gates=(), trials=(trial("oracle", checks=results("failed")),))
    two = Judgement(task_digest="x", gates=(), trials=(trial("oracle"),))
    assert revived(one, two) == ()


# ---- the source behind a check -------------------------------------------------------------


def test_a_check_reaches_its_helpers_and_only_those() -> None:
    sources = check_sources(BEFORE.verifier.files)
    assert [s.id for s in sources] == ["count", "total", "log", "orders"]
    assert [s.guard for s in sources] == [False, False, False, True]
    assert "/app/out/totals.json" in {text for _, _, text in strings(sources[0])}
    assert {text for _, _, text in strings(sources[2])} >= {"/app/out/work.log", "done"}
    assert "/app/out/totals.json" not in {text for _, _, text in strings(sources[2])}


def test_words_for_people_are_no_strings_of_a_check() -> None:
    texts = {text for _, _, text in strings(check_sources(BEFORE.verifier.files)[1])}
    assert "total" in texts  # the key it reads
    assert "total is right" not in texts


def test_fixtures_classes_and_sibling_modules_are_reached() -> None:
    files = FileSet(
        files=(
            text_file(
                "conftest.py", "import pytest\n\n@pytest.fixture\ndef out():\n    return '/c'\n"
            ),
            text_file("helpers.py", "PATH = '/h'\n\ndef load():\n    return open(PATH)\n"),
            text_file(
                "test_a.py",
                "from helpers import load\n\nclass TestA:\n"
                "    def test_one(self, out):\n        assert load() == out\n",
            ),
        )
    )
    (source,) = check_sources(files)
    assert source.id == "test_a.py::TestA::test_one"
    assert {text for _, _, text in strings(source)} == {"/c", "/h"}
    for reported in ("test_a.py::TestA::test_one[x]", "test_one", "tests/test_a.py::test_one"):
        assert find_check((source,), reported) is source


def test_a_file_that_is_no_python_has_no_checks() -> None:
    assert check_sources(FileSet(files=(text_file("test_a.py", "def test_x(:\n"),))) == ()
    huge = text_file("test_b.py", "def test_x():\n    assert " + "(" * 9000 + "1" + ")" * 9000)
    assert check_sources(FileSet(files=(huge,))) == ()


def test_strictness_counts_what_can_fail() -> None:
    (source,) = check_sources(
        FileSet(
            files=(
                text_file(
                    "test_a.py",
                    "def test_x():\n    assert True\n    assert (1, 'm')\n    assert f() == 1\n"
                    "    if g():\n        raise AssertionError('x')\n",
                ),
            )
        )
    )
    found = strictness(source)
    assert (found.asserts, found.exact, found.escapes) == (2, 1, 0)
