"""Each criterion is met, not met or not assessed; nothing unknown is ever met."""

import json
from pathlib import Path
from typing import Any

import pytest

from facet.accept.criteria import Criterion, Evidence, accepted, assess
from facet.accept.delivery import Delivery, Item
from facet.accept.report import report_markdown, summary
from facet.accept.sources import base_images, installs
from facet.accept.spec import Spec, read_spec
from facet.accept.trials import read_trials
from facet.accept.words import ngrams, overlaps
from facet.errors import InputError
from facet.gates import SEVEN
from facet.types.task import Environment, FileSet, Instruction, Settings, Task, Verifier, text_file
from facet.types.verdict import Gate
from facet.validation import CheckLine, Verdict
from tests.golden import good_tasks

GOOD = good_tasks()[0]
PIN = "debian@sha256:" + "a" * 64
GATES = tuple(Gate(name=name, status="passed") for name in SEVEN)
CHECKS = tuple(CheckLine(id=f"c{n}", before="failed", after="passed") for n in range(10)) + (
    CheckLine(id="guard", before="passed", after="passed"),
)


def item(
    name: str,
    task: Task | None = GOOD,
    state: Any = "valid",
    *,
    fault: str = "",
    licence: str = "",
    **more: Any,
) -> Item:
    """A folder of a delivery with its verdict."""
    verdict = Verdict(
        path=f"/d/{name}", name=name, state=state or "valid", gates=GATES, checks=CHECKS
    )
    return Item(
        path=f"/d/{name}",
        task=task,
        fault=fault,
        verdict=verdict.model_copy(update=more) if state else None,
        licence_text=licence,
    )


def said(task: Task, text: str) -> Task:
    return task.replace("instruction", Instruction(text=text))


def built(dockerfile: str, **metadata: str) -> Task:
    files = FileSet(files=(text_file("Dockerfile", dockerfile),) if dockerfile else ())
    settings = Settings(metadata=tuple(metadata.items()))
    task = GOOD.replace("environment", Environment(files=files))
    return task.model_copy(update={"settings": settings})


def ask(spec: dict[str, Any], *items: Item, **more: Any) -> Criterion:
    """The last criterion that this spec asks for."""
    evidence = Evidence(delivery=Delivery(items=items), **more)
    return assess(Spec.model_validate(spec), evidence)[-1]


def test_gates_are_met_only_by_valid_verdicts() -> None:
    gates: dict[str, Any] = {"gates": {}}
    assert ask(gates, item("a"), item("b")).status == "met"
    wrong = ask(gates, item("a"), item("b", state="invalid", reason="x"))
    assert (wrong.status, wrong.items) == ("not met", ("b: invalid: x",))
    assert ask(gates, item("a"), item("b", None, "broken")).status == "not met"


@pytest.mark.parametrize(
    "unknown",
    [
        item("b", state="cannot run here", reason="GPU"),
        item("b", state=""),
        item("b", bases=("x:1=y:1",)),
        item("b", gates=GATES[:-1]),
    ],
)
def test_a_task_that_was_not_judged_makes_gates_not_assessed(unknown: Item) -> None:
    found = ask({"gates": {}}, item("a"), unknown)
    assert (found.status, len(found.items)) == ("not assessed", 1)
    assert ask({"gates": {"min_valid": 0.5}}, item("a"), unknown).status == "met"


def test_a_wrong_task_decides_also_beside_one_that_was_not_judged() -> None:
    items = (item("a", state="invalid"), item("b", state="cannot run here"))
    assert ask({"gates": {}}, *items).status == "not met"


def test_replaced_bases_count_where_the_spec_allows_them() -> None:
    spec = {"gates": {"allow_replaced_bases": True}}
    assert ask(spec, item("a", bases=("x:1=y:1",))).status == "met"


def test_every_step_must_pass_every_gate() -> None:
    whole = Verdict(path="s", state="valid", gates=GATES)
    part = Verdict(path="s", state="valid", gates=GATES[:3])
    assert ask({"gates": {}}, item("a", steps=(whole, whole))).status == "met"
    assert ask({"gates": {}}, item("a", steps=(whole, part))).status == "not assessed"


@pytest.mark.parametrize(
    ("dockerfile", "found"),
    [
        (f"FROM {PIN}\n", ()),
        ("FROM scratch\n", ()),
        ("FROM facet-base\n", ()),
        ("FROM debian:12\n", ("environment/Dockerfile:1: debian:12",)),
        (f"FROM {PIN} AS build\nFROM build\nCOPY --from=build /a /a\n", ()),
        (f"FROM {PIN}\nCOPY --from=alpine:3 /a /a\n", ("environment/Dockerfile:2: alpine:3",)),
        ("ARG B=ubuntu:22.04\nFROM ${B}\n", ("environment/Dockerfile:2: ubuntu:22.04",)),
        (f"ARG B={PIN}\nFROM --platform=linux/amd64 $B\n", ()),
        ("FROM $UNKNOWN\n", ("environment/Dockerfile:1: $UNKNOWN",)),
    ],
)
def test_images_are_pinned_or_named(dockerfile: str, found: tuple[str, ...]) -> None:
    answer = ask({"images": {"allow": ["facet-base"]}}, item("t", built(dockerfile)))
    assert answer.items == tuple(f"t: {line}" for line in found)
    assert answer.status == ("not met" if found else "met")


