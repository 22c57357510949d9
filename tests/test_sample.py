"""The bundled sample: real, small, readable by this version, without a trace of a machine."""

import shutil
from pathlib import Path

import pytest

from facet.config import data_dir
from facet.store import Store
from facet.types.verdict import Judgement
from facet.workspace import Workspace

SAMPLE = data_dir() / "sample" / "workspace"


@pytest.fixture(scope="module")
def store() -> Store:
    return Store.memory(Workspace.open(SAMPLE, create=False))


def test_it_holds_valid_tasks_some_of_them_repaired_all_made_offline(store: Store) -> None:
    tasks = store.tasks()
    assert sum(t.status == "valid" for t in tasks) >= 3
    assert any(t.rounds for t in tasks)
    assert {t.model for t in tasks if t.digest} == {"offline"}
    assert store.health().skipped == store.health().unknown == 0


def test_every_task_can_be_read_with_its_judgement(store: Store) -> None:
    workspace = store.workspace
    for row in store.tasks():
        if not row.digest:
            continue
        task = workspace.bundles.read(row.digest)
        history = store.history(row.key)
        assert history is not None
        assert task.scenario is not None
        judged = next(j for j in reversed(history.judged) if j.data.digest == row.digest)
        judgement = workspace.blobs.get_value(judged.data.blob, Judgement)
        assert judgement.valid == (row.status == "valid")
        assert judgement.trial("nop") is not None


def test_skills_keep_their_licence_and_drops_their_line(store: Store) -> None:
    skills = store.skills()
    assert any(s.kept for s in skills)
    assert all(s.rule and s.reason for s in skills if not s.kept)


def test_it_is_small_and_names_no_machine() -> None:
    files = [p for p in SAMPLE.rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in files) < 1_500_000
    for path in files:
        text = path.read_bytes()
        assert b"/work/" not in text
        assert b".cache/facet" not in text


def test_it_opens_where_nothing_may_be_written(tmp_path: Path) -> None:
    copy = tmp_path / "sample"
    shutil.copytree(SAMPLE, copy)
    before = sorted(p.relative_to(copy) for p in copy.rglob("*"))
    with Store.memory(Workspace.open(copy, create=False)) as store:
        assert store.tasks()
        store.load_details()
    assert sorted(p.relative_to(copy) for p in copy.rglob("*")) == before
