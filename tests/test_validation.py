"""One verdict per folder, whatever its neighbours are like; what cannot run here is no failure."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facet.errors import BaseMissing, BuildError, EngineError, EngineUnavailable
from facet.sandbox.base import Engine
from facet.taskdir import read_task, write_task
from facet.types.task import Environment, FileSet, Settings, Task, text_file
from facet.types.trial import CheckResult, Trial
from facet.types.verdict import Blame, Gate, Judgement
from facet.validation import Verdict, check_lines, validate
from facet.validation_reach import cannot_run, cannot_run_after, prebuilt_image, runnable
from facet.validation_table import plain, print_many
from tests.golden import good_tasks

GOOD = good_tasks()[0]


class OneImage:
    """An engine that knows one image and can do nothing else."""

    def image(self, name: str) -> str | None:
        return "sha256:1" if name == "here:1" else None


def passing(task: Task, **_: Any) -> Judgement:
    checks = (CheckResult(id="a", title="A", status="failed", message="not yet"),)
    after = (CheckResult(id="a", title="A", status="passed"),)
    return Judgement(
        task_digest=task.digest,
        gates=(Gate(name="loads", status="passed"),),
        trials=(trial("nop", checks), trial("oracle", after)),
    )


def trial(actor: Any, checks: tuple[CheckResult, ...]) -> Trial:
    return Trial(task_digest="d", actor=actor, outcome="graded", checks=checks)


def gate(name: Any, status: Any, evidence: str, *details: str) -> Judgement:
    found = (Gate(name=name, status=status, evidence=evidence, details=details),)
    return Judgement(task_digest="d", gates=found)


def blamed(task: Task, judgement: Judgement) -> Blame:
    return Blame(artifact="solution", rule="rule_x")


def run(paths: list[Path], judge: Any = passing, **more: Any) -> list[Verdict]:
    return validate(
        paths,
        engine=lambda: OneImage(),
        judge=judge,
        blame=blamed,
        **more,  # type: ignore[arg-type]
    )


def written(path: Path, task: Task = GOOD, config: tuple[str, str] = ("", "")) -> Path:
    write_task(task, path)
    file = path / "task.toml"
    file.write_text(file.read_text().replace(*config) if config[0] else file.read_text())
    return path


def foreign(*metadata: tuple[str, str], **files: str) -> Task:
    """A task without plan and scenario; files of its environment by name, `_` for a dot."""
    plain_files = tuple(text_file(n.replace("_", "."), t) for n, t in files.items())
    environment = Environment(files=FileSet(files=plain_files))
    return GOOD.replace("environment", environment).model_copy(
        update={"settings": Settings(metadata=metadata)}
    )


def test_a_valid_task_has_its_checks_in_both_states(tmp_path: Path) -> None:
    verdict = run([written(tmp_path / "t")])[0]
    assert (verdict.state, verdict.line, verdict.digest) == ("valid", "valid", GOOD.digest)
    assert [(c.id, c.before, c.after) for c in verdict.checks] == [("a", "failed", "passed")]


def test_an_invalid_task_names_gate_evidence_and_blame(tmp_path: Path) -> None:
    verdict = run(
        [written(tmp_path / "t")], lambda t, **_: gate("solution_runs", "failed", "exit 3")
    )[0]
    assert verdict.line == "invalid [solution]: solution_runs: exit 3"
    assert verdict.rule == "rule_x"


def test_a_broken_folder_hides_no_other(tmp_path: Path) -> None:
    """B19, B34: five folders, five verdicts."""
    paths = [written(tmp_path / name) for name in ("a", "b", "c", "d", "e")]
    (paths[1] / "task.toml").write_text('task = "x"\nenvironment = 3\n')
    (paths[2] / "task.toml").write_text(
        (paths[2] / "task.toml").read_text().replace("[environment]", "[environment]\ngpus = 1")
    )
    calls: list[str] = []

    def judge(task: Task, **_: Any) -> Judgement:
        calls.append(task.name)
        if len(calls) == 2:
            raise EngineError("the server stumbled")
        return passing(task)

    heard: list[Verdict] = []
    verdicts = run(paths, judge, done=heard.append)
    assert [v.state for v in verdicts] == [
        "valid",
        "broken",
        "cannot run here",
        "cannot run here",
        "valid",
    ]
    assert verdicts[1].faults == (
        "task.toml:1: task must be a table, not text 'x'",
        "task.toml:2: environment must be a table, not a number '3'",
    )
    assert verdicts[1].reason.endswith("(and 1 more)")
    assert verdicts[2].reason == "it needs 1 GPU"
    assert verdicts[3].reason == "the server stumbled"
    assert heard == verdicts


@pytest.mark.parametrize("error", [EngineUnavailable, BaseMissing])
def test_a_missing_engine_ends_it_before_anything_runs(
    tmp_path: Path, error: type[EngineError]
) -> None:
    def engine() -> Engine:
        raise error("no engine")

    with pytest.raises(error):
        validate([written(tmp_path / "t")], engine=engine, judge=passing, blame=blamed)


def test_no_engine_is_asked_for_when_nothing_can_run(tmp_path: Path) -> None:
    def engine() -> Engine:
        raise AssertionError("asked for")

    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "task.toml").write_text("x")
    gpu = written(tmp_path / "gpu", config=("[environment]", "[environment]\ngpus = 2"))
    verdicts = validate([tmp_path / "broken", gpu], engine=engine, judge=passing, blame=blamed)
    assert [v.state for v in verdicts] == ["broken", "cannot run here"]


def test_progress_names_task_and_place(tmp_path: Path) -> None:
    lines: list[str] = []

    def judge(task: Task, *, progress: Callable[[str], None], **_: Any) -> Judgement:
        progress("gate loads")
        return passing(task)

    ticks = iter(range(0, 600, 30))
    paths = [written(tmp_path / "one"), written(tmp_path / "two")]
    run(paths, judge, tell=lines.append, clock=lambda: float(next(ticks)))
    assert lines == [
        "[1/2] one: gate loads",
        "[1/2] one: valid -- 1 valid; 0.7/min, about 2 min left",
        "[2/2] two: gate loads",
        "[2/2] two: valid -- 2 valid; 0.7/min",
    ]


def test_a_single_folder_has_no_counts_in_its_progress(tmp_path: Path) -> None:
    lines: list[str] = []
    run([written(tmp_path / "one")], tell=lines.append)
    assert lines == ["[1/1] one: valid"]


def test_a_build_error_that_escapes_is_a_verdict(tmp_path: Path) -> None:
    def judge(task: Task, **_: Any) -> Judgement:
        raise BuildError("does not build")

    assert run([written(tmp_path / "t")], judge)[0].line == "invalid: does not build"


@pytest.mark.parametrize(
    ("feature", "reason"),
    [
        (("gpus", "2"), "it needs 2 GPU"),
        (("tpu", "1"), "TPU"),
        (("os", "windows"), "containers of windows"),
        (("network_mode", "allowlist"), "needs the network"),
        (("verifier.collect", "1"), "collects state by commands"),
        (("verifier.environment.env", "KEY"), "container needs the variables KEY"),
        (("verifier.env", "OPENAI_API_KEY"), "OPENAI_API_KEY"),
        (("environment.env", "A B"), "A B"),
        (("agent.user", "dev"), "user dev"),
    ],
)
def test_what_a_task_declares_says_why_it_cannot_run(feature: tuple[str, str], reason: str) -> None:
    assert reason in cannot_run(foreign(feature, Dockerfile="FROM x\n"))


def test_foreign_metadata_is_no_feature() -> None:
    assert cannot_run(foreign(("metadata.gpus", "2"), Dockerfile="FROM x\n")) == ""


@pytest.mark.parametrize(
    ("compose", "reason"),
    [
        ("services: {main: {network_mode: none}}", ""),
        ("services: {main: {}}", ""),
        ("services: {main: {volumes: ['${LOGS}:/logs'], command: [sh, -c, sleep infinity]}}", ""),
        ("services: {main: {build: {context: '${CONTEXT_DIR}'}, command: sleep 9}}", ""),
        ("services: {main: {build: ..}}", "'build'"),
        ("services: {main: {build: {context: ., dockerfile: Other}}}", "'build'"),
        ("services: {main: {command: /start.sh}}", "'command'"),
        ("services: {main: {deploy: {resources: {}}}}", "'deploy'"),
        ("services: {main: {}, db: {image: postgres}}", "beside the main container: db"),
        ("services: {main: {volumes: ['/etc:/host']}}", "'volumes'"),
        ("services: {main: {privileged: true}}", "'privileged'"),
        ("services: [", "cannot be read"),
        ("a: 1", "no services"),
        ("- 1", "no services"),
        ("services: {main: 3}", "no table"),
        ("services: {db: {}}", "beside the main container"),
        ("[" * 3000, "cannot be read"),
        ("#" * 300_000, "longer than"),
    ],
)
def test_a_compose_file_may_only_say_what_changes_nothing(compose: str, reason: str) -> None:
    task = foreign(Dockerfile="FROM x\n", **{"docker-compose_yaml": compose})
    found = cannot_run(task)
    assert reason in found
    assert bool(found) == bool(reason)


def test_a_task_that_only_names_an_image_is_built_from_it_where_it_is() -> None:
    task, reason = runnable(foreign(("docker_image", "here:1")), OneImage().image)
    assert reason == ""
    assert task.environment.files.text("Dockerfile") == "FROM here:1\n"
    missing = runnable(foreign(("docker_image", "there:1")), OneImage().image)[1]
    assert missing == "image there:1 is not on this machine"
    hostile = runnable(foreign(("docker_image", "x\nRUN id")), OneImage().image)[1]
    assert "is not an image name" in hostile


def test_a_compose_only_task_uses_the_image_of_its_main_service() -> None:
    compose = {"docker-compose_yaml": "services: {main: {image: 'here:1'}}"}
    task, reason = runnable(foreign(**compose), OneImage().image)
    assert (reason, task.environment.files.text("Dockerfile")) == ("", "FROM here:1\n")
    assert prebuilt_image(foreign(Dockerfile="FROM y\n", **compose)) == ""


def test_our_trouble_is_not_the_tasks_failure(tmp_path: Path) -> None:
    verdict = run(
        [written(tmp_path / "t")], lambda t, **_: gate("verifier_runs", "not_assessed", "disk full")
    )[0]
    assert verdict.line == "cannot run here: disk full"


@pytest.mark.parametrize(
    "line",
    [
        "Temporary failure resolving 'mirror'",
        "curl: (6) Could not resolve host: x",
        "dial tcp: lookup registry: no such host",
        "Failed to establish a new connection",
    ],
)
def test_a_foreign_build_that_wants_the_network_cannot_run_here(line: str) -> None:
    judgement = gate("builds", "failed", "RUN apt-get update failed", "step 2", line)
    assert "needs the network" in cannot_run_after(foreign(Dockerfile="FROM x\n"), judgement)
    assert cannot_run_after(GOOD, judgement) == ""


def test_a_foreign_build_that_fails_otherwise_is_the_tasks_failure() -> None:
    judgement = gate("builds", "failed", "RUN make failed", "make: *** no rule")
    assert cannot_run_after(foreign(Dockerfile="FROM x\n"), judgement) == ""


def test_a_check_seen_in_one_state_only_is_not_run_in_the_other() -> None:
    judgement = Judgement(
        task_digest="d",
        gates=(),
        trials=(trial("nop", (CheckResult(id="x", status="failed", message="m"),)),),
    )
    line = check_lines(judgement)[0]
    assert (line.before, line.after, line.message) == ("failed", "not run", "m")


def test_tables_show_third_party_text_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = Verdict(path="/x/[red]a\x1b[2J", state="invalid", reason="[link=x]y\r\n\x07")
    print_many([hostile])
    shown = capsys.readouterr().out
    assert "[red]a" in shown
    assert "[link=x]y" in shown
    assert not {"\x1b", "\r", "\x07"} & set(shown)
    assert plain("a\tb\u202e") == "a b "


def test_reading_changes_no_byte_of_a_folder(tmp_path: Path) -> None:
    path = written(tmp_path / "t")
    before = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    run([path])
    read_task(path)
    assert {p: p.read_bytes() for p in path.rglob("*") if p.is_file()} == before


def test_copies_of_one_task_are_told_apart_by_their_folder(
    capsys: pytest.CaptureFixture[str],
) -> None:
    copies = [Verdict(path=f"/x/{f}", name="o/t", state="valid") for f in ("one", "two")]
    print_many([*copies, Verdict(path="/x/three", name="o/u", state="valid")])
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert rows == ["task", "/x/one", "/x/two", "o/u"]
