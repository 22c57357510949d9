"""Exports are complete folders, the same each time, and never touch what is not theirs."""

import json
import os
from pathlib import Path

import pytest

from facet.assemble import environment_from
from facet.base_images import BASES, recipe_files
from facet.errors import InputError
from facet.exports import Chosen, Export, carried_dockerfile, export_harbor, harbor_name, restored
from facet.taskdir import read_task
from facet.types.manifest import Manifest, Package, PlannedFile, Resource
from facet.types.task import Provenance, Task, TextFile
from tests.golden import good_tasks

WHEELS = (TextFile(path="wheels/pytest-1-py3-none-any.whl", data=b"wheel"),)
TASKS = good_tasks()


def export(out: Path, tasks: list[Task] = TASKS, base_ref: str = "") -> Export:
    return export_harbor([Chosen(task=t) for t in tasks], out, base_ref=base_ref, wheels=WHEELS)


def snapshot(out: Path) -> dict[str, tuple[bytes, int, int]]:
    """Bytes, mode and time of every file."""
    return {
        str(p.relative_to(out)): (p.read_bytes(), p.stat().st_mode, p.stat().st_mtime_ns)
        for p in out.rglob("*")
        if p.is_file()
    }


def test_every_task_is_a_folder_with_what_harbor_needs(tmp_path: Path) -> None:
    made = export(tmp_path / "out")
    assert (made.written, made.unchanged) == (3, 0)
    for name in ("orders", "accounts", "catalog"):
        folder = tmp_path / "out" / name
        for file in (
            "task.toml",
            "instruction.md",
            "environment/Dockerfile",
            "environment/docker-compose.yaml",
            "solution/solve.sh",
            "tests/test.sh",
        ):
            assert (folder / file).is_file()
        assert os.access(folder / "tests" / "test.sh", os.X_OK)


def test_the_dockerfile_starts_from_a_public_image_and_carries_our_base(tmp_path: Path) -> None:
    export(tmp_path / "out")
    context = tmp_path / "out" / "orders" / "environment"
    text = (context / "Dockerfile").read_text()
    sources = [line.split()[1] for line in text.splitlines() if line.startswith("FROM")]
    assert sources == ["debian:bookworm-slim"]
    for line in text.splitlines():
        if line.startswith("COPY facet-base/"):
            assert (context / line.split()[1]).is_dir()
    for file in recipe_files().files:
        if file.path != "Dockerfile":
            assert (context / "facet-base" / file.path).read_bytes() == file.data
    assert (context / "facet-base" / "wheels").is_dir()
    assert (context / "facet-base" / "runner" / "VERSION").is_file()
    assert "COPY wheels/" not in text
    assert "COPY runner/" not in text


def test_with_a_base_reference_only_the_first_line_changes(tmp_path: Path) -> None:
    export(tmp_path / "out", base_ref="registry.example/base:7")
    context = tmp_path / "out" / "orders" / "environment"
    first, _, rest = (context / "Dockerfile").read_text().partition("\n")
    assert first == "FROM registry.example/base:7"
    assert rest == TASKS[0].environment.files.text("Dockerfile").partition("\n")[2]
    assert not (context / "facet-base").exists()


def test_what_we_export_is_the_same_task_when_it_comes_back(tmp_path: Path) -> None:
    export(tmp_path / "out")
    for task in TASKS:
        back = restored(read_task(tmp_path / "out" / task.name.partition("/")[2]))
        assert back.digest == task.digest
        assert back.name == task.name


def test_a_changed_base_is_not_taken_for_ours(tmp_path: Path) -> None:
    export(tmp_path / "out")
    file = tmp_path / "out" / "orders" / "environment" / "Dockerfile"
    file.write_text(file.read_text().replace("apt-get update", "apt-get update  "))
    task = read_task(tmp_path / "out" / "orders")
    assert restored(task) == task


