"""Harbor folders of every schema are read, ours are written; every fault is named, none hides."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from facet.assemble import environment_from
from facet.errors import InputError, TaskFolderError
from facet.taskdir import find_tasks, problems, read_task, write_task
from facet.taskdir_config import parse_config
from facet.taskdir_table import Fault
from facet.toml_text import toml_text
from facet.types.apart import artifacts_of, is_apart, steps_of
from facet.types.manifest import Manifest, PlannedFile, Service
from facet.types.scenario import Axes, Consistency, Reference, Scenario
from facet.types.task import (
    DeclaredCheck,
    Environment,
    FileSet,
    Instruction,
    Provenance,
    Settings,
    Solution,
    Task,
    TextFile,
    Verifier,
    text_file,
)

TEST = 'import pytest\n\n\n@pytest.mark.check(id="a", title="A")\ndef test_a():\n    assert True\n'


def scenario() -> Scenario:
    reference = Reference(text="r", initial_state=("i",), end_state=("e",))
    axes = Axes(goal="g", context="c", capability="p", state="s", io_tools="t")
    return Scenario(
        title='Prices "daily" é',
        theme="trade",
        axes=axes,
        text="long",
        skill_ids=("s/a", "s/b"),
        capabilities=(),
        solution_reference=reference,
        instruction_reference=reference,
        consistency=Consistency(items=()),
    )


def full_task() -> Task:
    manifest = Manifest(
        files=(PlannedFile(path="/app/a.bin", data=bytes(range(256))),),
        services=(
            Service(name="web", command="serve", port=80),
            Service(name="db", command="db", health="test -e /run/db"),
            Service(name="silent", command="x"),
        ),
        generator="print(1)",
    )
    return Task(
        name="facet/prices-0001-ab",
        instruction=Instruction(text="Do it.\r\nNow — \u2028\n"),
        environment=environment_from(manifest),
        solution=Solution(
            files=FileSet(
                files=(
                    text_file("solve.sh", "true\n", executable=True),
                    text_file("partials/half.sh", "true\n", executable=True),
                )
            )
        ),
        verifier=Verifier(
            files=FileSet(
                files=(
                    text_file("test.sh", "true\n", executable=True),
                    text_file("test_a.py", TEST),
                )
            ),
            checks=(DeclaredCheck(id="a", title="A"),),
        ),
        settings=Settings(agent_timeout_sec=300.5, grading="live", cpus=2.0),
        scenario=scenario(),
        provenance=Provenance(
            run="r1",
            seed="0001-ab",
            order="forward",
            model="offline",
            skills=({"id": "s/a", "licence": "MIT", "source": "x", "name": 'q"\n'},),
        ),
    )


def folder(path: Path, config: str, **files: str) -> Path:
    """A task folder with this task.toml; `__` in a name is a slash, `_` before the end a dot."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "task.toml").write_text(config)
    usual = {"instruction.md": "Do it.\n", "environment/Dockerfile": "FROM x\n"}
    usual |= {"solution/solve.sh": "true\n", "tests/test.sh": "true\n"}
    for name, text in (usual | files).items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return path


def test_a_written_task_is_read_back_exactly(tmp_path: Path) -> None:
    task = full_task()
    assert read_task(write_task(task, tmp_path / "t")) == task


def test_checks_that_the_source_does_not_declare_are_kept(tmp_path: Path) -> None:
    task = full_task()
    odd = task.verifier.model_copy(update={"checks": (DeclaredCheck(id="z", title="Z"),)})
    task = task.replace("verifier", odd)
    assert read_task(write_task(task, tmp_path / "t")) == task


def test_two_writings_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = (write_task(full_task(), tmp_path / n) for n in ("a", "b"))
    for path in sorted(p for p in one.rglob("*") if p.is_file()):
        other = two / path.relative_to(one)
        assert path.read_bytes() == other.read_bytes()
        assert path.stat().st_mode == other.stat().st_mode