def test_a_named_image_without_a_digest_is_not_pinned() -> None:
    assert ask({"images": {}}, item("t", built("", docker_image="python:3"))).status == "not met"
    assert ask({"images": {}}, item("t", built("", docker_image=PIN))).status == "met"
    assert base_images("FROM a\nFROM b AS c\nFROM c\n") == ((1, "a"), (2, "b"))


@pytest.mark.parametrize(
    "line",
    [
        "pip install pytest==8",
        "python3 -m pip install -q x",
        "apt-get -y install curl",
        "apt install -y curl",
        "curl -LsSf https://example.org/uv/install.sh | sh",
        "uvx -p 3.13 -w pytest==8 pytest",
        "uv run --with pytest pytest",
        "npm ci",
        "apk add --no-cache jq",
        'subprocess.run([sys.executable, "-m", "pip", "install", "x"])',
        "wget https://example.org/data.tgz",
        "git clone https://example.org/x.git",
    ],
)
def test_installing_while_grading_is_found_with_its_line(line: str) -> None:
    files = (text_file("test.sh", f"#!/bin/bash\n{line}\n"),)
    task = GOOD.replace("verifier", Verifier(files=FileSet(files=files)))
    assert installs(task)[0].startswith("tests/test.sh:2: ")
    assert ask({"grading": {}}, item("t", task)).status == "not met"


@pytest.mark.parametrize(
    "line",
    [
        "# pip install pytest",
        "curl -fsS http://localhost:8080/health",
        "pytest -q /tests",
        'assert "install" in text',
        "curl http://127.0.0.1:8099/x",
    ],
)
def test_what_only_looks_like_installing_is_not(line: str) -> None:
    files = (text_file("test.sh", f"#!/bin/bash\n{line}\n"),)
    task = GOOD.replace("verifier", Verifier(files=FileSet(files=files)))
    assert ask({"grading": {}}, item("t", task)).status == "met"


def test_licences_are_allowed_forbidden_or_unknown() -> None:
    spec: dict[str, Any] = {"licences": {"allow": ["MIT", "Apache-2.0"]}}
    mit = built("FROM x\n", **{"metadata.license": "mit"})
    gpl = built("FROM x\n", **{"metadata.licence": "GPL-3.0"})
    none = built("FROM x\n")
    assert ask(spec, item("a", mit)).status == "met"
    assert ask(spec, item("a", mit), item("b", gpl)).status == "not met"
    assert ask(spec, item("a", mit), item("b", none)).items == ("b: names no licence",)
    assert ask(spec, item("a", mit), item("b", none)).status == "not assessed"
    text = "Permission is hereby granted, free of charge, to any person"
    assert ask(spec, item("b", none, licence=text)).status == "met"
    assert ask(spec, item("b", none, licence="All rights reserved")).status == "not assessed"


def test_an_instruction_that_repeats_a_known_text_is_contaminated() -> None:
    text = "one two three four five six seven eight nine ten"
    spec: dict[str, Any] = {"decontamination": {"against": "x"}}
    near = said(GOOD, "First: One, two three four FIVE six!")  # 2 of its 3 runs
    known = (("list/1", text),)
    found = ask(spec, item("a", near), known=known)
    assert (found.status, found.items) == (
        "not met",
        ("a: 67% of its 5-grams are in list/1",),
    )
    clean = said(GOOD, "quite another text of many more words than those")
    assert ask(spec, item("a", clean), known=known).status == "met"
    assert ask(spec, item("a", clean), known=()).status == "not assessed"
    assert ask(spec, item("a", None, "broken", fault="x"), known=known).status == "not assessed"


def test_texts_shorter_than_a_run_are_met_only_whole() -> None:
    assert overlaps({"a": "write it"}, [("k", "Write it.")], 5)[0].share == 1.0
    assert overlaps({"a": "write it"}, [("k", "write it down somewhere else now")], 5)[0].share == 0
    assert ngrams("", 5) == frozenset()


def test_density_is_the_mean_of_checks_that_turn() -> None:
    spec: dict[str, Any] = {"density": {"min_mean_checks": 10}}
    assert ask(spec, item("a"), item("b")).found == "10.00 counted checks a task"
    few = item("b", checks=CHECKS[:4])
    assert ask(spec, item("a"), few).status == "not met"
    assert ask(spec, item("a"), few).items == ("b: 4",)
    assert ask(spec, item("a"), item("b", checks=())).status == "not assessed"


