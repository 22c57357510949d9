"""Environments in real containers: built offline, served, probed, compared."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from facet.assemble import environment_from, solution_from, verifier_from
from facet.base_images import base_ready
from facet.errors import BuildError, EngineError
from facet.images import Images
from facet.judge import judge
from facet.packages import layer_image
from facet.realize import Realized, realize, start
from facet.resources import FetchPolicy
from facet.sandbox.docker import DockerEngine
from facet.statediff import differences, equivalent, final_state
from facet.types.asks import SolutionReply, TestFile, VerifierReply
from facet.types.manifest import Manifest, Package, PlannedFile, Resource, Service, User
from facet.types.task import Environment, Instruction, Task
from tests.conftest import missing
from tests.engines import session_engine
from tests.test_resources import DATA, Server

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def engine(docker_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerEngine]:
    """An engine with the base image at hand."""
    with session_engine(tmp_path_factory.mktemp("locks")) as made:
        try:
            base_ready(made)
        except EngineError as error:
            missing("DOCKER", str(error))
        yield made


PLAN = Manifest(
    files=(
        PlannedFile(path="/app/data/in put".replace(" ", "-"), data=b"a,b\n1,2\n", mode="0640"),
        PlannedFile(path="/app/out", kind="dir", owner="ann"),
        PlannedFile(path="/app/latest", kind="link", target="data/in-put"),
    ),
    users=(User(name="ann", uid=1500),),
    env=(("GREETING", "say \"hi\" $HOME 'x'"),),
    setup=("printf made >/app/made.txt",),
    services=(
        Service(
            name="redis",
            command="redis-server --port 6390 --dir /srv",
            port=6390,
            health="redis-cli -p 6390 ping",
        ),
        Service(name="web", command="exec python3 -m http.server 8090", port=8090, user="ann"),
        Service(name="ticker", command="while :; do sleep 1; done"),
    ),
)


def test_an_environment_is_realized_as_planned(engine: DockerEngine) -> None:
    made = realize(engine, environment_from(PLAN))
    try:
        found = made.manifest
        assert found.mismatches == ()
        assert {f.path for f in found.files} >= {"/app/data/in-put", "/app/made.txt", "/app/latest"}
        assert [(s.name, s.running, s.port_open) for s in found.services] == [
            ("redis", True, True),
            ("web", True, True),
            ("ticker", True, None),
        ]
        assert found.workdir == "/app"
        assert found.for_prompt() == realize_again(engine).for_prompt()
        with start(engine, made) as box:
            box.exec(["redis-cli", "-p", "6390", "set", "k", "v"], timeout_s=60)
            box.end_processes(grace_s=10.0)
            assert len(box.processes()) == 2
            assert box.read("/srv/dump.rdb")  # redis saves on SIGTERM only
    finally:
        engine.remove_image(made.image)


def realize_again(engine: DockerEngine):  # type: ignore[no-untyped-def]
    made = realize(engine, environment_from(PLAN))
    engine.remove_image(made.image)
    return made.manifest


def test_what_the_image_lacks_is_named(engine: DockerEngine) -> None:
    plan = Manifest(
        files=(
            PlannedFile(path="/app/kept", data=b"kept"),
            PlannedFile(path="/app/gone", data=b"gone"),
            PlannedFile(path="/app/changed", data=b"old"),
        ),
        setup=("rm /app/gone && printf new >/app/changed",),
        services=(Service(name="dead", command="echo no config >&2; exit 3", port=6391),),
    )
    made = realize(engine, environment_from(plan))
    engine.remove_image(made.image)
    found = {(m.what, m.name): m.found for m in made.manifest.mismatches}
    assert set(found) == {("file", "/app/gone"), ("file", "/app/changed"), ("service", "dead")}
    assert "no config" in found["service", "dead"]


def test_a_broken_setup_is_the_plans_fault_with_its_line(engine: DockerEngine) -> None:
    plan = Manifest(setup=("echo fine", "ls /not/there"))
    with pytest.raises(BuildError) as caught:
        realize(engine, environment_from(plan))
    assert "/not/there" in caught.value.line
    assert "No such file" in caught.value.log


def test_with_its_server_gone_a_resource_still_builds(engine: DockerEngine, tmp_path: Path) -> None:
    server = Server()
    plan = Manifest(
        files=(PlannedFile(path="/app/pub.csv", resource="pub.csv"),),
        resources=(
            Resource(
                name="pub.csv", url=f"{server.url}/to/2", sha256=hashlib.sha256(DATA).hexdigest()
            ),
        ),
    )
    policy = FetchPolicy(private_hosts=True)
    first = realize(engine, environment_from(plan), policy=policy, cache=tmp_path)
    engine.remove_image(first.image)
    server.stop()
    again = realize(engine, environment_from(plan), policy=policy, cache=tmp_path)
    try:
        assert again.manifest.mismatches == ()
        with start(engine, again) as box:
            assert box.read("/app/pub.csv") == DATA
        assert server.asked == ["/to/2", "/to/1", "/data"]
    finally:
        engine.remove_image(again.image)


def test_with_its_server_gone_a_task_with_a_resource_is_graded(
    engine: DockerEngine, tmp_path: Path
) -> None:
    server = Server()
    plan = Manifest(
        files=(PlannedFile(path="/app/pub.csv", resource="pub.csv"),),
        resources=(
            Resource(
                name="pub.csv", url=f"{server.url}/data", sha256=hashlib.sha256(DATA).hexdigest()
            ),
        ),
    )
    tests = f"""\
