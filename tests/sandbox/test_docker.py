"""What only a real engine can show: hostile commands, limits, leftovers."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from facet.errors import BuildError, EngineError, EngineUnavailable, SandboxGone
from facet.sandbox.base import Mount, PutFile, SandboxOptions
from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_owner import OWNER, WORKSPACE
from facet.types.task import FileSet, text_file

pytestmark = pytest.mark.docker
ROOT = Path(__file__).resolve().parents[2]


def dockerfile(text: str) -> FileSet:
    return FileSet(files=(text_file("Dockerfile", text),))


def until(question: Callable[[], bool]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + 120
    while not question():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.05)


def test_a_fork_bomb_ends_at_its_deadline_and_the_container_lives(
    engine: DockerEngine, slim: str
) -> None:
    options = SandboxOptions(pids=120)
    with engine.start(slim, options) as box:
        bomb = "f() { f | f & }; f; sleep 300"
        assert box.exec(["bash", "-c", bomb], timeout_s=2.0).timed_out
        box.end_processes()
        assert len(box.processes()) == 2
        assert box.exec(["echo", "still here"], timeout_s=60).stdout.text == "still here\n"


def test_a_replaced_shell_keeps_nothing_alive(engine: DockerEngine, slim: str) -> None:
    with engine.start(slim) as box:
        evil = "cp /bin/true /bin/sh; cp /bin/true /bin/kill; setsid sleep 305 & sleep 305"
        assert box.exec(["bash", "-c", evil], timeout_s=2.0).timed_out
        assert len(box.processes()) == 2
        box.exec(["bash", "-c", "setsid sleep 306 >/dev/null 2>&1 &"], timeout_s=60)
        box.end_processes()
        assert len(box.processes()) == 2


def test_a_container_that_grows_past_its_limit_is_killed_with_that_reason(
    engine: DockerEngine, slim: str
) -> None:
    options = SandboxOptions(disk_mb=20)
    with engine.start(slim, options) as box:
        fill = "i=0; while :; do head -c 10000000 /dev/zero >/fill.$i; i=$((i+1)); sleep 0.2; done"
        result = box.exec(["sh", "-c", fill], timeout_s=120)
        assert not result.timed_out
        assert "20 MB" in result.killed
        assert "20 MB" in result.stderr.text
        with pytest.raises(SandboxGone, match="20 MB"):
            box.exec(["true"], timeout_s=10)
        assert not box.alive()
        assert box.read("/etc/debian_version"), "what it left can still be read"


def test_one_file_cannot_pass_the_file_size_limit(engine: DockerEngine, slim: str) -> None:
    with engine.start(slim, SandboxOptions(fsize_mb=1)) as box:
        assert not box.exec(["sh", "-c", "head -c 2000000 /dev/zero >/big"], timeout_s=60).ok
        box.put([PutFile(path="/other", data=b"x" * 2_000_000)])
        assert len(box.read("/other", max_bytes=3_000_000)) == 2_000_000


def test_endless_output_stays_bounded_and_ends_at_the_deadline(
    engine: DockerEngine, slim: str
) -> None:
    with engine.start(slim) as box:
        result = box.exec(["yes"], timeout_s=6.0, max_output=1000)
        assert result.timed_out
        assert len(result.stdout.text) < 1200
        assert result.stdout.bytes_cut == result.stdout.bytes_total - 1000
        box.end_processes()
        assert len(box.processes()) == 2


def test_a_flooding_child_does_not_delay_a_command_that_has_ended(
    engine: DockerEngine, slim: str
) -> None:
    with engine.start(slim) as box:
        result = box.exec(["sh", "-c", "yes & exit 4"], timeout_s=60, max_output=1000)
        assert result.exit == 4
        assert result.seconds < 30
        box.end_processes()


def test_the_default_container_has_no_network_and_few_privileges(
    engine: DockerEngine, slim: str
) -> None:
    with engine.start(slim) as box:
        look = "ls /sys/class/net; grep -E 'CapEff|NoNewPrivs' /proc/self/status"
        words = box.exec(["sh", "-c", look], timeout_s=60).stdout.text.split()
        assert words[0] == "lo"
        assert not {w for w in words if w.startswith("eth")}
        effective = int(words[words.index("CapEff:") + 1], 16)
        for number in (13, 27, 29, 21):  # net_raw, mknod, audit_write, sys_admin
            assert not effective >> number & 1
        for number in (0, 6, 7, 10):  # chown, setgid, setuid, net_bind_service
            assert effective >> number & 1
        assert words[words.index("NoNewPrivs:") + 1] == "1"
        assert not box.exec(["mknod", "/dev/x", "c", "1", "3"], timeout_s=60).ok


def test_a_mount_can_be_read_and_not_written(
    engine: DockerEngine, slim: str, tmp_path: Path
) -> None:
    (tmp_path / "given").write_text("by the host")
    options = SandboxOptions(mounts=(Mount(source=str(tmp_path), target="/given"),))
    with engine.start(slim, options) as box:
        assert box.exec(["cat", "/given/given"], timeout_s=60).stdout.text == "by the host"
        assert not box.exec(["touch", "/given/new"], timeout_s=60).ok
    assert not (tmp_path / "new").exists()


def test_services_end_by_sigterm_before_they_are_killed(engine: DockerEngine, slim: str) -> None:
    with engine.start(slim) as box:
        polite = "trap 'echo saved >/saved; exit' TERM; : >/up; while :; do sleep 0.1; done"
        wait = "until [ -e /up ]; do sleep 0.05; done"
        script = f"setsid bash -c {polite!r} >/dev/null 2>&1 & {wait}"
        assert box.exec(["bash", "-c", script], timeout_s=60).ok
        box.end_processes(grace_s=10.0)
        assert box.read("/saved") == b"saved\n"
        assert len(box.processes()) == 2


def test_a_snapshot_starts_as_its_image_would(engine: DockerEngine, slim: str) -> None:
    text = (
        f"FROM {slim}\nRUN printf '#!/bin/sh\\necho up >/up; exec \"$@\"\\n' >/in && chmod +x /in\n"
        'WORKDIR /srv\nENTRYPOINT ["/in"]\nCMD ["cat"]\n'
    )
    image = engine.build(dockerfile(text))
    snapshot = ""
    try:
        with engine.start(image, SandboxOptions(workdir="/tmp", user="nobody")) as box:
            with pytest.raises(FileNotFoundError):
                box.read("/up")
            snapshot = box.commit()
        with engine.start(snapshot, SandboxOptions(keep_entrypoint=True)) as again:
            assert again.read("/up") == b"up\n"
            assert again.exec(["pwd"], timeout_s=60).stdout.text == "/srv\n"
    finally:
        for made in (snapshot, image):
            if made:
                engine.remove_image(made)


def test_an_entrypoint_that_ends_is_an_engine_error(engine: DockerEngine, slim: str) -> None:
    text = f'FROM {slim}\nENTRYPOINT ["sh", "-c", "echo broken; exit 1"]\n'
    image = engine.build(dockerfile(text))
    try:
        with pytest.raises(EngineError):
            start_and_use(engine, image)
    finally:
        engine.remove_image(image)


def start_and_use(engine: DockerEngine, image: str) -> None:
    with engine.start(image, SandboxOptions(keep_entrypoint=True)) as box:
        until(lambda: not box.alive())
        box.exec(["true"], timeout_s=60)


def test_a_build_has_no_network_and_names_the_masked_failure(
    engine: DockerEngine, slim: str
) -> None:
    text = (
        f"FROM {slim}\nRUN rm -rf /var/lib/apt/lists/* && apt-get update || true\n"
        "RUN apt-get install -y no-such-package-anywhere\n"
    )
    with pytest.raises(BuildError) as caught:
        engine.build(dockerfile(text))
    assert "apt-get update || true" in caught.value.line
    assert "Unable to locate package" in caught.value.log


def test_a_build_past_its_deadline_names_the_step_and_leaves_no_container(
    engine: DockerEngine, slim: str
) -> None:
    first = engine.build(dockerfile(f"FROM {slim}\n"))  # so that all before RUN is in the cache
    try:
        with pytest.raises(BuildError, match="longer than 6 s") as caught:
            engine.build(dockerfile(f"FROM {slim}\nRUN sleep 302\n"), timeout_s=6)
    finally:
        engine.remove_image(first)
    assert "sleep 302" in caught.value.line
    ours = {"label": [next(f"{WORKSPACE}={v}" for v in [engine._workspace])]}
    until(lambda: not engine.api.containers(all=True, filters=ours))


def test_two_builds_of_one_context_do_not_take_each_others_image(
    engine: DockerEngine, slim: str
) -> None:
    context = dockerfile(f"FROM {slim}\nRUN touch /made\n")
    first, second = engine.build(context), engine.build(context)
    engine.remove_image(first)
    with engine.start(second) as box:
        assert box.read("/made") == b""
    engine.remove_image(second)


def test_threads_build_use_and_remove_the_same_context_at_once(
    engine: DockerEngine, slim: str
) -> None:
    context = dockerfile(f"FROM {slim}\nRUN touch /one\nRUN touch /two\n")

    def work(number: int) -> bytes:
        image = engine.build(context)
        try:
            with engine.start(image) as box:
                box.exec(["sh", "-c", f"printf {number} >/three"], timeout_s=60)
                return box.read("/three")
        finally:
            engine.remove_image(image)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(6))) == [str(n).encode() for n in range(6)]


def test_removing_a_snapshot_leaves_the_image_it_came_from(engine: DockerEngine, slim: str) -> None:
    image = engine.build(dockerfile(f"FROM {slim}\nRUN touch /made\n"))
    with engine.start(image) as box:
        snapshot = box.commit()
    engine.remove_image(snapshot)
    assert engine.image(image) == image
    engine.remove_image(image)


def test_a_base_image_nobody_has_is_not_the_tasks_fault(engine: DockerEngine) -> None:
    with pytest.raises(EngineError, match="cannot be fetched"):
        engine.build(dockerfile("FROM localhost:1/facet/absent:none\nRUN true\n"), timeout_s=120)
    with pytest.raises(EngineError, match="facet base build"):
        engine.start("facet-base-of-another-planet")


def test_no_server_is_engine_unavailable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    engine = DockerEngine("nobody", locks=tmp_path)
    with pytest.raises(EngineUnavailable):
        engine.check()
    with pytest.raises(EngineUnavailable):
        engine.build(dockerfile("FROM scratch\n"))


CRASHING = """
import os, sys
from pathlib import Path
from facet.sandbox.docker import DockerEngine
from facet.types.task import FileSet, text_file
engine = DockerEngine(sys.argv[1], locks=Path(sys.argv[2]))
box = engine.start(sys.argv[3])
snapshot = box.commit()
print(box.id, snapshot, flush=True)
file = text_file("Dockerfile", f"FROM {sys.argv[3]}\\nRUN touch /x\\nRUN sleep 303\\n")
engine.build(FileSet(files=(file,)))
"""


def test_leftovers_of_a_killed_process_are_reaped_and_nothing_else(
    docker_server: str, slim: str, tmp_path: Path
) -> None:
    label = f"tests-{os.getpid()}-{time.monotonic_ns()}"
    alive = DockerEngine(label, locks=tmp_path)
    with alive.start(slim) as living:
        child = subprocess.Popen(
            [sys.executable, "-c", CRASHING, label, str(tmp_path), slim],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        container, snapshot = child.stdout.readline().split()
        other = DockerEngine(label, locks=tmp_path)
        running = {"label": by(label)["label"], "status": ["running"]}
        until(lambda: len(other.api.containers(filters=running)) == 3)  # with the build's own
        assert other.reap() == 0, "the owners still live"
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        try:
            assert other.reap() >= 2
            left = {c["Id"] for c in other.api.containers(all=True, filters=by(label))}
            assert living.id in left
            assert container not in left
            assert other.image(snapshot) is None
            assert living.alive()
        finally:
            other.close()
    time.sleep(1.1)  # the builder's own layers are older than the next owner
    alive.close()
    last = DockerEngine(label, locks=tmp_path)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        last.close()
        last.reap()
        if not last.api.images(all=True, filters=by(label)) and not last.api.containers(
            all=True, filters=by(label)
        ):
            break
        time.sleep(1.0)
    assert last.api.images(all=True, filters=by(label)) == []
    assert last.api.containers(all=True, filters=by(label)) == []
    last.close()


def by(label: str) -> dict[str, list[str]]:
    return {"label": [f"{WORKSPACE}={label}"]}


def test_closing_an_engine_removes_what_it_still_has(
    docker_server: str, slim: str, tmp_path: Path
) -> None:
    label = f"tests-close-{uuid.uuid4().hex[:12]}"
    engine = DockerEngine(label, locks=tmp_path)
    box = engine.start(slim)
    snapshot = box.commit()
    (lock,) = tmp_path.glob("*.lock")
    engine.close()
    assert not lock.exists()
    check = DockerEngine(label, locks=tmp_path)
    assert check.image(snapshot) is None
    assert check.api.containers(all=True, filters={"label": [f"{OWNER}={lock}"]}) == []
    check.close()


def test_after_refusing_and_closing_no_container_of_busy_threads_is_left(
    slim: str, tmp_path: Path
) -> None:
    label = f"tests-refuse-{uuid.uuid4().hex[:12]}"
    engine = DockerEngine(label, locks=tmp_path)

    def keep_starting() -> str:
        try:
            while True:
                engine.start(slim)
        except EngineError as error:
            return str(error)

    watching = DockerEngine(f"{label}-other", locks=tmp_path)
    with ThreadPoolExecutor(3) as pool:
        busy = [pool.submit(keep_starting) for _ in range(3)]
        until(lambda: bool(watching.api.containers(filters=by(label))))
        engine.refuse()
        engine.close()
        assert {job.result() for job in busy} == {"the work was stopped: nothing more is started"}
    assert watching.api.containers(all=True, filters=by(label)) == []
    watching.close()
