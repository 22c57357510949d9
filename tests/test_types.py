"""The nouns keep their promises: one artifact changes at a time, digests cover what they should."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from facet.types.asks import ASKS, Ask
from facet.types.event import EventKind
from facet.types.payloads import PAYLOADS
from facet.types.task import (
    ARTIFACTS,
    Environment,
    FileSet,
    Instruction,
    Settings,
    Solution,
    Task,
    TextFile,
    Verifier,
    text_file,
)
from facet.types.trial import CheckResult, Trial
from facet.types.value import canonical_json, digest_json
from facet.types.verdict import Gate, Judgement


def task() -> Task:
    """A small task."""
    return Task(
        name="facet/x",
        instruction=Instruction(text="do it"),
        environment=Environment(files=FileSet(files=(text_file("Dockerfile", "FROM a\n"),))),
        solution=Solution(files=FileSet(files=(text_file("solve.sh", "true\n"),))),
        verifier=Verifier(files=FileSet(files=(text_file("test.sh", "true\n"),))),
    )


NEW = {
    "instruction": Instruction(text="other"),
    "environment": Environment(files=FileSet(files=(text_file("Dockerfile", "FROM b\n"),))),
    "solution": Solution(files=FileSet(files=(text_file("solve.sh", "false\n"),))),
    "verifier": Verifier(files=FileSet(files=(text_file("test.sh", "false\n"),))),
}


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_replace_changes_exactly_one_artifact(artifact: str) -> None:
    before = task()
    after = before.replace(artifact, NEW[artifact])  # type: ignore[arg-type]
    changed = [a for a in ARTIFACTS if before.digests[a] != after.digests[a]]
    assert changed == [artifact]
    assert before.digest != after.digest


def test_replace_refuses_a_value_of_another_artifact() -> None:
    with pytest.raises(TypeError, match="Instruction is not a new solution"):
        task().replace("solution", Instruction(text="x"))


def test_the_digest_covers_the_limits_but_not_the_provenance() -> None:
    before = task()
    assert before.model_copy(update={"settings": Settings(cpus=2)}).digest != before.digest
    moved = before.provenance.model_copy(update={"run": "other"})
    assert before.model_copy(update={"provenance": moved}).digest == before.digest


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", "a\0b"])
def test_a_file_cannot_leave_its_folder(path: str) -> None:
    with pytest.raises(ValidationError):
        TextFile(path=path, data=b"")


def test_files_of_an_artifact_are_sorted_and_unique() -> None:
    files = FileSet(files=(text_file("b", ""), text_file("a", "")))
    assert [f.path for f in files.files] == ["a", "b"]
    with pytest.raises(ValidationError, match="same path"):
        FileSet(files=(text_file("a", ""), text_file("a", "1")))


@given(st.binary(max_size=200))
def test_any_bytes_survive_json(data: bytes) -> None:
    file = TextFile(path="x", data=data)
    assert TextFile.from_json(json.loads(json.dumps(file.to_json()))) == file


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5))
def test_a_digest_does_not_depend_on_key_order(value: dict[str, object]) -> None:
    turned = dict(reversed(list(value.items())))
    assert digest_json(value) == digest_json(turned)
    assert canonical_json(value) == canonical_json(turned)


def test_a_missing_reward_is_not_full_and_not_zero() -> None:
    trial = Trial(task_digest="", actor="oracle", outcome="graded")
    assert trial.reward is None
    assert not trial.full


def test_a_full_reward_with_a_failed_check_is_not_full() -> None:
    failed = CheckResult(id="a", status="failed")
    trial = Trial(task_digest="", actor="oracle", outcome="graded", reward=1.0, checks=(failed,))
    assert not trial.full


@pytest.mark.parametrize("status", ["failed", "not_reached", "not_assessed"])
def test_a_judgement_with_a_gate_that_did_not_pass_is_not_valid(status: str) -> None:
    gates = (Gate(name="loads", status="passed"), Gate(name="builds", status=status))  # type: ignore[arg-type]
    judgement = Judgement(task_digest="", gates=gates)
    assert not judgement.valid
    assert judgement.deciding == gates[1]


def test_a_judgement_without_gates_is_not_valid() -> None:
    assert not Judgement(task_digest="", gates=()).valid


def test_every_event_kind_has_a_payload() -> None:
    assert set(PAYLOADS) == set(EventKind.__args__)  # type: ignore[attr-defined]


@pytest.mark.parametrize("ask", ASKS, ids=lambda a: a.role)
def test_every_ask_names_its_role_and_reply(ask: type[Ask]) -> None:  # type: ignore[type-arg]
    assert ask.role
    assert ask.reply.model_fields
