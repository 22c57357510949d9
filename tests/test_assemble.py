"""Replies become artifacts: safe bytes, the same on every machine, or a refusal with its reason."""

import json
import subprocess
from pathlib import Path

import pytest

from facet.assemble import (
    declared_checks,
    environment_from,
    instruction_from,
    slug,
    solution_from,
    task_from,
    verifier_from,
)
from facet.dockerfile import manifest_problems
from facet.errors import BuildError, ReplyError
from facet.grading.testsh import TEST_SH
from facet.types.asks import InstructionReply, NamedScript, SolutionReply, TestFile, VerifierReply
from facet.types.manifest import Manifest, Package, PlannedFile, Resource, Service, User
from facet.types.scenario import Axes, Consistency, Reference, Scenario
from facet.types.skill import Context, PairVerdict, Seed, Skill
from facet.types.task import FileSet, Provenance, text_file

FULL = Manifest(
    workdir="/app/work",
    files=(
        PlannedFile(path="/app/data/b.csv", data=b"a;b\n", mode="0640", owner="etl", group="team"),
        PlannedFile(path="/app/data/a.csv", data=b"\xff\x00"),
        PlannedFile(path="/app/run.sh", data=b"#!/bin/sh\n", mode="0755"),
        PlannedFile(path="/srv/out", kind="dir", owner="etl"),
        PlannedFile(path="/app/current", kind="link", target="data/a.csv"),
        PlannedFile(path="/app/list.txt", resource="list.txt"),
    ),
    packages=(Package(name="tree"), Package(name="jq", version="1.6-2")),
    services=(Service(name="web", command="echo 'it is' \"$HOME\"", port=8080, user="etl"),),
    users=(User(name="etl", uid=1500),),
    env=(("MODE", 'say "$HOME" \\'),),
    resources=(Resource(name="list.txt", url="https://example.org/l", sha256="0" * 64),),
    setup=("cat > /app/x <<'E'\n$HOME\nE",),
    generator="print('fixtures')",
)


def environment_text(manifest: Manifest) -> str:
    return environment_from(manifest).files.text("Dockerfile")


def test_the_same_plan_gives_the_same_bytes() -> None:
    assert environment_from(FULL) == environment_from(FULL.model_copy(deep=True))


def test_files_of_one_folder_are_one_copy() -> None:
    lines = environment_text(FULL).splitlines()
    assert 'COPY ["files/app/data/a.csv", "files/app/data/b.csv", "/app/data/"]' in lines
    assert 'COPY ["resources/list.txt", "/app/list.txt"]' in lines


def test_modes_owners_links_and_directories_are_set() -> None:
    text = environment_text(FULL)
    for part in (
        "mkdir -p /srv/out",
        "ln -sfn data/a.csv /app/current",
        "chown etl: /srv/out",
        "chown etl:team /app/data/b.csv",
        "groupadd team",
        "chmod 0640 /app/data/b.csv",
        "chmod 0755 /app/run.sh /srv/out /usr/local/sbin/facet-entrypoint",
        "--uid 1500 etl",
        'ENV MODE="say \\"\\$HOME\\" \\\\"',
        "WORKDIR /app/work",
        "STOPSIGNAL SIGKILL",
    ):
        assert part in text


def test_a_setup_command_reaches_bash_as_written() -> None:
    line = next(x for x in environment_text(FULL).splitlines() if x.startswith("RUN ["))
    assert json.loads(line.removeprefix("RUN ")) == ["/bin/bash", "-ec", FULL.setup[0]]


def test_the_generator_is_kept_and_never_copied_into_the_image() -> None:
    environment = environment_from(FULL)
    assert environment.files.text("provenance/generator.txt") == FULL.generator
    assert "provenance" not in environment.files.text("Dockerfile")


def test_the_container_has_no_network_under_harbor() -> None:
    assert "network_mode: none" in environment_from(Manifest()).files.text("docker-compose.yaml")


def test_an_environment_without_services_has_no_entrypoint() -> None:
    environment = environment_from(Manifest())
    assert environment.files.get("entrypoint.sh") is None
    assert "ENTRYPOINT" not in environment.files.text("Dockerfile")


