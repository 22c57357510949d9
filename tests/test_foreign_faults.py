"""Faults seen in other people's task folders, each as a small case with what must be said of it."""

from pathlib import Path
from typing import Any

import pytest

from facet import gates
from facet.errors import BuildError
from facet.judge_steps import not_built, step_instruction, step_task
from facet.reports import Found, Left, read_left
from facet.sandbox.base import Engine
from facet.sandbox.docker_build import BuildLog
from facet.taskdir import find_tasks, read_task
from facet.trial_apart import unseen_note
from facet.types.apart import Artifact, artifacts_of, is_apart, steps_of
from facet.types.trial import StateChange, TamperEvidence, Trial
from facet.types.verdict import Blame, Gate, Judgement
from facet.validation import Verdict, validate
from facet.validation_reach import cannot_run
from tests import foreign


def no_engine() -> Engine:
    raise AssertionError("nothing of this may be run")


def passing(task: Any, **_: Any) -> Judgement:
    return Judgement(task_digest=task.digest, gates=(Gate(name="loads", status="passed"),))


class Images:
    """An engine that is only asked for images."""

    def image(self, name: str) -> str:
        return "sha256:1"


def judged(root: Path, judge: Any = passing) -> dict[str, Verdict]:
    """Verdicts by folder name, no container started."""
    found = validate(
        find_tasks([root]),
        engine=lambda: Images(),  # type: ignore[arg-type,return-value]
        judge=judge,
        blame=lambda task, judgement: Blame(artifact="verifier", rule="r"),
    )
    return {Path(v.path).name: v for v in found}


def left(*, log: str = "", exit: int = 0, **files: str) -> Left:
    found = {
        name.replace("_", "."): Found(state="read", data=text.encode())
        for name, text in files.items()
    }
    return Left(files=found, exit=exit, log=log)


def test_two_reward_files_that_disagree_are_no_reward() -> None:
    """B01: reward.json = 1 beside reward.txt = 0 counts for nobody; both are named."""
    reading = read_left(left(reward_json='{"reward": 1}', reward_txt="0\n"))
    assert (reading.outcome, reading.reward) == ("verifier_error", None)
    assert reading.detail == "reward.json says 1, reward.txt says 0"


def test_a_reward_planted_by_the_solution_is_a_remark(tmp_path: Path) -> None:
    """B01: what lay there before grading is shown with the verdict."""
    seen = TamperEvidence(path="/logs/verifier/reward.json", kind="file")

    def judge(task: Any, **_: Any) -> Judgement:
        trial = Trial(task_digest="d", actor="oracle", outcome="graded", reward=0.0, tamper=(seen,))
        failed = Gate(name="final_passes", status="failed", evidence="reward 0")
        return Judgement(task_digest="d", gates=(failed,), trials=(trial,))

    foreign.plain(tmp_path / "t")
    found = judged(tmp_path, judge)["t"]
    assert found.state == "invalid"
    assert any("oracle left /logs/verifier/reward.json" in line for line in found.remarks)


def test_three_wrong_configs_are_three_listed_faults_and_the_rest_is_judged(tmp_path: Path) -> None:
    """B19: no traceback, a fault with its line for each, and the good task beside them."""
    for name, text in (("a", 'task = "x"'), ("b", "environment = 3"), ("c", "verifier = []")):
        (foreign.plain(tmp_path / name) / "task.toml").write_text(text + "\n")
    foreign.plain(tmp_path / "good")
    found = judged(tmp_path)
    assert {name: v.state for name, v in found.items()} == {
        "a": "broken",
        "b": "broken",
        "c": "broken",
        "good": "valid",
    }
    assert [found[n].faults[0] for n in "abc"] == [
        "task.toml:1: task must be a table, not text 'x'",
        "task.toml:1: environment must be a table, not a number '3'",
        "task.toml:1: verifier must be a table, not a list",
    ]


