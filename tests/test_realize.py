"""Planned against found, without Docker: every kind of item, and hostile answers."""

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from facet import probe_script
from facet.assemble import environment_from
from facet.errors import BuildError, EngineError
from facet.probe import Answer, Question, probe, read_answer
from facet.realize import compare, question, realize, start
from facet.sandbox.fake import FakeCommand, FakeEngine, FakeReply, FakeSandbox
from facet.services import services_up, start_services
from facet.types.manifest import (
    Manifest,
    Package,
    PlannedFile,
    RealService,
    Resource,
    Service,
    User,
)
from facet.types.task import Environment, FileSet, text_file

DATA = b"a,b\n1,2\n"
SHA = hashlib.sha256(DATA).hexdigest()
PLAN = Manifest(
    files=(
        PlannedFile(path="/app/in.csv", data=DATA, owner="ann", group="team", mode="0640"),
        PlannedFile(path="/app/out", kind="dir"),
        PlannedFile(path="/app/link", kind="link", target="/app/in.csv"),
        PlannedFile(path="/app/pub", resource="pub"),
    ),
    packages=(Package(name="tree"), Package(name="six", kind="wheel", version="1.17.0")),
    services=(Service(name="redis", command="redis-server", port=6379),),
    users=(User(name="ann", uid=1500),),
    env=(("MODE", "a b"),),
    resources=(Resource(name="pub", url="http://x/pub", sha256=SHA),),
)
UP = (RealService(name="redis", running=True, port_open=True),)


def as_planned() -> dict[str, Any]:
    file = {"kind": "file", "size": len(DATA), "mode": "0644", "owner": "root", "group": "root"}
    head = base64.b64encode(DATA).decode()
    return {
        "files": {
            "/app/in.csv": {
                **file, "mode": "0640", "owner": "ann", "group": "team", "sha256": SHA, "head": head
            },
            "/app/out": {**file, "kind": "dir", "mode": "0755", "size": 4096},
            "/app/link": {**file, "kind": "link", "mode": "0777", "target": "/app/in.csv"},
            "/app/pub": {**file, "sha256": SHA},
            "/app/extra.bin": {**file, "sha256": "0" * 64, "head": "AAE="},  # 0 and 1
            "/app/fifo": {**file, "kind": "other"},
        },
        "packages": {"tree": "2.1.0"},
        "wheels": {"six": "1.17.0"},
        "users": {"ann": {"uid": 1500, "home": "/home/ann", "shell": "/bin/bash"}},
        "env": {"MODE": "a b"},
        "workdir": "/app",
        "architecture": "x86_64",
    }  # fmt: skip


def test_a_container_as_planned_has_no_mismatch() -> None:
    found = compare(PLAN, Answer.model_validate(as_planned()), UP)
    assert found.mismatches == ()
    files = {f.path: f for f in found.files}
    assert files["/app/in.csv"].head == DATA.decode()
    assert files["/app/extra.bin"].head == ""
    assert files["/app/out"].size == 0
    assert "/app/fifo" not in files
    assert found.users == ("ann",)
    assert [p.version for p in found.packages] == ["2.1.0", "1.17.0"]


BROKEN: list[tuple[tuple[str, ...], Any, tuple[str, str]]] = [
    (("files", "/app/in.csv"), None, ("file", "nothing there")),
    (("files", "/app/in.csv", "sha256"), "1" * 64, ("file", "sha256 111111111111")),
    (("files", "/app/in.csv", "mode"), "0644", ("file", "mode 0644")),
    (("files", "/app/in.csv", "owner"), "root", ("file", "owner root")),
    (("files", "/app/in.csv", "group"), "root", ("file", "group root")),
    (("files", "/app/out", "kind"), "file", ("file", "file")),
    (("files", "/app/link", "target"), "/etc/passwd", ("file", "/etc/passwd")),
    (("files", "/app/pub", "sha256"), "2" * 64, ("resource", "sha256 222222222222")),
    (("files", "/app/pub"), None, ("resource", "nothing there")),
    (("packages",), {}, ("package", "not installed")),
    (("wheels",), {"six": "1.0"}, ("package", "1.0")),
    (("users",), {}, ("user", "no such login")),
    (("users", "ann", "uid"), 7, ("user", "uid 7")),
    (("env",), {}, ("env", "not set")),
    (("env", "MODE"), "a", ("env", "a")),
    (("workdir",), "/", ("workdir", "/")),
]


@pytest.mark.parametrize(("where", "value", "mismatch"), BROKEN, ids=lambda v: str(v)[:30])
def test_each_missing_or_altered_item_is_one_mismatch(
    where: tuple[str, ...], value: Any, mismatch: tuple[str, str]
) -> None:
    answer = as_planned()
    inner = answer
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    (found,) = compare(PLAN, Answer.model_validate(answer), UP).mismatches
    assert found.what == mismatch[0]
    assert mismatch[1] in found.found


@pytest.mark.parametrize(
    ("service", "what"),
    [
        (RealService(name="redis", running=False, port_open=False, detail="ended"), "service"),
        (RealService(name="redis", running=True, port_open=False), "port"),
    ],
)
def test_a_service_that_is_not_up_is_a_mismatch(service: RealService, what: str) -> None:
    (found,) = compare(PLAN, Answer.model_validate(as_planned()), (service,)).mismatches
    assert found.what == what


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        '{"files": 3}',
        "[" * 100_000,
        '{"files": {"/x": {"kind": "evil"}}}',
    ],
)
def test_an_answer_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BuildError):
        read_answer(text)


