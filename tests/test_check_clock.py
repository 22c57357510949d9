"""Exact comparisons of clock readings are named; what allows a tolerance is not."""

import pytest

from facet.check_clock import exact_times
from facet.lint import lint
from facet.types.task import FileSet, text_file
from tests.golden import good_tasks

EXACT = [
    "import time\ndef test_a():\n    start = time.time()\n    assert time.time() == start\n",
    "import time\ndef test_a():\n    s = time.monotonic()\n    e = time.monotonic() - s\n"
    "    assert e == 0.5\n",
    "from time import perf_counter as now\ndef test_a():\n    a = now()\n    assert a != now()\n",
    "import time as t\ndef test_a():\n    assert t.time_ns() in (1, 2)\n",
    "import datetime\ndef test_a():\n    assert datetime.datetime.now() == stamp()\n",
    "from datetime import datetime\nasync def test_a():\n    assert datetime.utcnow() == x\n",
    "import time\ndef test_a():\n    a = time.time()\n    c = a - 1\n    assert 0 == abs(c)\n",
]
FINE = [
    "import time\ndef test_a():\n    start = time.time()\n    assert time.time() - start < 5\n",
    "import time\ndef test_a():\n    e = time.time()\n    assert round(e) == 3\n",
    "import time\ndef test_a():\n    e = time.time()\n    assert e == pytest.approx(3, abs=1)\n",
    "def time():\n    return 1\ndef test_a():\n    assert time() == 1\n",
    "import time\ndef one():\n    a = time.time()\ndef test_a():\n    a = 3\n    assert a == 3\n",
    "import time\ndef test_a():\n    assert time.sleep(1) == None\n",
    "def test_a(:\n",
    "",
]


def sources(source: str) -> FileSet:
    return FileSet(files=(text_file("test_a.py", source), text_file("x.txt", EXACT[0])))


@pytest.mark.parametrize("source", EXACT)
def test_an_exact_comparison_is_named_once_with_its_line(source: str) -> None:
    last = source.count("\n")
    assert exact_times(sources(source)) == (
        f"tests/test_a.py:{last}: compares a clock reading exactly; allow a tolerance",
    )


@pytest.mark.parametrize("source", FINE)
def test_a_tolerance_or_no_clock_at_all_is_fine(source: str) -> None:
    assert exact_times(sources(source)) == ()


def test_it_is_a_remark_of_a_task_and_no_fault() -> None:
    """B58."""
    task = good_tasks()[0]
    files = task.verifier.files.with_file(text_file("test_more.py", EXACT[0]))
    found = lint(task.replace("verifier", task.verifier.model_copy(update={"files": files})))
    assert found.faults == ()
    assert found.remarks == (
        "tests/test_more.py:4: compares a clock reading exactly; allow a tolerance",
    )