import os
import pytest


@pytest.mark.check(id="size", title="The size of the published table is written down")
def test_size():
    assert open("/app/size").read().strip() == "{len(DATA)}"


@pytest.mark.check(id="kept", title="The published table stays", guard=True)
def test_kept():
    assert os.path.getsize("/app/pub.csv") == {len(DATA)}
"""
    task = Task(
        name="facet/resource",
        instruction=Instruction(text="Write the size of /app/pub.csv in bytes to /app/size."),
        environment=environment_from(plan),
        solution=solution_from(
            SolutionReply(script="#!/bin/bash\nset -e\nstat -c %s /app/pub.csv >/app/size\n")
        ),
        verifier=verifier_from(VerifierReply(files=(TestFile(path="test_state.py", text=tests),))),
    )
    policy = FetchPolicy(private_hosts=True)

    def fetch_and_build(environment: Environment) -> Realized:
        return realize(engine, environment, policy=policy, cache=tmp_path)

    engine.remove_image(fetch_and_build(task.environment).image)
    server.stop()
    with Images(engine, fetch_and_build) as images:
        judgement = judge(task, engine=engine, images=images)
    assert judgement.valid, judgement.deciding
    assert server.asked == ["/data"]


def test_a_package_layer_is_built_once_and_probed(engine: DockerEngine, tmp_path: Path) -> None:
    packages = (Package(name="cowsay"),)
    try:
        layer = layer_image(engine, "facet-base", packages, cache=tmp_path)
    except EngineError as error:
        pytest.skip(f"no package registry here: {error}")
    plan = Manifest(packages=packages, setup=("/usr/games/cowsay hi >/app/cow",))
    made = realize(engine, environment_from(plan), cache=tmp_path)
    engine.remove_image(made.image)
    engine.remove_image(layer)
    assert made.manifest.mismatches == ()
    assert made.manifest.packages[0].version


def test_final_states_tell_the_same_work_from_other_work(engine: DockerEngine) -> None:
    states = []
    for script in ("echo 1 >/app/a", "printf '1\\n' >/app/a; date >/tmp/x", "echo 2 >/app/a"):
        with engine.start("facet-base") as box:
            assert box.exec(["sh", "-c", script], timeout_s=60).ok
            states.append(final_state(box))
    assert equivalent(states[0], states[1])
    assert [d.path for d in differences(states[0], states[2])] == ["/app/a"]