def test_names_that_are_not_utf8_do_not_break_the_answer() -> None:
    answer = as_planned()
    answer["files"]["/app/\udcff"] = answer["files"]["/app/pub"]
    found = compare(PLAN, read_answer(json.dumps(answer)), UP)
    assert "/app/?" in {f.path for f in found.files}


def test_the_script_in_the_container_sees_real_files(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "größe.txt").write_text("inhalt")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "noise").touch()
    fifo = tmp_path / "fifo"
    subprocess.run(["mkfifo", str(fifo)], check=True)
    asked = Question(
        paths=(str(fifo), str(tmp_path / "absent")), roots=(str(tmp_path),), env=("HOME",)
    )
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(asked.to_json()))
    done = subprocess.run(
        [sys.executable, "-I", str(probe_script.__file__), str(plan)],
        capture_output=True,
        check=True,
        timeout=60,
    )
    found = read_answer(done.stdout.decode()).files
    deep = found[str(tmp_path / "deep" / "er" / "größe.txt")]
    assert deep is not None
    assert deep.head_text == "inhalt"
    assert deep.sha256 == hashlib.sha256(b"inhalt").hexdigest()
    link = found[str(tmp_path / "link")]
    assert link is not None
    assert (link.kind, link.target, link.sha256) == ("link", "/etc/passwd", "")
    other = found[str(fifo)]
    assert other is not None
    assert other.kind == "other"
    assert found[str(tmp_path / "absent")] is None
    assert str(tmp_path / ".git" / "noise") not in found


def test_system_folders_are_not_listed_for_one_planned_file() -> None:
    plan = Manifest(files=(PlannedFile(path="/etc/hosts.d", data=b""),
                           PlannedFile(path="/srv/shop/a.csv", data=b"")))  # fmt: skip
    assert question(plan).roots == ("/app", "/srv/shop")


def handler(answer: dict[str, Any], services: str = "0 1 1 1 Cg==\n") -> Any:
    def reply(sandbox: FakeSandbox, command: FakeCommand) -> FakeReply:
        if any("probe.py" in word for word in command.argv):
            return FakeReply(stdout=json.dumps(answer).encode())
        if "/var/log/facet" in command.script:
            return FakeReply(stdout=services.encode())
        return FakeReply()

    return reply


def planned() -> Manifest:
    return PLAN.model_copy(update={"packages": (), "resources": (), "files": PLAN.files[:3]})


def test_realize_builds_probes_and_keeps_only_the_image() -> None:
    engine = FakeEngine(handler(as_planned()))
    before = len(engine.image_ids())
    made = realize(engine, environment_from(planned()))
    assert made.manifest.mismatches == ()
    assert made.manifest.image == made.image
    assert engine.running == {}
    assert len(engine.image_ids()) == before + 1
    with start(engine, made) as box:
        assert box.alive()
    assert engine.running == {}


def test_an_engine_that_fails_while_looking_leaves_no_image() -> None:
    def lost(sandbox: FakeSandbox, command: FakeCommand) -> FakeReply:
        if any("probe.py" in word for word in command.argv):
            sandbox.vanish()
        return FakeReply(stdout=json.dumps(as_planned()).encode())

    engine = FakeEngine(lost)
    before = engine.image_ids()
    with pytest.raises(EngineError):
        realize(engine, environment_from(planned()))
    assert engine.image_ids() == before
    assert engine.running == {}


def test_a_foreign_environment_is_only_built() -> None:
    engine = FakeEngine()
    files = FileSet(files=(text_file("Dockerfile", "FROM facet-base\n"),))
    made = realize(engine, Environment(files=files))
    assert made.manifest.files == ()
    assert made.planned is None


def test_a_probe_that_never_ends_is_not_the_tasks_fault() -> None:
    engine = FakeEngine(lambda sandbox, command: FakeReply(takes_s=1e6))
    with engine.start("facet-base") as box, pytest.raises(EngineError):
        probe(box, Question())


def test_a_container_without_python_is_the_tasks_fault() -> None:
    engine = FakeEngine(lambda sandbox, command: FakeReply(exit=127, stderr=b"no python3"))
    with engine.start("facet-base") as box, pytest.raises(BuildError, match="no python3"):
        probe(box, Question())


@pytest.mark.parametrize(
    ("row", "running", "port", "detail"),
    [
        ("0 1 1 1 Cg==", True, True, "healthy"),
        ("0 0 1 0 Ym9vbQo=", False, False, "not healthy; its log ends: boom"),
        ("0 0 0 0 Ym9vbQo=", False, False, "ended at once; its log ends: boom"),
        ("0 0 0 0 %%%", False, False, "its log ends: ?"),
        ("garbage", False, None, "bash said nothing"),
    ],
)
def test_the_state_of_a_service_is_read_from_one_line(
    row: str, running: bool, port: bool | None, detail: str
) -> None:
    engine = FakeEngine(lambda sandbox, command: FakeReply(stdout=f"noise\n{row}\n".encode()))
    with engine.start("facet-base") as box:
        (state,) = services_up(box, PLAN)
        assert (state.running, state.port_open) == (running, port)
        assert detail in state.detail
        if not running:
            with pytest.raises(BuildError, match="redis"):
                start_services(box, PLAN)
