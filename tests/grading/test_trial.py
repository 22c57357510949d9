"""Whole trials in real containers: acting, snapshot, grading, and every way they can end."""

from collections.abc import Callable

import pytest

from facet.conditions import Conditions
from facet.sandbox.base import Engine
from facet.trial import ActorSpec, run_trial
from facet.types.task import FileSet, Settings, text_file
from facet.types.trial import Trial
from tests.grading.conftest import CHECKS, SOLVE, make_task

pytestmark = pytest.mark.docker

Act = Callable[..., Trial]


def test_the_untouched_state_is_graded_and_fails_by_its_check(nop: Act) -> None:
    trial = nop(make_task())
    assert (trial.outcome, trial.reward, trial.actor_exit) == ("graded", 0.0, None)
    assert [(c.id, c.status, c.guard) for c in trial.checks] == [
        ("answer", "failed", False),
        ("hosts", "passed", True),
    ]
    assert trial.checks[0].paths == ("/app/answer.txt",)
    assert trial.rewards["fraction"] == 0.0
    assert trial.tamper == ()


def test_a_solved_state_is_graded_in_full_and_its_effect_is_recorded(act: Act) -> None:
    trial = act(SOLVE, actor="oracle")
    assert trial.full, trial.detail
    assert trial.actor_exit == 0
    assert {(c.path, c.change) for c in trial.changes} >= {("/app/answer.txt", "added")}
    assert not any(c.path.startswith(("/solution", "/tests")) for c in trial.changes)


def test_nothing_is_left_of_a_trial(act: Act, engine: object) -> None:
    act(SOLVE)
    api = engine.api  # type: ignore[attr-defined]
    filters = {"label": [f"facet.workspace={engine._workspace}"]}  # type: ignore[attr-defined]
    assert api.containers(all=True, filters=filters) == []
    assert api.images(filters=filters) == []


def test_a_script_that_fails_is_an_actor_error_not_a_failed_verdict(act: Act) -> None:
    trial = act("#!/bin/bash\necho trouble >&2\nexit 3\n")
    assert (trial.outcome, trial.actor_exit, trial.reward) == ("actor_error", 3, None)
    assert trial.detail == "solve.sh ended with exit code 3"
    assert "trouble" in trial.actor_log.text


def test_a_script_over_its_limit_is_an_actor_timeout_although_it_left_a_reward(act: Act) -> None:
    settings = Settings(agent_timeout_sec=8, verifier_timeout_sec=60)
    script = "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\nsleep 100\n"
    trial = act(script, make_task(settings=settings))
    assert (trial.outcome, trial.reward) == ("actor_timeout", None)
    assert trial.detail == (
        "the actor reached its limit of 8 s; it left a reward.txt, which counts for nothing"
    )


def test_a_daemon_of_the_actor_does_not_finish_the_work_later(act: Act) -> None:
    script = "#!/bin/bash\nsetsid sh -c 'sleep 12; printf 42 > /app/answer.txt' >/dev/null 2>&1 &\n"
    checks = f"import time\ntime.sleep(13)\n{CHECKS}"
    trial = act(script, make_task(checks=checks))
    assert (trial.outcome, trial.reward) == ("graded", 0.0)


LISTENS = """
import socket, pytest

@pytest.mark.check(id="port", title="something answers on 8123")
def test_port():
    with socket.create_connection(("127.0.0.1", 8123), timeout=5):
        pass
"""
SERVE = """#!/bin/bash
setsid python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &
for i in $(seq 500); do nc -z 127.0.0.1 8123 && exit 0; sleep 0.1; done
exit 1
"""


def test_live_grading_sees_a_process_of_the_actor_and_snapshot_grading_does_not(act: Act) -> None:
    settings = Settings(agent_timeout_sec=60, verifier_timeout_sec=60)
    live = settings.model_copy(update={"grading": "live"})
    assert act(SERVE, make_task(checks=LISTENS, settings=live)).reward == 1.0
    assert act(SERVE, make_task(checks=LISTENS, settings=settings)).reward == 0.0


CLOCK = """
import subprocess, time, os, pytest

@pytest.mark.check(id="clock", title="the checks' clock is in the future")
def test_clock():
    real = os.stat("/proc/self").st_ctime
    assert time.time() - real > 390 * 86400

@pytest.mark.check(id="child", title="so is the clock of what they start")
def test_child():
    seen = int(subprocess.run(["date", "+%s"], capture_output=True, text=True).stdout)
    assert abs(seen - time.time()) < 100

@pytest.mark.check(id="zone", title="the time zone is the one asked for")
def test_zone():
    assert time.strftime("%Z") == "XYZ"
"""