def test_the_entrypoint_becomes_its_arguments(tmp_path: Path) -> None:
    """Run with its folder and users replaced: quoting survives, the arguments win."""
    service = Service(name="web", command='echo "it\'s $((1+1))" > made.txt; echo log')
    text = environment_from(Manifest(services=(service,))).files.text("entrypoint.sh")
    script = tmp_path / "entry.sh"
    script.write_text(text.replace("/var/log/facet", str(tmp_path)))
    done = subprocess.run(
        ["bash", str(script), "sh", "-c", "while [ ! -s made.txt ]; do sleep 0.05; done; echo up"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "up\n"
    assert (tmp_path / "made.txt").read_text() == "it's 2\n"


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (PlannedFile(path="/app/my file", data=b""), "space"),
        (PlannedFile(path="/app/x\nRUN true", data=b""), "line break"),
        (PlannedFile(path="/app/$HOME", data=b""), "not allowed"),
        (PlannedFile(path="relative", data=b""), "absolute"),
        (PlannedFile(path="/app/../etc/x", data=b""), "'..'"),
        (PlannedFile(path="/tests/test_x.py", data=b""), "belongs to the grading"),
        (PlannedFile(path="/solution/solve.sh", data=b""), "belongs to the grading"),
        (PlannedFile(path="/etc/ld.so.preload", data=b""), "belongs to the grading"),
        (PlannedFile(path="/app/x", data=b"", mode="rwx"), "octal"),
        (PlannedFile(path="/app/x", data=b"", owner="a b"), "login name"),
        (PlannedFile(path="/app/x", data=b"", group="$(id)"), "login name"),
        (PlannedFile(path="/app/x"), "exactly one"),
        (PlannedFile(path="/app/x", kind="link"), "needs a target"),
        (PlannedFile(path="/app/x", kind="link", target="a; rm -rf /"), "not allowed"),
        (PlannedFile(path="/app/x", resource="absent"), "not declared"),
        (PlannedFile(path="/app/x", kind="dir", data=b"x"), "has content"),
    ],
)
def test_a_hostile_file_is_refused_with_its_reason(broken: PlannedFile, reason: str) -> None:
    with pytest.raises(BuildError, match=reason):
        environment_from(Manifest(files=(broken,)))


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (Manifest(base="x\nRUN y"), "not an image name"),
        (Manifest(workdir="app"), "absolute"),
        (Manifest(env=(("A B", "x"),)), "not a name"),
        (Manifest(env=(("FACET_RUNNER", "/x"),)), "kept for the grading"),
        (Manifest(env=(("A", "x\ny"),)), "line break"),
        (Manifest(users=(User(name="Root Me"),)), "login name"),
        (Manifest(users=(User(name="u", shell="/bin/sh;id"),)), "not allowed"),
        (Manifest(services=(Service(name="a b", command="x"),)), "plain name"),
        (Manifest(services=(Service(name="a", command=" "),)), "no command"),
        (Manifest(services=(Service(name="a", command="x", port=99999),)), "does not exist"),
        (Manifest(packages=(Package(name="jq; id"),)), "not a package name"),
        (Manifest(resources=(Resource(name="../x", url="", sha256=""),)), "plain file name"),
        (Manifest(setup=("a\0b",)), "NUL"),
        (Manifest(files=(PlannedFile(path="/a", data=b""),) * 2), "planned twice"),
        (
            Manifest(files=(PlannedFile(path="/a", data=b""), PlannedFile(path="/a/b", data=b""))),
            "planned as no directory",
        ),
    ],
)
def test_a_hostile_plan_is_refused_with_its_reason(broken: Manifest, reason: str) -> None:
    assert any(reason in line for line in manifest_problems(broken))
    with pytest.raises(BuildError):
        environment_from(broken)


def test_every_fault_of_a_plan_is_named_at_once() -> None:
    broken = Manifest(workdir="x", base="B A D", env=(("1", ""),))
    assert len(manifest_problems(broken)) == 3


def test_a_plan_without_fault_has_no_problems() -> None:
    assert manifest_problems(FULL) == ()