def test_steps_and_normal_tasks_load_side_by_side_and_neither_is_broken(tmp_path: Path) -> None:
    """B20: a task in steps, a normal one, and one with no instruction anywhere."""
    foreign.two_steps(tmp_path / "steps")
    foreign.plain(tmp_path / "normal")
    (foreign.plain(tmp_path / "neither") / "instruction.md").unlink()
    assert judged(tmp_path / "normal")["normal"].state == "valid"
    assert judged(tmp_path / "neither")["neither"].reason == "instruction.md: is missing"
    task = read_task(tmp_path / "steps")
    assert cannot_run(task) == ""
    one, two = (step_task(task, plan) for plan in steps_of(task))
    assert one.instruction.text == "Write 1 to /app/a.\n\n"
    assert step_instruction(task, "02") == "Write the sum of /app/a and /app/extra to /app/b.\n"
    assert [f.path for f in two.solution.files.files] == ["solve.sh"]
    assert [f.path for f in two.environment.files.files] == ["Dockerfile"]
    assert gates.loads(one).status == gates.loads(two).status == "passed"


def test_a_step_uses_shared_tests_and_its_own_over_them(tmp_path: Path) -> None:
    """B20: as Harbor lays them down; a separate verifier is built from the step's own folder."""
    shared = {"tests/test.sh": "shared\n", "tests/helper.sh": "help\n"}
    task = read_task(foreign.two_steps(tmp_path / "a", **shared))
    files = step_task(task, steps_of(task)[0]).verifier.files
    assert [f.path for f in files.files] == ["helper.sh", "test.sh"]
    assert files.text("test.sh") != "shared\n"
    path = foreign.two_steps(tmp_path / "b", **shared, **{"steps/02/tests/Dockerfile": "FROM x\n"})
    config = (path / "task.toml").read_text()
    config += 'artifacts = ["/app/b"]\n[steps.verifier]\nenvironment_mode = "separate"\n'
    (path / "task.toml").write_text(config)
    task = read_task(path)
    one, two = (step_task(task, plan) for plan in steps_of(task))
    assert (is_apart(one), is_apart(two)) == (False, True)
    assert [f.path for f in two.verifier.files.files] == ["Dockerfile", "test.sh"]
    assert [a.source for a in artifacts_of(two)] == ["/logs/artifacts", "/app/b"]


def test_a_verifier_that_could_not_fetch_its_runner_is_no_failed_work() -> None:
    """B26: offline, the installer fails, pytest is not found, 0 is written: nothing was judged."""
    log = (
        "curl: (6) Could not resolve host: astral.example\n"
        "/tests/test.sh: line 3: pytest: command not found\n"
    )
    reading = read_left(left(reward_txt="0\n", log=log))
    assert (reading.outcome, reading.reward) == ("verifier_error", None)
    assert reading.detail.startswith("0 checks ran: verifier could not start")


def test_reward_0_is_three_outcomes() -> None:
    """B62: 0 tests in the report, exit 127, and failing checks are told apart."""
    none = '{"results": {"tests": []}}'
    fails = '{"results": {"tests": [{"name": "a", "status": "failed"}]}}'
    readings = [
        read_left(left(reward_txt="0", ctrf_json=none)),
        read_left(left(reward_txt="0", exit=127)),
        read_left(left(reward_txt="0", ctrf_json=fails, exit=1)),
    ]
    assert [r.outcome for r in readings] == ["verifier_error", "verifier_error", "graded"]
    assert readings[0].detail == "0 checks ran although a reward of 0 was written"
    assert readings[1].detail.startswith("0 checks ran: verifier could not start (exit 127")
    assert [r.reward for r in readings] == [None, None, 0.0]


def test_a_gpu_task_stops_no_sibling(tmp_path: Path) -> None:
    """B34: five tasks, one wants a GPU: four verdicts and one "cannot run here"."""
    for name in "abcde":
        foreign.plain(tmp_path / name)
    text = (tmp_path / "c" / "task.toml").read_text()
    (tmp_path / "c" / "task.toml").write_text(text + "[environment]\ngpus = 1\n")
    states = {name: v.line for name, v in judged(tmp_path).items()}
    assert states.pop("c") == "cannot run here: it needs 1 GPU"
    assert set(states.values()) == {"valid"}


