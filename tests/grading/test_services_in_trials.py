"""Declared services: healthy before the actor, ended with grace, running again for the checks."""

from collections.abc import Callable

import pytest

from facet.types.manifest import Manifest, Service
from facet.types.trial import Trial
from tests.grading.conftest import make_task

pytestmark = pytest.mark.docker

Act = Callable[..., Trial]

REDIS = Manifest(
    services=(
        Service(
            name="redis",
            command="redis-server --dir /app --save 3600 1 --daemonize no",
            port=6379,
            health="redis-cli ping | grep -q PONG",
        ),
    )
)
CHECKS = """
import socket, pytest

def ask(line):
    with socket.create_connection(("127.0.0.1", 6379), timeout=5) as link:
        link.sendall(line.encode() + b"\\r\\n")
        return link.recv(1000).decode()

@pytest.mark.check(id="kept", title="the key is stored")
def test_kept():
    assert ask("GET answer") == "$2\\r\\n42\\r\\n"

@pytest.mark.check(id="alive", title="the store answers", guard=True)
def test_alive():
    assert ask("PING") == "+PONG\\r\\n"
"""


def test_data_of_a_service_survives_the_snapshot(nop: Act, act: Act) -> None:
    task = make_task(checks=CHECKS, manifest=REDIS)
    before = nop(task)
    assert [(c.id, c.status) for c in before.checks] == [("kept", "failed"), ("alive", "passed")]
    after = act("#!/bin/bash\nset -e\nredis-cli set answer 42\n", task, actor="oracle")
    assert after.full, (after.detail, [c.message for c in after.checks])


def test_a_service_the_actor_broke_fails_its_checks_and_is_named(act: Act) -> None:
    script = "#!/bin/bash\nrm -f /usr/bin/redis-server /usr/bin/redis-check-rdb\n"
    trial = act(script, make_task(checks=CHECKS, manifest=REDIS))
    assert (trial.outcome, trial.reward) == ("graded", 0.0)
    assert "after the actor: service redis does not start" in trial.detail
    assert {c.status for c in trial.checks} == {"failed"}


def test_a_service_that_never_starts_is_a_fault_of_the_environment(nop: Act, act: Act) -> None:
    broken = Manifest(services=(Service(name="web", command="no-such-program", port=8080),))
    for trial in (nop(make_task(manifest=broken)), act("#!/bin/sh\n", make_task(manifest=broken))):
        assert (trial.outcome, trial.reward) == ("build_failed", None)
        assert "service web does not start" in trial.detail


def test_a_clock_shift_does_not_reach_the_services(nop: Act) -> None:
    from facet.conditions import Conditions

    shifted = Conditions(clock_shift="+400d")
    trial = nop(make_task(checks=CHECKS, manifest=REDIS), conditions=shifted)
    assert [(c.id, c.status) for c in trial.checks] == [("kept", "failed"), ("alive", "passed")]