@pytest.mark.parametrize("version", ["legacy 1.0", "1.2"])
def test_a_foreign_task_survives_being_written_by_us(tmp_path: Path, version: str) -> None:
    key = "version" if version.startswith("legacy") else "schema_version"
    config = f'{key} = "{version.split()[-1]}"\n[environment]\ndocker_image = "i:1"\ngpus = 1\n'
    task = read_task(folder(tmp_path / "f", config + "[metadata]\nauthor = 'me'\n"))
    assert task.settings.schema_version == version
    assert read_task(write_task(task, tmp_path / "ours")) == task


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=TEXT,
    data=st.binary(max_size=60),
    title=TEXT,
    seconds=st.floats(min_value=0.1, max_value=1e6),
    skill=st.dictionaries(TEXT, TEXT, max_size=3),
)
def test_any_content_survives_the_round_trip(
    tmp_path: Path, text: str, data: bytes, title: str, seconds: float, skill: dict[str, str]
) -> None:
    base = full_task()
    task = base.model_copy(
        update={
            "instruction": Instruction(text=text),
            "solution": Solution(files=FileSet(files=(TextFile(path="solve.sh", data=data),))),
            "scenario": base.scenario and base.scenario.model_copy(update={"title": title}),
            "settings": Settings(agent_timeout_sec=seconds),
            "provenance": Provenance(skills=(skill,)),
        }
    )
    target = tmp_path / str(len(list(tmp_path.iterdir())))
    assert read_task(write_task(task, target)) == task


