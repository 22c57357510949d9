"""Looks: what a writer may see, and what it can never do (in a real container)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from facet.sandbox.docker import DockerEngine
from facet.sandbox.fake import FakeEngine
from facet.stages.looking import OUTPUT, look_into
from facet.types.asks import Look


@pytest.fixture
def engine(docker_server: str, tmp_path: Path) -> Iterator[DockerEngine]:
    """An engine with a label of its own."""
    made = DockerEngine(str(tmp_path))
    yield made
    made.close()


@pytest.mark.docker
def test_looks_show_the_container_and_write_nothing(engine: DockerEngine) -> None:
    base = engine.image("debian:bookworm-slim")
    if base is None:
        pytest.skip("no debian:bookworm-slim here")
    with engine.start(base) as sandbox:
        setup = "mkdir /app; printf 'a,b\\n1,2\\n' >/app/in.csv; seq 1 9999 >/app/long"
        assert sandbox.exec(["sh", "-c", setup], timeout_s=60).ok

        def look(kind: str, arg: str) -> tuple[bool, str]:
            found = look_into(sandbox, Look.model_validate({"kind": kind, "arg": arg}), "/app")
            return found.ok, found.output

        assert "in.csv" in look("list", "")[1]
        assert look("read", "/app/in.csv") == (True, "a,b\n1,2\n")
        assert "/app/in.csv:2:1,2" in look("search", "1,2")[1]
        assert look("run", "wc -l < /app/in.csv") == (True, "2\n")
        assert look("run", "id -un")[1] == "nobody\n"
        ok, text = look("run", "echo x > /app/in.csv")
        assert not ok
        assert "denied" in text.lower()
        assert not look("read", "/etc/none")[0]
        assert not look("read", "--help")[0]
        long = look("read", "/app/long")[1]
        assert len(long) < OUTPUT + 100
        assert "[cut:" in long
        assert look("search", "--version")[1].count("GNU") == 0


def test_an_argument_is_one_word_of_a_fixed_command() -> None:
    engine = FakeEngine()
    image = engine.image("facet-base")
    assert image
    with engine.start(image) as sandbox:
        look_into(sandbox, Look(kind="read", arg="/app/x; rm -rf /\0"), "/app")
        look_into(sandbox, Look(kind="run", arg="cat /app/x"), "/app")
    first, second = sandbox.commands
    assert first.argv[-2:] == ("--", "/app/x; rm -rf /")
    assert second.user == "nobody"
