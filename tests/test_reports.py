"""Verifier files -> outcome: every way to report nothing is told apart, and none becomes 0."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facet.reports import REPORT_FILES, REWARD_LIMIT, Found, Left, read_left


def left(exit: int | None = 0, *, log: str = "", timed_out: bool = False, **files: Any) -> Left:
    """Files by name ("reward_json=..."): text, JSON values, or a Found."""
    found = {}
    for key, value in files.items():
        name = key.replace("_", ".")
        if isinstance(value, Found):
            found[name] = value
        else:
            text = value if isinstance(value, str) else json.dumps(value)
            found[name] = Found(state="read", data=text.encode())
    return Left(files=found, exit=exit, log=log, timed_out=timed_out)


def ctrf(*tests: dict[str, Any], errors: list[str] | None = None) -> dict[str, Any]:
    return {"results": {"tests": list(tests), "extra": {"errors": errors or []}}}


PASSED = {"name": "rows", "status": "passed", "duration": 12}
FAILED = {"name": "sums", "status": "failed", "message": "1 != 2"}


def test_a_full_reward_with_passing_checks_is_graded() -> None:
    reading = read_left(left(reward_json={"reward": 1, "check.rows": 1}, ctrf_json=ctrf(PASSED)))
    assert (reading.outcome, reading.reward) == ("graded", 1.0)
    assert reading.rewards == {"reward": 1.0, "check.rows": 1.0}
    assert [(c.id, c.status, c.duration_s) for c in reading.checks] == [("rows", "passed", 0.012)]


def test_nothing_written_is_no_reward_not_zero() -> None:
    reading = read_left(left(1))
    assert (reading.outcome, reading.reward) == ("verifier_error", None)
    assert reading.detail == "no reward was written (exit 1)"


def test_reward_0_means_three_things_that_stay_apart() -> None:
    nothing_ran = read_left(left(reward_txt="0", ctrf_json=ctrf()))
    not_started = read_left(left(127, reward_txt="0"))
    failed = read_left(left(1, reward_txt="0", ctrf_json=ctrf(FAILED)))
    assert nothing_ran.outcome == not_started.outcome == "verifier_error"
    assert nothing_ran.detail == "0 checks ran although a reward of 0 was written"
    assert "could not start (exit 127: a command was not found)" in not_started.detail
    assert (failed.outcome, failed.reward) == ("graded", 0.0)


@pytest.mark.parametrize(
    "line",
    [
        "/tests/test.sh: line 4: pytest: command not found",
        "/usr/bin/python3: No module named pytest",
        "curl: (6) Could not resolve host: install.example",
        "E: Unable to locate package python3-pytest",
    ],
)
def test_a_verifier_that_cannot_install_its_runner_did_not_fail_the_work(line: str) -> None:
    reading = read_left(left(0, reward_txt="0\n", log=f"installing\n{line}\n"))
    assert reading.outcome == "verifier_error"
    assert reading.detail == f"0 checks ran: verifier could not start ({line})"


def test_a_log_line_never_decides_where_a_report_exists() -> None:
    log = "curl: (6) Could not resolve host: x\nPAS\nSED rows\n"
    reading = read_left(left(reward_json={"reward": 1}, ctrf_json=ctrf(PASSED), log=log))
    assert reading.outcome == "graded"
    assert len(reading.checks) == 1


def test_a_reward_without_any_report_is_one_check_named_reward() -> None:
    for text, status in (("1", "passed"), ("0.5", "failed"), ("0", "failed")):
        reading = read_left(left(1, reward_txt=text))
        assert reading.outcome == "graded"
        assert [(c.id, c.status) for c in reading.checks] == [("reward", status)]


def test_reward_files_that_disagree_are_an_error_with_both_values() -> None:
    reading = read_left(left(reward_json={"reward": 1}, reward_txt="0", ctrf_json=ctrf(PASSED)))
    assert (reading.outcome, reading.reward) == ("verifier_error", None)
    assert reading.detail == "reward.json says 1, reward.txt says 0"


def test_reward_files_that_agree_count_once() -> None:
    reading = read_left(left(reward_json={"reward": 1, "x": 3}, reward_txt="1.0\n"))
    assert (reading.outcome, reading.reward, reading.rewards["x"]) == ("graded", 1.0, 3.0)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("reward.txt", "", "it is empty"),
        ("reward.txt", "nan", "'nan' is not one number"),
        ("reward.txt", "1_0", "'1_0' is not one number"),
        ("reward.txt", "1 0", "'1 0' is not one number"),
        ("reward.txt", "9" * 400, "it is not a finite number"),
        ("reward.json", "", "not JSON at line 1"),
        ("reward.json", "{}", "it is empty"),
        ("reward.json", '{"reward": NaN}', "'reward' is not a finite number"),
        ("reward.json", '{"reward": 1e999}', "'reward' is not a finite number"),
        ("reward.json", '{"reward": true}', "'reward' is a truth value, not a number"),
        ("reward.json", '{"reward": "1"}', "'reward' is text, not a number"),
        ("reward.json", '{"reward": {"a": 1}}', "'reward' is an object, not a number"),
        ("reward.json", "[1]", "it is a list, not a number"),
        ("reward.json", '{"reward": 0, "reward": 1}', "a key stands in it twice"),
        ("reward.json", "[" * 5000, "it is nested too deep"),
    ],
)
def test_a_reward_file_that_says_no_number_is_refused(name: str, text: str, reason: str) -> None:
    files = {name: Found(state="read", data=text.encode())}
    reading = read_left(Left(files=files, exit=0))
    assert (reading.outcome, reading.reward) == ("verifier_error", None)
    assert reading.detail == f"{name} cannot be read: {reason}"


def test_a_refused_reward_file_says_why() -> None:
    reading = read_left(left(reward_txt=Found(state="refused", reason="it is a FIFO")))
    assert reading.detail == "reward.txt was refused: it is a FIFO"
    long = read_left(left(reward_txt="1" * (REWARD_LIMIT + 1)))
    assert long.detail == f"reward.txt was refused: longer than {REWARD_LIMIT} bytes"


def test_several_numbers_without_one_named_reward_are_no_reward() -> None:
    reading = read_left(left(reward_json={"quality": 1, "speed": 0}))
    assert reading.outcome == "verifier_error"
    assert reading.detail == "reward.json names no `reward` among 2 numbers"
    assert read_left(left(reward_json={"score": 1})).reward == 1.0


def test_a_timeout_is_told_with_or_without_a_reward_already_written() -> None:
    with_reward = read_left(left(None, timed_out=True, reward_json={"reward": 1}))
    without = read_left(left(None, timed_out=True))
    assert with_reward.outcome == without.outcome == "verifier_timeout"
    assert with_reward.reward is None
    assert with_reward.rewards == {"reward": 1.0}
    assert with_reward.detail.endswith("limit; a reward of 1 had been written")
    assert without.detail.endswith("limit")


def test_a_collection_error_is_a_verifier_error_with_its_last_line() -> None:
    fault = "collection of test_state.py: E  x\nE   ModuleNotFoundError: No module named 'numpy'"
    reading = read_left(left(2, ctrf_json=ctrf(errors=[fault])))
    assert reading.outcome == "verifier_error"
    assert "No module named 'numpy'" in reading.detail
    assert "exit 2" in reading.detail


def test_a_killed_verifier_names_the_signal() -> None:
    assert read_left(left(137)).detail == "no reward was written (killed by signal 9)"


def test_odd_check_names_stay_apart() -> None:
    names = ["t[1 + 1]", "t[a - b]", "t[PASSED]", "t[\n]", "t[a - b]"]
    tests = [{"name": name, "status": "passed"} for name in names]
    reading = read_left(left(reward_json={"reward": 1}, ctrf_json=ctrf(*tests)))
    assert [c.id for c in reading.checks] == [*names[:4], "t[a - b]#2"]


def test_what_our_plug_in_records_is_read_back() -> None:
    extra = {
        "id": "sums",
        "title": "sums add up",
        "weight": 2.0,
        "guard": True,
        "expected": "[1, 2]",
        "actual": "[1]",
        "paths": ["/app/out.json", 3],
    }
    test = {"name": "x", "status": "failed", "rawStatus": "error", "message": "m", "line": 7}
    reading = read_left(
        left(
            1,
            reward_json={"reward": 0},
            ctrf_json=ctrf({**test, "filePath": "t.py", **{"extra": extra}}),
        )
    )
    check = reading.checks[0]
    assert (check.id, check.title, check.status) == ("sums", "sums add up", "error")
    assert (check.weight, check.guard, check.line, check.file) == (2.0, True, 7, "t.py")
    assert (check.expected, check.actual, check.paths) == ("[1, 2]", "[1]", ("/app/out.json",))


def test_a_contradiction_between_reward_and_checks_is_said() -> None:
    reading = read_left(left(reward_json={"reward": 1}, ctrf_json=ctrf(PASSED, FAILED)))
    assert reading.outcome == "graded"
    assert reading.detail.endswith("the reward contradicts the checks")


def test_an_unknown_check_status_is_an_error_not_a_pass() -> None:
    test = {"name": "x", "status": "fine"}
    assert read_left(left(reward_txt="1", ctrf_json=ctrf(test))).checks[0].status == "error"


@pytest.mark.parametrize("text", ["", "[]", '{"results": {}}', '{"results": {"tests": [{}]}}'])
def test_a_broken_report_is_an_error_although_a_reward_exists(text: str) -> None:
    reading = read_left(left(reward_txt="1", ctrf_json=Found(state="read", data=text.encode())))
    assert reading.outcome == "verifier_error"
    assert reading.detail.startswith("ctrf.json cannot be read")


JUNIT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="ok" time="0.25"/>
<testcase classname="tests.test_a" name="bad"><failure message="1 != 2">trace</failure></testcase>
<testcase classname="tests.test_a" name="boom"><error>no fixture</error></testcase>
<testcase name="off"><skipped/></testcase>
</testsuite></testsuites>"""


