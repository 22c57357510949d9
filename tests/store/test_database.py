"""Opening the index: owned, busy, damaged, newer, read-only; and its schema steps."""

import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from facet.errors import WorkspaceBusy, WorkspaceError
from facet.store import Store
from facet.store.migrations import MIGRATIONS, applied, m001_events, migrate
from facet.workspace import Workspace
from tests.store.story import Teller, digest

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys
from facet.store import Store
from facet.workspace import Workspace
store = Store.open(Workspace.open(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def hold(workspace: Workspace) -> "subprocess.Popen[str]":
    """Another process that owns the index until its stdin is closed."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(workspace.root)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    return child


def test_beside_the_owner_a_store_works_in_memory_and_disturbs_nobody(
    workspace: Workspace,
) -> None:
    child = hold(workspace)
    with Store.open(workspace, wait_s=0) as store:
        health = store.health()
        tasks = len(store.tasks())
    with pytest.raises(WorkspaceBusy, match=r"index\.duckdb"):
        Store.rebuilt(workspace)
    child.communicate("", timeout=60)

    assert health.in_memory
    assert "another process" in health.notice
    assert tasks == 4
    assert child.returncode == 0
    with Store.open(workspace) as owner:
        assert not owner.health().in_memory


def test_an_owner_that_leaves_soon_is_waited_for(workspace: Workspace) -> None:
    child = hold(workspace)
    assert child.stdin is not None
    leaving = threading.Timer(0.3, child.stdin.close)
    leaving.start()
    with Store.open(workspace, wait_s=60) as store:
        in_memory = store.health().in_memory
    leaving.join()
    child.wait(timeout=60)
    assert child.stdout is not None
    child.stdout.close()

    assert not in_memory


def test_a_second_store_of_one_process_leaves_the_first_one_its_file(
    workspace: Workspace,
) -> None:
    with Store.open(workspace) as first:
        with Store.open(workspace, wait_s=0) as second:
            assert second.health().in_memory
            assert second.tasks() == first.tasks()
        assert not list(workspace.root.glob("*.bad.*"))
        Teller(workspace, 9)
        assert first.ingest() == 1
    with Store.open(workspace, wait_s=0) as again:
        assert not again.health().in_memory


@pytest.mark.parametrize("damage", ["garbage", "flipped", "truncated", "empty folder inside"])
def test_a_damaged_index_is_set_aside_and_made_again(workspace: Workspace, damage: str) -> None:
    with Store.open(workspace) as store:
        before = store.tasks()
    path = workspace.index_path
    data = bytearray(path.read_bytes())
    match damage:
        case "garbage":
            path.write_bytes(b"no database " * 1000)
        case "flipped":
            for at in range(0, len(data), 64):
                data[at] ^= 0xFF
            path.write_bytes(bytes(data))
        case "truncated":
            path.write_bytes(bytes(data[: len(data) // 3]))
        case _:
            path.unlink()
            path.mkdir()

    with Store.open(workspace) as mended:
        health = mended.health()

        assert mended.tasks() == before
        assert "made again" in health.notice
        assert not health.in_memory
    assert list(workspace.root.glob("index.duckdb.bad.*"))


def test_a_damaged_write_ahead_log_is_set_aside_and_loses_nothing(workspace: Workspace) -> None:
    code = """
import os, sys
from facet.store import Store
from facet.workspace import Workspace
workspace = Workspace.open(sys.argv[1])
store = Store.open(workspace)
workspace.journal.append("run.log", {"text": "late"}, id="late")
store.ingest()
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code, str(workspace.root)], check=True, cwd=ROOT)
    log = workspace.index_path.with_name("index.duckdb.wal")
    data = bytearray(log.read_bytes())
    for at in range(len(data) // 3, len(data), 7):
        data[at] ^= 0x5A
    log.write_bytes(bytes(data))

    with Store.open(workspace) as store:
        assert "late" in {e.id for e in store.events()}
        assert len(store.tasks()) == 4


def test_an_index_of_a_newer_version_is_set_aside(workspace: Workspace) -> None:
    Store.open(workspace).close()
    with duckdb.connect(str(workspace.index_path)) as con:
        con.execute("INSERT INTO migration VALUES (99, 'm099_from_the_future')")

    with Store.open(workspace) as store:
        assert "newer FACET" in store.health().notice
        assert len(store.tasks()) == 4


def test_a_store_of_a_parent_is_refused_in_a_forked_child(workspace: Workspace) -> None:
    code = """
import os, sys
from facet.errors import WorkspaceError
from facet.store import Store
from facet.workspace import Workspace
store = Store.memory(Workspace.open(sys.argv[1]))
child = os.fork()
if child == 0:
    try:
        store.tasks()
    except WorkspaceError:
        os._exit(7)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(workspace.root)], cwd=ROOT
    )

    assert done.returncode == 7


def test_an_index_that_cannot_be_written_falls_back_to_memory(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    Teller(workspace, 0)
    missing = Workspace(Path("/proc/facet-cannot-write-here"))
    missing.journal = workspace.journal

    with Store.open(missing) as store:
        assert store.health().in_memory
        assert len(store.tasks()) == 1


def test_a_memory_store_writes_nothing(workspace: Workspace) -> None:
    before = sorted(workspace.root.iterdir())
    with Store.memory(workspace) as store:
        store.checks(digest(10))

    assert sorted(workspace.root.iterdir()) == before


def test_an_empty_database_gets_every_step_once() -> None:
    con = duckdb.connect(":memory:")

    assert migrate(con) == [m.__name__ for m in MIGRATIONS]
    assert migrate(con) == []
    assert applied(con) == [m.__name__ for m in MIGRATIONS]


def test_an_index_of_the_previous_schema_is_brought_up_with_its_events(
    workspace: Workspace,
) -> None:
    with Store.memory(workspace) as reference:
        expected = reference.tasks()
        events = reference.events()
    with duckdb.connect(str(workspace.index_path)) as con:
        applied(con)
        m001_events(con)
        con.execute("INSERT INTO migration VALUES (0, 'm001_events')")
        with Store.memory(workspace) as source:
            rows = source.sql("SELECT * FROM event ORDER BY seq", 10_000).rows
            files = source.sql("SELECT * FROM journal_file").rows
        con.executemany("INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?,?)", [list(r) for r in rows])
        con.executemany("INSERT INTO journal_file VALUES (?,?,?,?)", [list(r) for r in files])

    with Store.open(workspace) as store:
        assert store.health().notice == ""
        assert store.ingest() == 0
        assert store.tasks() == expected
        assert store.events() == events


def test_a_step_that_fails_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def m999_broken(con: duckdb.DuckDBPyConnection) -> None:
        con.execute("CREATE TABLE half (n INTEGER)")
        con.execute("SELECT no_such_column FROM half")

    monkeypatch.setattr("facet.store.migrations.MIGRATIONS", (*MIGRATIONS, m999_broken))
    con = duckdb.connect(":memory:")
    with pytest.raises(duckdb.Error):
        migrate(con)

    assert applied(con) == [m.__name__ for m in MIGRATIONS]
    assert con.execute(
        "SELECT count(*) FROM duckdb_tables WHERE table_name = 'half'"
    ).fetchone() == (0,)


def test_a_folder_in_place_of_the_workspace_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "ws").write_text("a file")

    with pytest.raises(WorkspaceError):
        Workspace.open(tmp_path / "ws")