def test_scripts_of_a_solution_get_safe_distinct_names() -> None:
    reply = SolutionReply(
        script="true\n",
        partials=(NamedScript(name="../../Skip Dedup", text="a"),) * 2,
        alternatives=(NamedScript(name="awk.sh", text="b"),),
    )
    solution = solution_from(reply)
    assert [f.path for f in solution.partials] == [
        "partials/skip-dedup-2.sh",
        "partials/skip-dedup.sh",
    ]
    assert [f.path for f in solution.alternatives] == ["alternatives/awk.sh"]
    assert all(f.executable for f in solution.files.files)


def test_an_empty_reply_is_refused() -> None:
    with pytest.raises(ReplyError, match="no solve.sh"):
        solution_from(SolutionReply(script=" \n"))
    with pytest.raises(ReplyError, match="empty"):
        instruction_from(InstructionReply(text="\n"))
    with pytest.raises(ReplyError, match="no test_"):
        verifier_from(VerifierReply(files=(TestFile(path="helper.py", text=""),)))


@pytest.mark.parametrize("path", ["test.sh", "conftest.py", "sub/conftest.py", "../test_x.py"])
def test_a_verifier_cannot_bring_a_reserved_file(path: str) -> None:
    files = (TestFile(path="test_a.py", text=""), TestFile(path=path, text=""))
    with pytest.raises(ReplyError):
        verifier_from(VerifierReply(files=files))


SOURCE = '''
import pytest
from pytest import mark

@pytest.mark.check(id="b.first", title="First", weight=2)
def test_first():
    assert True

class TestMore:
    @mark.check(id="a.second", title="Second", guard=True)
    def test_second(self):
        """Doc."""

@pytest.mark.check()
def test_bare():
    """What it tests.

    More."""

@pytest.mark.parametrize("x", [1])
def test_unmarked(x):
    pass
'''


def test_checks_are_read_from_the_source_in_order() -> None:
    verifier = verifier_from(VerifierReply(files=(TestFile(path="tests/test_s.py", text=SOURCE),)))
    assert [(c.id, c.title, c.weight, c.guard) for c in verifier.checks] == [
        ("b.first", "First", 2.0, False),
        ("a.second", "Second", 1.0, True),
        ("test_bare", "What it tests.", 1.0, False),
    ]
    assert verifier.files.text("test.sh") == TEST_SH


@pytest.mark.parametrize(
    "source",
    ["def broken(:", "x" + "(" * 5000, "a\0b", "\ud800".encode("utf-8", "replace").decode()],
)
def test_a_test_file_that_does_not_parse_declares_nothing(source: str) -> None:
    assert declared_checks(FileSet(files=(text_file("test_x.py", source),))) == ()


def make_seed(number: int) -> Seed:
    skills = (Skill(id="s/a", name="a", description="", body=""),) * 2
    context = Context(skill_id="s/a", situation="", inputs=(), outputs=(), tools=())
    verdict = PairVerdict(keep=True, complementary="", executable="")
    return Seed(number=number, skills=skills, contexts=(context, context), verdict=verdict)


def make_scenario(title: str) -> Scenario:
    reference = Reference(text="", initial_state=(), end_state=())
    axes = Axes(goal="", context="", capability="", state="", io_tools="")
    return Scenario(
        title=title,
        theme="",
        axes=axes,
        text="",
        skill_ids=("s/a", "s/a"),
        capabilities=(),
        solution_reference=reference,
        instruction_reference=reference,
        consistency=Consistency(items=()),
    )


def test_two_seeds_with_one_title_make_two_names() -> None:
    names = set()
    for number in (1, 2):
        task = task_from(
            make_seed(number),
            make_scenario("Clean the (daily) Prices!"),
            instruction_from(InstructionReply(text="Do it.")),
            environment_from(Manifest()),
            solution_from(SolutionReply(script="true")),
            verifier_from(VerifierReply(files=(TestFile(path="test_a.py", text=SOURCE),))),
            Provenance(),
        )
        assert task.name.startswith("facet/clean-the-daily-prices-000")
        names.add(task.name)
    assert len(names) == 2


def test_a_slug_is_cut_at_a_word() -> None:
    assert slug("Ünïcode — and   Signs!! " * 5, 20) == "n-code-and-signs-n"
