"""`facet accept`: one decision, one report, exit 0 only when all of it is met."""

import json
import re
from pathlib import Path

import pytest

from facet.accept.criteria import CRITERIA
from facet.accept.known import read_known
from facet.accept.spec import Spec, read_spec
from facet.base_images import base_ready
from facet.cli.main import main
from facet.errors import BaseMissing, InputError
from facet.sandbox.docker import DockerEngine
from tests import foreign
from tests.conftest import missing

DOCS = Path(__file__).resolve().parents[2] / "docs"
SPEC = """[gates]
[images]
allow = ["facet-base"]
[licences]
allow = ["MIT"]
[grading]
[density]
min_mean_checks = 1
[duplicates]
"""


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["accept", *words])
    code = ended.value.code
    return code if isinstance(code, int) else 0 if code is None else 1


def delivery(root: Path, spec: str = SPEC) -> tuple[str, str]:
    """A folder with one good licensed task, and a spec beside it."""
    path = foreign.plain(root / "delivery" / "one")
    with (path / "task.toml").open("a") as config:
        config.write('[metadata]\nlicense = "MIT"\n')
    (root / "spec.toml").write_text(spec)
    return str(root / "delivery"), str(root / "spec.toml")


@pytest.mark.docker
def test_a_delivery_that_meets_all_is_accepted_and_judged_once(
    docker_server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        base_ready(DockerEngine("tests-accept"))
    except BaseMissing as error:
        missing("DOCKER", str(error))
    folder, spec = delivery(tmp_path)
    report = tmp_path / "report.md"
    assert run(folder, "--spec", spec, "--report", str(report)) == 0
    captured = capsys.readouterr()
    line = "accepted: 1 tasks, 7 criteria: 7 met, 0 not met, 0 not assessed"
    assert captured.out.splitlines()[-1] == line
    assert f"**{line}**" in report.read_text()
    assert "gate final_passes" in captured.err
    assert run(folder, "--spec", spec, "--json") == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["accepted"]
    assert found["tasks"][0]["recorded"]
    assert "gate" not in captured.err


def test_without_an_engine_gates_are_not_assessed_and_nothing_is_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
    folder, spec = delivery(tmp_path)
    assert run(folder, "--spec", spec, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    answers = {c["name"]: c["status"] for c in found["criteria"]}
    assert answers == {
        "size": "met",
        "gates": "not assessed",
        "images": "met",
        "licences": "met",
        "grading": "met",
        "density": "not assessed",
        "duplicates": "met",
    }
    assert not found["accepted"]
    assert found["not_asked"] == ["decontamination", "pass_rates"]


def test_what_needs_no_engine_is_accepted_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
    folder, spec = delivery(tmp_path, "[images]\nallow = ['facet-base']\n")
    assert run(folder, "--spec", spec) == 0
    _, spec = delivery(tmp_path / "other", "[images]\n")
    assert run(folder, "--spec", spec) == 1


def test_wrong_input_is_told_apart_from_a_delivery_that_fails(tmp_path: Path) -> None:
    folder, spec = delivery(tmp_path, "[gats]\n")
    assert run(folder, "--spec", spec) == 2
    assert run(folder, "--spec", str(tmp_path / "absent.toml")) == 2
    _, spec = delivery(tmp_path / "b", "[duplicates]\n")
    assert run(str(tmp_path / "absent"), "--spec", spec) == 2
    assert run(folder, "--spec", spec, "--trials", str(tmp_path / "absent")) == 2
    assert run(folder, "--spec", spec, "--report", str(tmp_path / "no" / "report.md")) == 2


def test_the_sample_spec_asks_for_every_criterion() -> None:
    spec = read_spec(DOCS / "accept-spec.toml")
    assert [name for name, _, wanted, _ in CRITERIA if not wanted(spec)] == []
    assert list(spec.pass_rates) == ["claude-opus-4.6"]
    assert spec.decontamination is not None
    known = read_known(DOCS / spec.decontamination.against)
    assert [name for name, _ in known] == ["sample/hello", "sample/sum"]


def test_the_page_names_every_table_and_key_of_a_spec() -> None:
    text = (DOCS / "accept.md").read_text()
    for name, field in Spec.model_fields.items():
        if name in ("name", "pass_rates"):
            continue
        assert f"`[{name}]`" in text or f"`{name}`" in text, name
        inner = next(
            (a for a in getattr(field.annotation, "__args__", ()) if a is not type(None)), None
        )
        for key in getattr(inner, "model_fields", {}):
            fixed = key in ("pinned", "no_install")
            assert fixed or re.search(rf"`{key}`", text), f"{name}.{key}"


def test_a_list_of_known_texts_is_a_file_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n\ntwo\n")
    (tmp_path / "b.jsonl").write_text('{"instruction": "three"}\n')
    (tmp_path / "c.md").write_text("# four\nfive\n")
    (tmp_path / "d.py").write_text("x")
    assert read_known(tmp_path / "a.txt") == (("a.txt:1", "one"), ("a.txt:3", "two"))
    names = [name for name, _ in read_known(tmp_path)]
    assert names == ["a.txt", "b.jsonl:1", "c.md"]
    (tmp_path / "b.jsonl").write_text('{"x": 1}\n')
    with pytest.raises(InputError, match=r"b\.jsonl:1"):
        read_known(tmp_path)
