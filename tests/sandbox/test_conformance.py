"""Both engines pass the one suite."""

from collections.abc import Callable

import pytest

from facet.sandbox.base import Engine
from facet.sandbox.conformance import CHECKS, SCRIPTS
from facet.sandbox.docker import DockerEngine
from facet.sandbox.fake import FakeCommand, FakeEngine, FakeFile, FakeReply, FakeSandbox

Check = Callable[[Engine, str], None]
NAMES = {text: name for name, text in SCRIPTS.items()}
IMAGE = {
    "/etc": FakeFile(kind="dir"),
    "/etc/passwd": FakeFile(data=b"root:x:0:0\n"),
    "/etc/group": FakeFile(data=b"root:x:0:\n"),
    "/dev/null": FakeFile(kind="device"),
}
ODD = {
    "/odd/dir": FakeFile(kind="dir"),
    "/odd/fifo": FakeFile(kind="fifo"),
    "/odd/link": FakeFile(kind="link"),
    "/odd/sparse": FakeFile(size=2 << 30),
    "/odd/plain": FakeFile(data=b"fine"),
    "/odd/empty": FakeFile(),
}
REPLIES = {
    "unicode": FakeReply(stdout="größe ✓ 漢字".encode()),
    "silent": FakeReply(),
    "both": FakeReply(exit=7, stdout=b"out", stderr=b"err"),
    "missing": FakeReply(exit=127, stderr=b"not found"),
    "bytes": FakeReply(stdout=b"\xff\xfeok"),
    "big": FakeReply(stdout=b"x" * 30_000_000),
    "slow": FakeReply(takes_s=300, leaves=("sleep 300",)),
    "daemon": FakeReply(takes_s=300, leaves=("sleep 301",)),
    "stubborn": FakeReply(takes_s=300, leaves=("sleep 302",)),
    "holder": FakeReply(stdout=b"done", leaves=("sleep 303",)),
    "background": FakeReply(leaves=("sleep 304",)),
    "odd files": FakeReply(writes=ODD),
    "change": FakeReply(
        writes={
            "/etc/added": FakeFile(data=b"new"),
            "/etc/passwd": None,
            "/etc/group": FakeFile(data=b"root:x:0:\nx"),
        }
    ),
}


def shell(sandbox: FakeSandbox, command: FakeCommand) -> FakeReply:
    """What each script of the suite does."""
    name = NAMES.get(command.script, "")
    if name in REPLIES:
        return REPLIES[name]
    if name == "env":
        return FakeReply(stdout=dict(command.env).get("COLOUR", "").encode())
    if name == "where":
        return FakeReply(stdout=command.workdir.encode())
    if name == "who":
        return FakeReply(stdout=command.user.encode())
    if command.script in ("true", "exit 3"):  # RUN lines
        return FakeReply(exit=3 if command.script == "exit 3" else 0)
    raise AssertionError(f"unexpected command {command.argv}")


@pytest.mark.docker
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_docker_conforms(check: Check, engine: DockerEngine, slim: str) -> None:
    check(engine, slim)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_fake_conforms(check: Check) -> None:
    engine = FakeEngine(shell, images={"tiny": IMAGE})
    check(engine, "tiny")
    assert engine.running == {}
    assert len(engine.image_ids()) == 1