def test_near_duplicates_are_named() -> None:
    text = "read the orders of the shop and write their total to a file as one number"
    other = text.replace("one number", "two numbers")
    items = (item("a", said(GOOD, text)), item("b", said(GOOD, other)), item("c"))
    found = ask({"duplicates": {}}, *items)
    assert (found.status, found.items) == ("not met", ("b is 71% like a",))
    assert ask({"duplicates": {"max_similarity": 0.8}}, *items).status == "met"


def result(root: Path, task: str, number: int, reward: object, **more: Any) -> None:
    folder = root / "job" / f"{task}__{number}"
    folder.mkdir(parents=True)
    document = {
        "task_name": task,
        "agent_info": {"model_info": {"name": "m-1", "provider": "p"}},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        **more,
    }
    (folder / "result.json").write_text(json.dumps(document))


def test_pass_rates_are_the_mean_over_tasks_of_graded_trials(tmp_path: Path) -> None:
    for number, reward in enumerate([1.0, 0.0, None]):
        result(tmp_path, "a", number, reward)
    result(tmp_path, "b", 0, 1.0, exception_info={"exception_type": "AgentTimeoutError"})
    result(tmp_path, "b", 1, 1)
    (tmp_path / "job" / "result.json").write_text('{"stats": {}}')
    trials = read_trials(tmp_path)
    spec = {"pass_rates": {"p/m-1": {"min": 0.7, "max": 0.8, "min_trials": 2}}}
    found = ask(spec, item("a"), item("b"), trials=trials)
    assert (found.status, found.found) == ("met", "75.0% over 2 tasks (2 solved at least once)")
    low = {"pass_rates": {"m-1": {"max": 0.5}}}
    assert ask(low, item("a"), item("b"), trials=trials).status == "not met"


def test_pass_rates_without_enough_trials_are_not_assessed(tmp_path: Path) -> None:
    result(tmp_path, "a", 0, None)
    spec: dict[str, Any] = {"pass_rates": {"m-1": {}}}
    few = ask(spec, item("a"), trials=read_trials(tmp_path))
    assert (few.status, few.items) == ("not assessed", ("a: 0 graded trials of 1",))
    assert ask(spec, item("a")).status == "not assessed"
    other = ask({"pass_rates": {"another": {}}}, item("a"), trials=read_trials(tmp_path))
    assert other.status == "not assessed"


@pytest.mark.parametrize("text", ["[", "[]", '{"task_name": 3}', "[" * 9999, "\xff"])
def test_a_broken_result_hides_no_other(tmp_path: Path, text: str) -> None:
    result(tmp_path, "a", 0, 1.0)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "result.json").write_text(text, "latin-1")
    trials = read_trials(tmp_path)
    assert trials.of("m-1") == {"a": [1.0]}
    assert len(trials.unreadable) == 1


def test_a_folder_without_trials_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no trial results"):
        read_trials(tmp_path)


def test_real_job_folders_are_read(shared_data: Path) -> None:
    trials = read_trials(shared_data / "trials" / "ktb")
    assert trials.unreadable == ()
    by_task = trials.of("anthropic/claude-opus-4.6")
    assert by_task
    assert by_task == trials.of("claude-opus-4.6")


def test_only_what_is_all_met_is_accepted() -> None:
    met = Criterion(name="a", title="A", status="met", wanted="w", found="f")
    open_ = met.model_copy(update={"status": "not assessed"})
    assert accepted([met])
    assert not accepted([met, open_])
    assert not accepted([])
    assert summary([met, open_], 3) == (
        "not accepted: 3 tasks, 2 criteria: 1 met, 0 not met, 1 not assessed"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[gates]\nmin_vald = 1\n", "gates.min_vald"),
        ("[speed]\n", "speed"),
        ("[gates]\nrequire = ['nothing']\n", "gates.require.0"),
        ("[density]\nmin_mean_checks = 0\n", "density.min_mean_checks"),
        ("[images]\npinned = false\n", "images.pinned"),
        ("[pass_rates.m]\nmin = 0.9\nmax = 0.1\n", "min is above max"),
        ("x = [", "no TOML"),
    ],
)
def test_a_demand_nobody_understands_is_an_error(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=reason.replace(".", r"\.")):
        read_spec(path)


def test_a_report_shows_third_party_text_as_it_stands() -> None:
    hostile = item("<img src=x>|`a`", state="invalid", reason="[x](javascript:1)\n# h")
    delivery = Delivery(items=(hostile,))
    spec = Spec.model_validate({"gates": {}})
    text = report_markdown(spec, delivery, assess(spec, Evidence(delivery=delivery)))
    assert "\\<img src=x\\>\\|\\`a\\`" in text
    assert "\\[x\\](javascript:1) \\# h" in text
    assert "Not asked for by the spec: images, licences" in text