def test_packages_and_resources_leave_with_the_task(tmp_path: Path) -> None:
    manifest = Manifest(
        packages=(Package(name="figlet"), Package(name="toml", kind="wheel", version="1")),
        resources=(Resource(name="list.txt", url="https://example.org/l", sha256="0" * 64),),
        files=(PlannedFile(path="/app/list.txt", resource="list.txt"),),
    )
    task = TASKS[0].replace("environment", environment_from(manifest))
    extra = (
        TextFile(path="resources/list.txt", data=b"a\n"),
        TextFile(path="facet-packages/wheels/toml-1-py3-none-any.whl", data=b"w"),
    )
    out = tmp_path / "out"
    export_harbor([Chosen(task=task, resources=extra)], out, wheels=WHEELS)
    context = out / "orders" / "environment"
    text = (context / "Dockerfile").read_text()
    assert "apt-get install -y --no-install-recommends figlet" in text
    assert "COPY facet-packages/wheels/ " in text
    assert (context / "resources" / "list.txt").read_bytes() == b"a\n"
    assert (context / "facet-packages" / "wheels" / "toml-1-py3-none-any.whl").is_file()
    assert restored(read_task(out / "orders")).digest == task.digest


def test_the_same_export_again_writes_nothing(tmp_path: Path) -> None:
    export(tmp_path / "out")
    before = snapshot(tmp_path / "out")
    again = export(tmp_path / "out")
    assert (again.written, again.unchanged) == (0, 3)
    assert snapshot(tmp_path / "out") == before


def test_a_later_export_adds_to_an_earlier_one(tmp_path: Path) -> None:
    export(tmp_path / "out", TASKS[:1])
    assert (export(tmp_path / "out").written, len(list((tmp_path / "out").iterdir()))) == (2, 4)


def test_an_interrupted_export_is_finished_by_the_next(tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(out)
    whole = snapshot(out)
    for path in sorted((out / "catalog").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (out / "catalog").rmdir()
    assert export(out).written == 1
    assert snapshot(out).keys() == whole.keys()


@pytest.mark.parametrize("what", ["file", "stranger", "fewer", "edited", "no summary", "link"])
def test_nothing_that_is_not_this_export_is_touched(tmp_path: Path, what: str) -> None:
    out = tmp_path / "out"
    tasks = TASKS
    if what == "file":
        out.write_text("mine")
    else:
        export(out)
    if what == "stranger":
        (out / "notes.txt").write_text("mine")
    elif what == "fewer":
        tasks = TASKS[:1]
    elif what == "edited":
        (out / "orders" / "instruction.md").write_text("mine")
    elif what == "no summary":
        (out / "manifest.json").unlink()
    elif what == "link":
        (out / "orders" / "extra").symlink_to(tmp_path)
    before = snapshot(out) if out.is_dir() else {"": (out.read_bytes(), 0, 0)}
    with pytest.raises(InputError, match=str(out)):
        export(out, tasks)
    after = snapshot(out) if out.is_dir() else {"": (out.read_bytes(), 0, 0)}
    assert after == before


def test_the_summary_names_digest_and_sources(tmp_path: Path) -> None:
    skills = ({"id": "s/a", "licence": "MIT", "source": "x"},)
    task = TASKS[0].model_copy(update={"provenance": Provenance(model="offline", skills=skills)})
    chosen = Chosen(task=task, key="r/0001", checks=17, decision="approve")
    export_harbor([chosen], tmp_path / "out", base_ref="b")
    row = json.loads((tmp_path / "out" / "manifest.json").read_text())["tasks"][0]
    assert row["digest"] == task.digest
    assert (row["key"], row["checks"], row["decision"]) == ("r/0001", 17, "approve")
    assert row["skills"][0]["licence"] == "MIT"


def test_two_tasks_of_one_name_get_two_folders_and_one_digest_only_one(tmp_path: Path) -> None:
    other = TASKS[0].replace("instruction", TASKS[1].instruction)
    made = export(tmp_path / "out", [TASKS[0], other, TASKS[0]])
    folders = [t.folder for t in made.summary.tasks]
    assert len(folders) == len(set(folders)) == 2
    assert all(f.startswith("orders-") for f in folders)
    names = {read_task(tmp_path / "out" / f).name for f in folders}
    assert len(names) == 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("FACET-Terminal", "facet/facet-terminal"),
        ("a/b", "a/b"),
        ("../../etc/x", "etc/x"),
        ("Ünï/…", "n/task"),
        ("", "facet/task"),
    ],
)
def test_names_become_what_harbor_accepts(name: str, expected: str) -> None:
    assert harbor_name(name) == expected


def test_the_carried_base_is_the_recipe_itself() -> None:
    recipe = recipe_files().text("Dockerfile")
    carried = carried_dockerfile(BASES[0]).replace("COPY facet-base/", "COPY ")
    assert carried.startswith(recipe.rstrip("\n"))
