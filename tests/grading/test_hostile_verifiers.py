"""Verifiers that break, hang, flood or forge: bounded time and memory, and the right outcome."""

from collections.abc import Callable

import pytest

from facet.types.task import Settings
from facet.types.trial import Trial
from tests.grading.conftest import make_task

pytestmark = pytest.mark.docker

Act = Callable[..., Trial]

SHORT = Settings(agent_timeout_sec=60, verifier_timeout_sec=12)


def foreign(body: str, settings: Settings | None = None):  # type: ignore[no-untyped-def]
    return make_task(test_sh=f"#!/bin/bash\n{body}\n", settings=settings)


@pytest.mark.parametrize(
    ("body", "outcome", "detail"),
    [
        ("true", "verifier_error", "no reward was written"),
        ("exit 1", "verifier_error", "no reward was written (exit 1)"),
        ("mkfifo $L/reward.txt", "verifier_error", "reward.txt was refused: it is a FIFO"),
        (
            "truncate -s 500M $L/reward.txt",
            "verifier_error",
            "reward.txt was refused: it has 524288000 bytes, 65536 are allowed",
        ),
        (
            "ln -s /etc/passwd $L/reward.txt",
            "verifier_error",
            "reward.txt was refused: it is a link",
        ),
        ("mkdir $L/reward.json", "verifier_error", "reward.json was refused: it is a folder"),
        (
            "echo '{\"reward\": 1}' > $L/reward.json; echo 0 > $L/reward.txt",
            "verifier_error",
            "reward.json says 1, reward.txt says 0",
        ),
        (
            "curl -sSf https://install.example/run.sh | sh; pytest /tests; echo 0 > $L/reward.txt",
            "verifier_error",
            "0 checks ran: verifier could not start (curl: (6) Could not resolve host:"
            " install.example)",
        ),
        ("echo 0 > $L/reward.txt; exit 127", "verifier_error", "0 checks ran: verifier could not"),
        (
            "rm -rf $L; ln -s /app $L; echo 1 > /app/reward.txt",
            "verifier_error",
            "reward.json was refused: /logs/verifier is a link",
        ),
        ("echo 0 > $L/reward.txt", "graded", "reward 0, 0 of 1 checks"),
        ("echo 1 > $L/reward.txt; exit 1", "graded", "reward 1, 1 of 1 checks"),
    ],
)
def test_what_a_foreign_verifier_left_decides(
    nop: Act, body: str, outcome: str, detail: str
) -> None:
    trial = nop(foreign(f"L=/logs/verifier\n{body}"))
    assert trial.outcome == outcome
    assert trial.detail.startswith(detail)
    assert (trial.reward is None) == (outcome != "graded")


def test_a_planted_reward_does_not_outlive_a_verifier_that_crashes(act: Act) -> None:
    trial = act("#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n", foreign("kill -9 $$"))
    assert (trial.outcome, trial.reward) == ("verifier_error", None)
    assert trial.detail == "no reward was written (killed by signal 9)"
    assert [t.path for t in trial.tamper] == ["/logs/verifier/reward.txt"]


def test_thirty_megabytes_of_output_are_cut_and_the_report_comes_from_its_file(nop: Act) -> None:
    body = """
head -c 30000000 /dev/zero | tr '\\0' x
printf '\\xff\\xfe not text\\n'
echo '{"results": {"tests": [{"name": "t[PASSED]", "status": "failed"}]}}' \
  > /logs/verifier/ctrf.json
echo 0 > /logs/verifier/reward.txt
"""
    trial = nop(foreign(body))
    assert (trial.outcome, trial.reward) == ("graded", 0.0)
    assert [(c.id, c.status) for c in trial.checks] == [("t[PASSED]", "failed")]
    log = trial.verifier_log
    assert log.bytes_total > 30_000_000
    assert log.bytes_cut == log.bytes_total - 1_000_000
    assert "bytes cut" in log.text
    assert "\ufffd\ufffd not text" in log.text


def test_a_child_that_holds_stdout_open_delays_nothing(nop: Act) -> None:
    trial = nop(foreign("sleep 500 &\necho 1 > /logs/verifier/reward.txt"))
    assert trial.outcome == "graded"
    assert trial.verifier_s < 60


def test_a_verifier_that_hangs_is_a_timeout_with_or_without_a_reward(nop: Act) -> None:
    with_reward = nop(foreign("echo 1 > /logs/verifier/reward.txt; sleep 500", SHORT))
    assert (with_reward.outcome, with_reward.reward) == ("verifier_timeout", None)
    assert with_reward.detail.endswith("a reward of 1 had been written")
    hanging = "import time\ndef test_hangs():\n    time.sleep(500)\n"
    without = nop(make_task(checks=hanging, settings=SHORT))
    assert (without.outcome, without.reward) == ("verifier_timeout", None)
    assert "test_hangs" in without.verifier_log.text


def test_a_fork_bomb_ends_as_a_timeout_or_an_error_never_as_a_verdict(nop: Act) -> None:
    bomb = "f() { f | f & }; f; while :; do sleep 1 || true; done"
    trial = nop(foreign(bomb, SHORT))
    assert trial.outcome in ("verifier_timeout", "verifier_error")
    assert trial.reward is None


def test_a_check_that_ends_the_process_leaves_no_reward(nop: Act) -> None:
    checks = "import os\ndef test_a():\n    os._exit(0)\n"
    trial = nop(make_task(checks=checks))
    assert (trial.outcome, trial.detail) == ("verifier_error", "no reward was written")


def test_a_collection_error_is_not_a_failed_start_state(nop: Act) -> None:
    trial = nop(make_task(checks="import numpy_is_not_here\ndef test_a(): pass\n"))
    assert trial.outcome == "verifier_error"
    assert "No module named 'numpy_is_not_here'" in trial.detail


def test_a_check_that_rewrites_the_reward_file_changes_nothing_but_is_seen(nop: Act) -> None:
    checks = """
import subprocess

def test_forges():
    loop = 'while :; do echo 1 > /logs/verifier/reward.txt; sleep 0.01; done'
    subprocess.Popen(['sh', '-c', loop], start_new_session=True)
    assert False
"""
    wait = """
def test_wait():
    import os, time
    end = time.monotonic() + 50
    while not os.path.exists("/logs/verifier/reward.txt") and time.monotonic() < end:
        time.sleep(0.05)
"""
    trial = nop(make_task(checks=checks + wait))
    assert (trial.outcome, trial.reward) == ("graded", 0.0)
    assert ("/logs/verifier/reward.txt", "appeared while the checks ran") in {
        (t.path, t.detail) for t in trial.tamper
    }
