"""From journal to index: exactly once, in any order, from any number of writers."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from facet.journal import KINDS, Journal
from facet.store import Store
from facet.types.value import Value
from facet.workspace import Workspace
from tests.store.story import RUN, Teller, finish, tell

ROOT = Path(__file__).resolve().parents[2]


def everything(store: Store) -> str:
    """Every answer of a store, as one text."""
    lists: list[list[Value]] = [
        list(store.tasks()),
        list(store.runs()),
        list(store.skills()),
        list(store.decisions()),
        list(store.pairs()),
        list(store.contexts()),
        list(store.calls()),
        list(store.events()),
        [store.funnel(RUN), store.funnel()],
        [h for t in store.tasks() if (h := store.history(t.key))],
        [c for t in store.tasks() for c in store.checks(t.digest)],
    ]
    return json.dumps([[v.to_json() for v in values] for values in lists], indent=1)


def test_ingesting_twice_adds_nothing(store: Store) -> None:
    before = everything(store)

    assert store.ingest() == 0
    assert everything(store) == before


def test_rebuilding_gives_the_same_answers(workspace: Workspace) -> None:
    with Store.open(workspace) as store:
        store.load_details()
        Teller(workspace, 4).stage("axes")
        store.ingest()
        finish(workspace)
        store.ingest()
        before = everything(store)
    with Store.rebuilt(workspace) as rebuilt:
        after = everything(rebuilt)
    with Store.memory(workspace) as memory:
        in_memory = everything(memory)

    assert after == before
    assert in_memory == before
    assert list(workspace.root.glob("index.duckdb.bad.*"))


def test_an_event_in_two_files_is_one_event(workspace: Workspace, store: Store) -> None:
    count = store.health().events
    (first,) = workspace.journal.files()
    (workspace.journal.folder / "copy.jsonl").write_bytes(first.read_bytes())
    Journal(workspace.journal.folder).append("run.log", {"text": "x"}, id="same")
    Journal(workspace.journal.folder).append("run.log", {"text": "x"}, id="same")

    assert store.ingest() == 1
    assert store.health().events == count + 1


def test_torn_and_unknown_records_are_counted(workspace: Workspace, store: Store) -> None:
    torn = b'\n{"id": "x", "at"\n\n{"id": "y", "at": "z", "kind": "from.the.future"}\n'
    (workspace.journal.folder / "torn.jsonl").write_bytes(torn)
    store.ingest()

    health = store.health()

    assert (health.skipped, health.unknown) == (1, 1)


def test_a_kind_that_an_update_brings_is_read_at_the_next_opening(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = workspace.journal.append("run.log", {"text": "of a kind to come"})
    with monkeypatch.context() as older:
        older.setattr("facet.journal.KINDS", KINDS - {"run.log"})
        with Store.open(workspace) as store:
            before, unknown = store.events(("run.log",)), store.health().unknown
    with Store.open(workspace) as store:
        assert store.events(("run.log",)) == [event]
        assert store.health().unknown == 0
        assert len(store.tasks()) == 4
    assert (before, unknown) == ([], 1)


def test_a_record_is_taken_in_once_its_end_is_there(workspace: Workspace, store: Store) -> None:
    source = Journal(workspace.root / "elsewhere")
    event = source.append("run.log", {"text": "late"})
    (path,) = source.files()
    record = path.read_bytes()
    growing = workspace.journal.folder / "growing.jsonl"

    growing.write_bytes(record[:-20])
    assert store.ingest() == 0
    growing.write_bytes(record)
    assert store.ingest() == 1
    assert store.events(("run.log",)) == [event]


def test_odd_text_and_numbers_come_through(workspace: Workspace, store: Store) -> None:
    odd = {
        "text": 'nul \x00 quote " \u2028 \U0001f600',
        "n": float("nan"),
        "big": 10**30,
        "d": [[]],
    }
    event = workspace.journal.append("run.log", odd)
    store.ingest()

    (found,) = store.events(("run.log",))

    assert found.id == event.id
    assert found.data == {**odd, "n": None}


def test_two_processes_write_while_a_third_ingests(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    code = """
import sys
from facet.workspace import Workspace
workspace = Workspace.open(sys.argv[1])
for n in range(200):
    workspace.journal.append("run.log", {"text": str(n)}, run=sys.argv[2])
"""
    command = [sys.executable, "-c", code, str(workspace.root)]
    with Store.open(workspace) as store:  # opening takes in what is there: nothing yet
        writers = [subprocess.Popen([*command, run], cwd=ROOT) for run in ("a", "b")]
        taken = 0
        while any(w.poll() is None for w in writers):
            taken += store.ingest()
        taken += store.ingest()

        assert [w.returncode for w in writers] == [0, 0]
        assert taken == 400
        assert len({(e.run, e.data["text"]) for e in store.events()}) == 400


def test_an_ingester_killed_in_mid_work_repeats_and_loses_nothing(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    for n in range(300):
        workspace.journal.append("run.log", {"text": str(n)})
    code = """
import sys
from facet.store import Store
from facet.workspace import Workspace
workspace = Workspace.open(sys.argv[1])
store = Store.open(workspace)
print("open", flush=True)
while True:
    workspace.journal.append("run.log", {"text": "more"})
    store.ingest()
"""
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(workspace.root)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        child.wait(timeout=60)
        child.stdout.close()
    with Store.open(workspace) as store:
        ids = [e.id for e in store.events()]

        assert len(ids) == len(set(ids))
        assert set(ids) == {e.id for e in workspace.journal.read()}
        assert store.health().notice == ""


def test_a_second_run_of_the_story_stays_apart(workspace: Workspace, store: Store) -> None:
    tell(workspace, "r2")
    store.ingest()

    assert [len(store.tasks(run=run)) for run in ("r1", "r2", "")] == [4, 4, 8]
    assert [r.run for r in store.runs()] == ["r2", "r1"]