def test_harbor_finds_what_it_needs_in_our_config(tmp_path: Path) -> None:
    config = tomllib.loads((write_task(full_task(), tmp_path / "t") / "task.toml").read_text())
    assert config["schema_version"] == "1.4"
    assert config["task"]["name"] == "facet/prices-0001-ab"
    assert config["agent"]["timeout_sec"] == 300.5
    assert config["environment"]["memory_mb"] == 1024
    health = config["environment"]["healthcheck"]["command"]
    assert "/dev/tcp/127.0.0.1/80" in health
    assert "test -e /run/db" in health
    assert config["metadata"]["skills"][0]["licence"] == "MIT"
    assert config["metadata"]["checks"] == 1
    assert "difficulty" not in config["metadata"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    write_task(full_task(), tmp_path / "t")
    with pytest.raises(TaskFolderError, match="already there"):
        write_task(full_task(), tmp_path / "t")
    assert [p.name for p in tmp_path.iterdir()] == ["t"]


def test_a_file_that_is_also_a_folder_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    files = FileSet(files=(text_file("a", ""), text_file("a/b", "")))
    task = full_task().replace("environment", Environment(files=files))
    with pytest.raises(TaskFolderError, match="cannot be written"):
        write_task(task, tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("config", "version"),
    [
        ('version = "1.0"\nname = "old"\n', "legacy 1.0"),
        ('version = "2.0"\nname = "old"\n', "legacy 2.0"),
        ('schema_version = "1.0"\n[task]\nname = "o/old"\n', "1.0"),
        ('schema_version = "1.3"\n[task]\nname = "o/old"\n', "1.3"),
        ('schema_version = "1.4"\n[task]\nname = "o/old"\n', "1.4"),
        ("", "1.0"),
    ],
)
def test_every_schema_is_read(tmp_path: Path, config: str, version: str) -> None:
    task = read_task(folder(tmp_path / "old", config))
    assert task.settings.schema_version == version
    assert task.name.rpartition("/")[2] == "old"


@pytest.mark.parametrize(
    ("line", "megabytes"),
    [
        ('memory = "2G"', 2048),
        ('memory = "512M"', 512),
        ('memory = "1.5GB"', 1536),
        ("memory_mb = 300", 300),
        ("", 2048),
    ],
)
def test_sizes_are_read_in_both_forms(tmp_path: Path, line: str, megabytes: int) -> None:
    assert read_task(folder(tmp_path / "t", f"[environment]\n{line}\n")).settings.memory_mb == (
        megabytes
    )


def test_what_changes_how_a_task_must_run_is_kept_apart_from_its_metadata(tmp_path: Path) -> None:
    config = """
[metadata]
gpus = 8
[verifier]
environment_mode = "separate"
user = "grader"
[verifier.env]
KEY = "${KEY}"
[environment]
docker_image = "some/image:1"
gpus = 1
os = "Windows"
network_mode = "allowlist"
workdir = "/w"
[solution.env]
X = "1"
"""
    known = dict(read_task(folder(tmp_path / "t", config)).settings.metadata)
    assert known == {
        "docker_image": "some/image:1",
        "gpus": "1",
        "os": "windows",
        "network_mode": "allowlist",
        "verifier_mode": "separate",
        "verifier.user": "grader",
        "verifier.env": "KEY",
        "solution.env": "X",
        "workdir": "/w",
        "metadata.gpus": "8",
    }


def test_steps_are_read_without_a_root_instruction(tmp_path: Path) -> None:
    """B20: two-step task beside a normal one; a folder with neither is broken, and listed."""
    steps = '[[steps]]\nname = "01"\n[[steps]]\nname = "02"\n'
    two = folder(tmp_path / "two", steps)
    (two / "instruction.md").unlink()
    for step in ("01", "02"):
        inner = two / "steps" / step
        (inner / "tests").mkdir(parents=True)
        (inner / "instruction.md").write_text(f"part {step}\n")
        (inner / "tests" / "test.sh").write_text("true\n")
    folder(tmp_path / "one", "")
    (folder(tmp_path / "neither", "") / "instruction.md").unlink()
    assert [p.name for p in find_tasks([tmp_path])] == ["neither", "one", "two"]
    task = read_task(two)
    assert task.instruction.text == "# Step 01\n\npart 01\n\n# Step 02\n\npart 02\n"
    assert task.verifier.files.get("steps/02/test.sh") is not None
    assert dict(task.settings.metadata)["steps"] == "2"
    read_task(tmp_path / "one")
    with pytest.raises(TaskFolderError, match=r"instruction\.md: is missing"):
        read_task(tmp_path / "neither")
    with pytest.raises(TaskFolderError, match="several steps"):
        write_task(task, tmp_path / "copy")


@pytest.mark.parametrize(
    ("config", "line", "reason"),
    [
        ('task = "x"\n', 1, "task must be a table, not text 'x'"),
        ("\nenvironment = 3\n", 2, "environment must be a table, not a number '3'"),
        ("verifier = []\n", 1, "verifier must be a table, not a list"),
        ("[agent]\ntimeout_sec = 'soon'\n", 2, "agent.timeout_sec must be a number"),
        ("[agent]\n\ntimeout_sec = nan\n", 3, "must be a finite number"),
        ("[agent]\ntimeout_sec = true\n", 2, "must be a number, not a boolean"),
        ("[verifier]\ntimeout_sec = -1\n", 2, "above 0"),
        ("agent.timeout_sec = 0\n", 1, "above 0"),
        ("[environment]\nmemory = 'big'\n", 2, "must be a size"),
        ("[environment.env]\n[task]\nname = 3\n", 3, "task.name must be text"),
        ("schema_version = '9.9'\n", 1, "not one of"),
        ("steps = 3\n", 1, "must be an array of tables"),
        ("[[steps]]\nname = '../up'\n", 2, "not a plain folder name"),
        ("[task]\nname = \n", 2, "no TOML"),
        ("a = 1\na = 2\n", 2, "no TOML"),
        ("a = " + "[" * 5000, 1, "no TOML"),
        ("a = " + "9" * 5000, 1, "no TOML"),
    ],
)
def test_a_wrong_line_of_the_config_is_named(
    tmp_path: Path, config: str, line: int, reason: str
) -> None:
    """B19: no traceback, file, line and reason."""
    faults = problems(folder(tmp_path / "t", config))
    assert (faults[0].file, faults[0].line) == ("task.toml", line)
    assert reason in faults[0].reason
    with pytest.raises(TaskFolderError, match=rf"t/task\.toml:{line}: "):
        read_task(tmp_path / "t")


def test_all_faults_are_listed_at_once(tmp_path: Path) -> None:
    path = folder(tmp_path / "t", 'task = "x"\nenvironment = 3\nverifier = []\n')
    (path / "instruction.md").write_bytes(b"ok\n\xff\n")
    assert [str(f).split(": ")[0] for f in problems(path)] == [
        "task.toml:1",
        "task.toml:3",
        "task.toml:2",
        "instruction.md:2",
    ]


@given(st.binary(max_size=200))
def test_no_bytes_of_a_config_raise(data: bytes) -> None:
    faults: list[Fault] = []
    found = parse_config(data, "task.toml", "t", faults)
    assert found is not None or faults


def test_links_are_refused_wherever_they_lie(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("k")
    path = folder(tmp_path / "t", "")
    (path / "tests" / "a").symlink_to(tmp_path / "secret" / "key")
    (path / "environment" / "d").symlink_to(tmp_path / "secret")
    (path / "instruction.md").unlink()
    (path / "instruction.md").symlink_to(tmp_path / "secret" / "key")
    found = {f.file for f in problems(path) if "link" in f.reason}
    assert found == {"tests/a", "environment/d", "instruction.md"}


def test_a_linked_step_or_artifact_folder_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "01").mkdir(parents=True)
    (elsewhere / "01" / "instruction.md").write_text("x")
    path = folder(tmp_path / "t", '[[steps]]\nname = "01"\n')
    (path / "steps").symlink_to(elsewhere)
    assert any(f.file == "steps" and "link" in f.reason for f in problems(path))
    other = folder(tmp_path / "o", "")
    (other / "tests").rename(tmp_path / "moved")
    (other / "tests").symlink_to(tmp_path / "moved")
    assert any(f.file == "tests" and "link" in f.reason for f in problems(other))


def test_devices_and_huge_files_are_refused_at_once(tmp_path: Path) -> None:
    path = folder(tmp_path / "t", "")
    os.mkfifo(path / "tests" / "pipe")
    with (path / "environment" / "huge").open("wb") as stream:
        stream.truncate(3_000_000_000)
    reasons = {f.file: f.reason for f in problems(path)}
    assert reasons["tests/pipe"] == "is not a regular file"
    assert "too large" in reasons["environment/huge"]


def test_crlf_is_read_as_it_is(tmp_path: Path) -> None:
    """B60: no silent rewrite; naming it is the work of lint."""
    path = folder(tmp_path / "t", "")
    (path / "tests" / "test.sh").write_bytes(b"#!/bin/bash\r\ntrue\r\n")
    assert read_task(path).verifier.files.files[0].data == b"#!/bin/bash\r\ntrue\r\n"


def test_a_broken_facet_json_is_named(tmp_path: Path) -> None:
    path = folder(tmp_path / "t", "", **{"facet.json": '{"settings": {"cpus": "many"}}'})
    assert [f.file for f in problems(path)] == ["facet.json"]


def test_facet_json_cannot_hide_what_the_config_demands(tmp_path: Path) -> None:
    path = write_task(full_task(), tmp_path / "t")
    config = (path / "task.toml").read_text()
    (path / "task.toml").write_text(config.replace("[environment]\n", "[environment]\ngpus = 4\n"))
    assert dict(read_task(path).settings.metadata)["gpus"] == "4"


def test_the_config_decides_about_limits(tmp_path: Path) -> None:
    path = write_task(full_task(), tmp_path / "t")
    config = (path / "task.toml").read_text()
    (path / "task.toml").write_text(config.replace("300.5", "77"))
    assert read_task(path).settings.agent_timeout_sec == 77


def test_tasks_are_found_at_any_depth_but_not_through_links(tmp_path: Path) -> None:
    folder(tmp_path / "x" / "y" / "deep", "")
    folder(tmp_path / "flat", "")
    folder(tmp_path / ".hidden", "")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [p.name for p in find_tasks([tmp_path, tmp_path / "flat"])] == ["flat", "deep"]


def test_a_path_without_tasks_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        find_tasks([tmp_path / "absent"])
    with pytest.raises(InputError, match="no task folder"):
        find_tasks([tmp_path])
    with pytest.raises(TaskFolderError, match=r"task\.toml: is missing"):
        read_task(tmp_path)
    with pytest.raises(TaskFolderError, match="not a folder"):
        read_task(tmp_path / "absent")


@given(
    st.dictionaries(
        TEXT, st.one_of(TEXT, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.floats(-1e9, 1e9))
    )
)
def test_toml_text_is_read_back_by_the_standard_library(table: dict[str, object]) -> None:
    assert tomllib.loads(toml_text({"t": table})) == {"t": table}  # type: ignore[dict-item]


def test_artifacts_and_steps_are_read_and_written(tmp_path: Path) -> None:
    config = """artifacts = ["/app/out", {source = "/var/log/x", exclude = ["*.tmp"]}]
[verifier]
environment_mode = "separate"
[verifier.environment]
docker_image = "judge:1"
"""
    task = read_task(folder(tmp_path / "t", config))
    assert is_apart(task)
    assert [a.source for a in artifacts_of(task)] == ["/logs/artifacts", "/app/out", "/var/log/x"]
    log = artifacts_of(task)[2]
    assert log.covers("/var/log/x/a.log")
    assert not log.covers("/var/log/x/d/b.tmp")
    assert not log.covers("/var/log/xy")
    assert read_task(write_task(task, tmp_path / "copy")) == task


def test_steps_carry_their_own_limits_and_verifiers(tmp_path: Path) -> None:
    config = """[[steps]]
name = "a"
artifacts = ["/app/a"]
[steps.agent]
timeout_sec = 7
[steps.verifier]
environment_mode = "separate"
[[steps]]
name = "b"
[steps.healthcheck]
command = "true"
"""
    path = folder(tmp_path / "t", config)
    for step in ("a", "b"):
        (path / "steps" / step).mkdir(parents=True)
        (path / "steps" / step / "instruction.md").write_text("do\n")
    one, two = steps_of(read_task(path))
    assert (one.name, one.agent_timeout_sec, one.verifier_timeout_sec) == ("a", 7.0, None)
    assert (one.verifier_mode, one.artifacts[0].source) == ("separate", "/app/a")
    assert (two.verifier_mode, two.needs) == ("", "a health check before it")


@pytest.mark.parametrize(
    "entry",
    ["3", "'/a/../b'", "'/'", "{source = 3}", "{source = '/a', exclude = 'x'}", "'a\\u0000'"],
)
def test_an_artifact_that_is_no_path_is_a_fault(tmp_path: Path, entry: str) -> None:
    entry = entry.replace("'a\\u0000'", '"a\\u0000"')
    faults = problems(folder(tmp_path / "t", f"artifacts = [{entry}]\n"))
    assert (faults[0].file, faults[0].line) == ("task.toml", 1)
    assert "artifacts has an entry that is no path" in faults[0].reason


def test_facet_json_decides_neither_about_steps_nor_about_artifacts(tmp_path: Path) -> None:
    path = write_task(full_task(), tmp_path / "t")
    extras = json.loads((path / "facet.json").read_text())
    extras["settings"]["metadata"] += [
        ["artifacts", "no JSON"],
        ["steps.plan", "{}"],
        ["steps", "9"],
    ]
    (path / "facet.json").write_text(json.dumps(extras))
    task = read_task(path)
    assert steps_of(task) == ()
    assert [a.source for a in artifacts_of(task)] == ["/logs/artifacts"]