def test_a_sidecar_is_never_waited_for(tmp_path: Path) -> None:
    """B47: a service whose health check always fails: said at once, no container is started."""
    compose = (
        "services:\n  main:\n    build: .\n  db:\n    image: debian\n    healthcheck:\n"
        "      test: ['CMD', 'false']\n"
    )
    path = foreign.plain(tmp_path / "t", **{"environment/docker-compose.yaml": compose})
    found = validate(
        [path], engine=no_engine, judge=passing, blame=lambda t, j: Blame(rule="r", artifact=None)
    )
    assert found[0].line == "cannot run here: it has services beside the main container: db"


@pytest.mark.parametrize("script", ["tests/test.sh", "solution/solve.sh"])
def test_crlf_in_a_script_is_a_fault_of_that_file(tmp_path: Path, script: str) -> None:
    """B60: the script alone is named; no byte on disk is changed."""
    path = foreign.plain(tmp_path / "t")
    data = (path / script).read_bytes().replace(b"\n", b"\r\n")
    (path / script).write_bytes(data)
    gate = gates.loads(read_task(path))
    assert gate.evidence == f"{script}:1: CRLF line ends; a shell cannot run it"
    assert gate.details == (gate.evidence,)
    assert (path / script).read_bytes() == data


@pytest.mark.parametrize("file", ["instruction.md", "tests/expected.txt"])
def test_crlf_in_text_and_data_is_kept_and_no_fault(tmp_path: Path, file: str) -> None:
    """B60: what is expected to hold CRLF keeps it."""
    path = foreign.plain(tmp_path / "t", **{file: "one\r\ntwo\r\n"})
    task = read_task(path)
    assert gates.loads(task).status == "passed"
    held = task.instruction.text.encode() if file == "instruction.md" else b""
    held = held or task.verifier.files.files[0].data
    assert held == b"one\r\ntwo\r\n"


def test_a_masked_apt_failure_is_blamed_at_its_own_line() -> None:
    """B61: `apt-get update || true` failed; the install that misses it is not what is named."""
    log = BuildLog()
    for text in (
        "Step 1/3 : FROM debian\n",
        "Step 2/3 : RUN apt-get update || true\n",
        "W: Failed to fetch http://mirror/InRelease  Temporary failure resolving 'mirror'\n",
        "Step 3/3 : RUN apt-get install -y jq\n",
        "E: Unable to locate package jq\n",
    ):
        log.take({"stream": text})
    assert log.failing() == "RUN apt-get update || true"


def test_a_setup_that_fails_is_the_environments_and_names_its_file(tmp_path: Path) -> None:
    task = read_task(foreign.two_steps(tmp_path / "t"))
    step = step_task(task, steps_of(task)[1])
    error = BuildError("steps/02/workdir/setup.sh ended with exit code 3", log="boom")
    judgement = not_built(step, error)
    assert [g.status for g in judgement.gates[:3]] == ["passed", "failed", "not_reached"]
    assert judgement.deciding is not None
    assert judgement.deciding.evidence == str(error)


@pytest.mark.parametrize(
    ("changed", "artifacts", "note"),
    [
        (["/app/answer.txt"], ["/app/out"], "the verifier saw no work: 1 changed paths"),
        (["/app/answer.txt"], [], "the verifier saw no work"),
        (["/app/answer.txt", "/app/out/x"], ["/app/out"], ""),
        (["/app/answer.txt"], ["/app"], ""),
        ([], ["/app/out"], ""),
    ],
)
def test_work_that_was_not_carried_is_told(
    changed: list[str], artifacts: list[str], note: str
) -> None:
    """B01b: only when something was changed and nothing of it reached the verifier."""
    changes = [StateChange(path=p, change="added") for p in changed]
    changes += [StateChange(path=p, change="modified") for p in ("/app", "/usr", "/usr/sbin")]
    if not changed:
        changes = changes[1:]
    found = unseen_note(tuple(changes), tuple(Artifact(source=a) for a in artifacts))
    assert found.startswith(note)
    assert bool(found) == bool(note)
