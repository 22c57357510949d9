"""Counted and effective checks; answers and tests that the build context gives away."""

import base64
import gzip
import hashlib

import pytest

from facet.check_source import check_sources
from facet.density import class_of, density, effective_checks
from facet.leaks import leaks
from facet.types.task import FileSet, text_file
from facet.types.verdict import Judgement
from tests.golden import good_tasks
from tests.judging import SOLVE, TESTS, make_task, results, trial


def judgement(*trials) -> Judgement:
    return Judgement(task_digest="x", gates=(), trials=trials)


def test_a_check_that_never_fails_is_dead_and_not_counted() -> None:
    task = make_task()
    found = density(
        task, judgement(trial("nop", checks=results("failed", log="passed")), trial("oracle"))
    )
    assert found.checks == 4
    assert found.counted == ("count", "total")
    assert found.dead == ("log",)
    assert found.guards == ("orders",)


def test_a_further_trial_brings_a_check_to_life() -> None:
    base = judgement(trial("nop", checks=results("failed", log="passed")), trial("oracle"))
    mutant = trial("mutant", checks=results("passed", log="failed"))
    assert "log" in density(make_task(), base, [mutant]).counted


def test_trials_without_a_verdict_count_nothing() -> None:
    found = density(make_task(), judgement(trial("nop", outcome="verifier_error"), trial("oracle")))
    assert found.counted == ()


def test_checks_that_always_fail_together_count_once() -> None:
    nop = trial("nop", checks=results("failed"))
    assert effective_checks([nop]) == 1
    partial = trial("partial", checks=results("failed", log="passed"))
    assert effective_checks([nop, partial]) == 2


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("assert open('/app/x').read() == 'a'", "state"),
        ("assert subprocess.run(['/app/x']).returncode == 0", "behaviour"),
        ("assert 'awk' in open('/solution/solve.sh').read()", "command text"),
        ("assert sqlite3.connect('/app/x.db').execute('select 1')", "state"),
    ],
)
def test_each_check_has_a_class(body: str, kind: str) -> None:
    files = FileSet(files=(text_file("test_a.py", f"def test_x():\n    {body}\n"),))
    assert class_of(check_sources(files)[0]) == kind


# ---- leaks ---------------------------------------------------------------------------------

PIECES = {
    "plain": SOLVE.encode(),
    "base64": b"run: " + base64.b64encode(SOLVE.encode()),
    "base64 in lines": base64.encodebytes(SOLVE.encode()),
    "hex": SOLVE.encode().hex().encode(),
    "gzip": gzip.compress(SOLVE.encode(), mtime=0),
    "gzip in base64": base64.b64encode(gzip.compress((SOLVE * 3).encode(), mtime=0)),
}


@pytest.mark.parametrize("how", PIECES)
def test_a_solution_in_the_image_is_found_in_common_encodings(how: str) -> None:
    task = make_task(files={"files/app/notes.txt": PIECES[how]})
    found = leaks(task)
    assert [(x.kind, x.source, x.found) for x in found] == [
        ("solution", "solve.sh", "files/app/notes.txt")
    ]
    assert found[0].line.startswith("environment: ")


def test_tests_in_the_image_are_found() -> None:
    found = leaks(make_task(files={"files/opt/t.py": TESTS.encode()}))
    assert [(x.kind, x.source) for x in found] == [("tests", "test_state.py")]


def test_a_hash_of_the_answer_is_no_leak() -> None:
    digest = hashlib.sha512(SOLVE.encode()).hexdigest().encode()
    assert leaks(make_task(files={"files/app/sums.txt": digest})) == ()


def test_good_tasks_leak_nothing() -> None:
    assert [leaks(task) for task in [make_task(), *good_tasks()]] == [()] * 4


def test_a_bomb_of_zeros_stays_small() -> None:
    bomb = gzip.compress(b"\0" * 50_000_000, mtime=0)
    assert leaks(make_task(files={"files/app/x.gz": bomb})) == ()