def test_a_junit_report_gives_checks() -> None:
    reading = read_left(left(1, reward_txt="0", junit_xml=JUNIT))
    assert [(c.id, c.status) for c in reading.checks] == [
        ("tests.test_a::ok", "passed"),
        ("tests.test_a::bad", "failed"),
        ("tests.test_a::boom", "error"),
        ("off", "skipped"),
    ]
    assert reading.checks[1].message == "1 != 2"
    assert reading.checks[0].duration_s == 0.25


def test_junit_with_a_document_type_is_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="&a;"/></testsuite>'
    reading = read_left(left(reward_txt="1", junit_xml=bomb))
    assert reading.detail == "junit.xml cannot be read: it declares a document type"


found = st.one_of(
    st.just(Found()),
    st.builds(Found, state=st.just("refused"), reason=st.text(max_size=20)),
    st.builds(
        Found,
        state=st.just("read"),
        data=st.one_of(
            st.binary(max_size=80),
            st.sampled_from([b"0", b"1", b'{"reward": 1}', b'{"reward": 0, "check.a": 0}']),
            st.recursive(
                st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(
                        st.sampled_from(
                            ["reward", "results", "tests", "name", "extra", "errors", "x"]
                        ),
                        inner,
                        max_size=3,
                    )
                ),
                max_leaves=12,
            ).map(lambda value: json.dumps(value).encode()),
        ),
    ),
)


@given(
    st.dictionaries(st.sampled_from(REPORT_FILES), found, max_size=4),
    st.sampled_from([None, 0, 1, 2, 5, 127, 137]),
    st.booleans(),
    st.text(max_size=30),
)
def test_any_files_give_one_outcome_and_no_reward_is_invented(
    files: dict[str, Found], exit: int | None, timed_out: bool, log: str
) -> None:
    reading = read_left(Left(files=files, exit=exit, timed_out=timed_out, log=log))
    if reading.outcome == "graded":
        assert reading.reward is not None
        assert math.isfinite(reading.reward)
        assert reading.checks
        assert not timed_out
        assert any(files.get(n, Found()).state == "read" for n in ("reward.json", "reward.txt"))
        assert all(f.state != "refused" for n, f in files.items() if n.startswith("reward"))
    else:
        assert reading.outcome in ("verifier_error", "verifier_timeout")
        assert reading.reward is None
        assert reading.detail
    assert len({c.id for c in reading.checks}) == len(reading.checks)