def test_conditions_shift_the_clock_and_set_variables(nop: Act, act: Act) -> None:
    shifted = Conditions(clock_shift="+400d", env=(("TZ", "XYZ-5"),))
    trial = nop(make_task(checks=CLOCK), conditions=shifted)
    assert trial.full, [c.message for c in trial.checks]
    plain = nop(make_task(checks=CLOCK))
    assert [c.status for c in plain.checks] == ["failed", "passed", "failed"]
    script = "#!/bin/bash\n[ $(date +%s) -gt $(( $(stat -c %Z /proc/self) + 390*86400 )) ]\n"
    assert act(script, conditions=shifted).actor_exit == 0


def test_a_clock_shift_tells_a_check_that_hard_codes_the_year(nop: Act) -> None:
    checks = "import time\ndef test_order():\n    assert time.time() < {}\n"
    import time

    task = make_task(checks=checks.format(time.time() + 100 * 86400))
    assert nop(task).reward == 1.0
    assert nop(task, conditions=Conditions(clock_shift="+400d")).reward == 0.0


def test_two_runs_of_one_state_say_the_same_word_for_word(nop: Act) -> None:
    first, second = nop(make_task()), nop(make_task(), check_order_seed=5)
    plain = {"duration_s": 0.0}
    assert [c.model_copy(update=plain) for c in first.checks] == [
        c.model_copy(update=plain) for c in second.checks
    ]
    assert first.detail == second.detail
    assert "facet-" not in first.checks[0].message


def test_an_image_that_is_not_here_is_infrastructure(engine: Engine) -> None:
    trial = run_trial(engine, "facet-not-built", make_task(), ActorSpec(actor="nop"))
    assert (trial.outcome, trial.reward) == ("infrastructure", None)
    assert "facet-not-built" in trial.detail


def test_a_final_state_without_a_working_folder_is_an_actor_error(act: Act) -> None:
    trial = act("#!/bin/bash\ncd / && rm -rf /app && touch /app\n")
    assert (trial.outcome, trial.actor_exit) == ("actor_error", 0)
    assert "does not start as a container" in trial.detail


FOREIGN = """FROM facet-base
RUN printf '#!/bin/sh\\nredis-server --port 6400 >/dev/null 2>&1 &\\nexec "$@"\\n' > /start.sh \\
 && chmod 755 /start.sh && useradd -m worker && chown worker /app
USER worker
ENTRYPOINT ["/start.sh"]
"""


def test_a_foreign_image_runs_its_entrypoint_and_acts_as_its_user(engine: Engine) -> None:
    image = engine.build(FileSet(files=(text_file("Dockerfile", FOREIGN),)))
    test_sh = """#!/bin/bash
for i in $(seq 500); do redis-cli -p 6400 ping >/dev/null 2>&1 && break; sleep 0.1; done
[ "$(redis-cli -p 6400 ping)" = PONG ] && [ "$(cat /app/who)" = worker ] && [ "$(id -un)" = worker ]
echo $((1 - $?)) > /logs/verifier/reward.txt
"""
    task = make_task(test_sh=test_sh)
    task = task.replace("environment", task.environment.model_copy(update={"manifest": None}))
    script = text_file("solve.sh", "#!/bin/bash\nid -un > /app/who\n", executable=True)
    try:
        solved = run_trial(engine, image, task, ActorSpec(actor="oracle", script=script))
        assert (solved.outcome, solved.reward) == ("graded", 1.0), solved
        assert run_trial(engine, image, task, ActorSpec(actor="nop")).reward == 0.0
        ours = make_task()
        write = text_file("solve.sh", SOLVE, executable=True)
        assert run_trial(engine, image, ours, ActorSpec(actor="oracle", script=write)).full
    finally:
        engine.remove_image(image)


def test_checks_may_import_a_module_beside_them_and_read_data_there(nop: Act) -> None:
    checks = """
import pathlib
from helpers import answer

def test_hosts():
    data = pathlib.Path(__file__).parent / "data/expected.txt"
    assert data.read_text() == answer()
"""
    task = make_task(checks=checks)
    files = task.verifier.files
    for path, text in (
        ("helpers.py", "def answer():\n    return '7'\n"),
        ("data/expected.txt", "7"),
    ):
        files = files.with_file(text_file(path, text))
    trial = nop(task.replace("verifier", task.verifier.model_copy(update={"files": files})))
    assert trial.reward == 1.0, trial
