"""Base images are replaced where they are named, nowhere else, and every verdict says so."""

from pathlib import Path

import pytest

from facet.errors import InputError
from facet.taskdir import read_task
from facet.types.apart import steps_of
from facet.types.task import Task
from facet.validation_bases import parse_base_map, plain, with_bases
from facet.validation_reach import prebuilt_image, runnable
from tests import foreign

MAP = {"ubuntu:24.04": "facet-base", "python:3.12": "here:1"}


def mapped(path: Path, **files: str) -> tuple[Task, tuple[str, ...]]:
    return with_bases(read_task(foreign.plain(path, **files)), MAP)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("FROM ubuntu:24.04\nRUN x\n", "FROM facet-base\nRUN x\n"),
        ("from  ubuntu:24.04 as a\nFROM a\n", "from  facet-base as a\nFROM a\n"),
        ("FROM docker.io/library/ubuntu:24.04\n", "FROM facet-base\n"),
        (
            "FROM --platform=linux/amd64 ubuntu:24.04\r\n",
            "FROM --platform=linux/amd64 facet-base\r\n",
        ),
        ("FROM x\nCOPY --from=python:3.12 /a /b\n", "FROM x\nCOPY --from=here:1 /a /b\n"),
        ("ARG B=ubuntu:24.04\nFROM ${B}\n", "ARG B=facet-base\nFROM ${B}\n"),
        ('ARG B="ubuntu:24.04"\nFROM $B\n', "ARG B=facet-base\nFROM $B\n"),
    ],
)
def test_every_way_to_name_a_base_is_replaced(tmp_path: Path, before: str, after: str) -> None:
    task, used = mapped(tmp_path / "t", **{"environment/Dockerfile": before})
    assert task.environment.files.text("Dockerfile") == after
    assert len(used) == 1


@pytest.mark.parametrize(
    "text",
    [
        "FROM ubuntu:22.04\n",
        "FROM ubuntu\n",
        "FROM other/ubuntu:24.04\n",
        "FROM x\nRUN echo FROM ubuntu:24.04\n",
        "# FROM ubuntu:24.04\nFROM x\n",
        "ARG B=ubuntu:24.04\nFROM x\n",
        "FROM x AS python:3.12\nCOPY --from=python:3.12 /a /b\n",
        "FROM ubuntu@sha256:0000\n",
    ],
)
def test_nothing_else_is_touched_or_marked(tmp_path: Path, text: str) -> None:
    task, used = mapped(tmp_path / "t", **{"environment/Dockerfile": text})
    assert (task.environment.files.text("Dockerfile"), used) == (text, ())
    assert task == read_task(tmp_path / "t")


def test_named_images_are_replaced_too(tmp_path: Path) -> None:
    path = foreign.plain(tmp_path / "a", **{"environment/Dockerfile": "", "environment/x": "x"})
    config = (path / "task.toml").read_text()
    (path / "task.toml").write_text(config + '[environment]\ndocker_image = "python:3.12"\n')
    task, used = with_bases(read_task(path), MAP)
    assert (prebuilt_image(task), used) == ("here:1", ("python:3.12=here:1",))
    compose = "services: {main: {image: 'ubuntu:24.04'}}"
    task, used = mapped(
        tmp_path / "b", **{"environment/Dockerfile": "", "environment/compose.yaml": compose}
    )
    ready, reason = runnable(task, lambda name: "sha256:1" if name == "facet-base" else None)
    assert (reason, ready.environment.files.text("Dockerfile")) == ("", "FROM facet-base\n")


def test_the_verifiers_bases_are_replaced_too(tmp_path: Path) -> None:
    path = foreign.apart(tmp_path / "a", "", **{"tests/Dockerfile": "FROM ubuntu:24.04\n"})
    task, used = with_bases(read_task(path), MAP)
    assert task.verifier.files.text("Dockerfile") == "FROM facet-base\n"
    assert used == ("ubuntu:24.04=facet-base",)
    path = foreign.two_steps(tmp_path / "b")
    config = (path / "task.toml").read_text()
    config += '[steps.verifier.environment]\ndocker_image = "python:3.12"\n'
    (path / "task.toml").write_text(config)
    task, used = with_bases(read_task(path), MAP)
    assert [p.verifier_image for p in steps_of(task)] == ["", "here:1"]
    assert used == ("python:3.12=here:1",)


def test_names_mean_what_docker_takes_them_for() -> None:
    assert plain("docker.io/library/debian") == plain("debian") == "debian:latest"
    assert plain("host:5000/a/b") == "host:5000/a/b:latest"
    assert plain("a@sha256:1") == "a@sha256:1"


@pytest.mark.parametrize(
    "pairs", [["x"], ["=y"], ["x="], ["a b=c"], ["x=y", "docker.io/x=z"], ["x\nRUN id=y"]]
)
def test_a_map_that_is_none_is_wrong_input(pairs: list[str]) -> None:
    with pytest.raises(InputError, match="--base-map"):
        parse_base_map(pairs)


def test_a_map_is_read_in_pairs() -> None:
    assert parse_base_map(["a:1=b", "c=host:5000/d:2"]) == {"a:1": "b", "c": "host:5000/d:2"}
