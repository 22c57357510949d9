"""The parts of the Docker engine that need no Docker."""

import io
import math
import socket
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docker.errors import NotFound
from hypothesis import given
from hypothesis import strategies as st

from facet.errors import BaseMissing, BuildError, EngineError, SandboxGone
from facet.sandbox.base import ExecResult
from facet.sandbox.docker import DockerEngine
from facet.sandbox.docker_build import BuildLog, _classified, context_tar, with_labels
from facet.sandbox.docker_exec import Capture, Demux, run_exec
from facet.sandbox.docker_owner import HOST, OWNER, Owner, held, host_name, is_leftover
from facet.types.task import FileSet, text_file


def frame(kind: int, data: bytes) -> bytes:
    return struct.pack(">BxxxL", kind, len(data)) + data


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=50))), st.integers(1, 20))
def test_frames_cut_anywhere_are_put_together(parts: list[tuple[int, bytes]], step: int) -> None:
    raw = b"".join(frame(kind, data) for kind, data in parts)
    demux = Demux(10_000)
    for at in range(0, len(raw), step):
        demux.feed(raw[at : at + step])
    for kind, capture in ((1, demux.stdout), (2, demux.stderr)):
        whole = b"".join(data for k, data in parts if k == kind)
        assert capture.log().text == whole.decode("utf-8", "replace")


@given(st.lists(st.binary(max_size=300)), st.integers(0, 200))
def test_cut_output_keeps_both_ends_and_counts_the_rest(parts: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    for part in parts:
        capture.add(part)
    whole = b"".join(parts)
    log = capture.log()
    assert log.bytes_total == len(whole)
    assert log.bytes_cut == max(0, len(whole) - limit)
    if not log.bytes_cut:
        assert log.text == whole.decode("utf-8", "replace")
    else:
        assert log.text.startswith(whole[: limit - limit // 2].decode("utf-8", "replace"))
        assert f"[... {log.bytes_cut} bytes cut ...]" in log.text


def test_gigabytes_of_output_need_little_memory() -> None:
    capture = Capture(1000)
    chunk = b"x" * 65536
    for _ in range(2000):
        capture.add(chunk)
        assert len(capture._tail) <= 2 * 500 + 2 * 65536
    assert capture.log().bytes_total == 2000 * 65536


class Exec:
    """An engine's answers about one command; `state` says how it stands."""

    def __init__(self, state: Callable[[], dict[str, Any]]) -> None:
        self.near, self.far = socket.socketpair()
        self.state = state

    def exec_create(self, *_: object, **__: object) -> dict[str, str]:
        return {"Id": "one"}

    def exec_start(self, *_: object, **__: object) -> socket.socket:
        return self.near

    def exec_inspect(self, _: str) -> dict[str, Any]:
        return self.state()

    def run(self, kill: Callable[[str], None], killed: str = "") -> ExecResult:
        with self.far:
            return run_exec(
                *(self, "box", ["true"]),
                timeout_s=0.1,
                user="",
                workdir="",
                env={},
                max_output=100,
                kill=kill,
                killed=lambda: killed,
            )


def test_a_command_that_begins_only_after_its_deadline_is_killed_all_the_same() -> None:
    kills: list[str] = []
    made = Exec(lambda: {"Running": False, "ExitCode": 137 if len(kills) == 2 else None})
    assert made.run(kills.append).timed_out
    assert len(kills) == 2


def test_a_command_whose_container_was_killed_for_its_size_says_so() -> None:
    def gone() -> dict[str, Any]:
        raise NotFound("No such exec instance")

    result = Exec(gone).run(lambda _: None, killed="it grew")
    assert (result.exit, result.timed_out, result.killed) == (None, False, "it grew")
    with pytest.raises(SandboxGone):
        Exec(gone).run(lambda _: None)


def test_labels_follow_every_from_and_nothing_else() -> None:
    text = (
        "# FROM nothing\nARG BASE=x\nFROM a AS one\nRUN echo \\\n  FROM b\n"
        "from c \\\n  AS two\nCOPY FROM /x\nLABEL x=1"
    )
    lines = with_labels(text, {"facet.workspace": 'a "b"'}).splitlines()
    label = 'LABEL facet.workspace="a \\"b\\""'
    assert [i for i, line in enumerate(lines) if line == label] == [3, 8]
    assert lines[2] == "FROM a AS one"
    assert lines[7] == "  AS two"
    assert with_labels(text, {}) == text


def test_the_same_context_is_the_same_tar() -> None:
    files = (text_file("b/c/run.sh", "x", executable=True), text_file("Dockerfile", "FROM y\n"))
    first = context_tar(FileSet(files=files), "Dockerfile", "FROM y\nLABEL a\n")
    assert first == context_tar(FileSet(files=files[::-1]), "Dockerfile", "FROM y\nLABEL a\n")
    with tarfile.open(fileobj=io.BytesIO(first)) as tar:
        members = {m.name: m for m in tar.getmembers()}
        inner = tar.extractfile("Dockerfile")
        assert inner is not None
        assert inner.read() == b"FROM y\nLABEL a\n"
    assert members["b/c/run.sh"].mode == 0o755
    assert members["b/c"].isdir()
    assert {m.mtime for m in members.values()} == {0}
    assert {m.uid for m in members.values()} == {0}


def log_of(*steps: str) -> BuildLog:
    log = BuildLog()
    for number, step in enumerate(steps, 1):
        instruction, _, output = step.partition(">>")
        log.take({"stream": f"Step {number}/9 : {instruction}\n"})
        log.take({"stream": output})
    return log


@pytest.mark.parametrize(
    ("error", "steps", "kind"),
    [
        ("The command '/bin/sh -c x' returned a non-zero code: 1", ("FROM a", "RUN x"), BuildError),
        (
            "COPY failed: file not found in build context: stat x",
            ("FROM a", "COPY x y"),
            BuildError,
        ),
        ("dockerfile parse error line 2: unknown instruction: X", (), BuildError),
        ("Cannot locate specified Dockerfile: D", (), BuildError),
        ("pull access denied for a, repository does not exist", ("FROM a",), EngineError),
        ("manifest for a:b not found: manifest unknown", ("FROM a:b",), EngineError),
        ('Get "https://r/v2/": dial tcp: lookup r: no such host', ("FROM a",), EngineError),
        ("pull access denied for facet-base", ("FROM facet-base",), BaseMissing),
        ("write /var/lib/docker/x: no space left on device", ("FROM a", "COPY x y"), EngineError),
        (
            "The command '/bin/sh -c x' returned a non-zero code: 1",
            ("FROM a", "RUN x>>cp: error writing: No space left on device"),
            EngineError,
        ),
        ("failed to register layer: boom", ("FROM a",), EngineError),
        ("cgroups: cgroup mountpoint does not exist: unknown", ("FROM a", "RUN x"), EngineError),
        ("something never seen before", ("FROM a", "RUN x"), EngineError),
        ("", (), EngineError),
    ],
)
def test_only_listed_faults_are_the_contexts(
    error: str, steps: tuple[str, ...], kind: type[Exception]
) -> None:
    assert type(_classified(error, log_of(*steps))) is kind


def test_a_package_list_that_was_let_pass_is_the_first_failing_line() -> None:
    log = log_of(
        "FROM a",
        "RUN apt-get update || true>>Err:1 Temporary failure resolving 'mirror'",
        "RUN apt-get install -y x>>E: Unable to locate package x",
    )
    assert log.failing() == "RUN apt-get update || true"
    assert log_of("FROM a", "RUN one", "RUN two").failing() == "RUN two"


def test_a_build_log_stays_bounded_and_without_colours() -> None:
    log = log_of("FROM a", "RUN x")
    for _ in range(100):
        log.take({"stream": "\x1b[91m" + "y" * 10_000 + "\x1b[0m"})
    assert len(log.text) <= 200_000
    assert "\x1b" not in log.text


def test_a_lock_is_held_as_long_as_its_owner_lives(tmp_path: Path) -> None:
    owner = Owner(tmp_path, "w")
    assert held(owner.path)
    labels = {OWNER: str(owner.path), HOST: host_name()}
    assert not is_leftover(labels, 0.0, math.inf)
    owner.release()
    owner.release()
    assert not held(owner.path)
    assert is_leftover(labels, 0.0, 0.0)


def test_what_another_machine_owns_is_left_alone(tmp_path: Path) -> None:
    labels = {OWNER: str(tmp_path / "gone"), HOST: "another"}
    assert not is_leftover(labels, 0.0, math.inf)


def test_a_step_without_owner_is_a_leftover_when_older_than_every_owner(tmp_path: Path) -> None:
    first = Owner(tmp_path, "w")
    second = Owner(tmp_path, "w")
    other = Owner(tmp_path, "another workspace")
    oldest = second.oldest_live()
    assert oldest == first.path.stat().st_mtime
    assert is_leftover({}, oldest - 10, oldest)
    assert not is_leftover({}, oldest + 10, oldest)
    first.release()
    assert second.oldest_live(others=True) == math.inf
    for owner in (second, other):
        owner.release()


def test_an_unreadable_lock_counts_as_held(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert held(tmp_path / "loop")


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    engine = DockerEngine("w", locks=tmp_path / "file" / "owners")
    with pytest.raises(EngineError, match="FACET_CACHE"):
        engine.build(FileSet())
